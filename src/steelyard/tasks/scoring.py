"""`steelyard score`: one pair of answers, or lines of CanonicalAnswer objects, to ScoreCards. No run is made.

Lines are refused as a whole: where one is bad, no card comes out, so that card N is always that of row N.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO, TypeAlias

from steelyard.canonical.extraction import parse_extraction
from steelyard.canonical.json_text import RefusedJson, decode_strict
from steelyard.canonical.predictions import predicted_answer
from steelyard.canonical.references import BadReference, ReferenceContext, expected_answer, read_canonical
from steelyard.errors import ConfigurationError, InputError, Problem, Problems, UsageError
from steelyard.judging.columns import card_of
from steelyard.reading.json_values import parse_object
from steelyard.reading.limits import Limits, RowError
from steelyard.reading.lines import scan_lines, truncated
from steelyard.records.answers import AnswerType
from steelyard.records.scores import Scorecard
from steelyard.registry import Scorer
from steelyard.tasks.loading import EvaluateOptions
from steelyard.tasks.preparation import prepare

Scorers: TypeAlias = Mapping[AnswerType, Scorer]

STANDARD_INPUT = "<stdin>"
_INSTRUCTIONS = "instructions"
"""What a text reference may have instead of a value."""
_TYPED_KEY: dict[AnswerType, str] = {
    "choice": "value",
    "number": "value",
    "list": "items",
    "text": "value",
    "reasoning": "final_answer",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreOptions:
    """The command line of `steelyard score` as a record."""

    answer_type: AnswerType | None = None
    scorer: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    profile: str | None = None
    extract: str | None = None
    choices: tuple[str, ...] = ()


def score_pair(expected: str, predicted: str, options: ScoreOptions) -> Scorecard:
    """Return the ScoreCard of one prediction against one reference, both as text or as a typed object in JSON.

    >>> score_pair("12.5%", "0.125", ScoreOptions(answer_type="number")).passed
    True
    """
    scorers = _scorers(options)
    answer_type = options.answer_type or _only_type(scorers)
    context = ReferenceContext(choices=options.choices)
    try:
        reference = expected_answer(_typed(expected, _TYPED_KEY[answer_type], _INSTRUCTIONS), answer_type, context)
    except BadReference as error:
        raise InputError(Problem(code=error.code, message=f"--expected: {error}")) from None
    parsed = predicted_answer(
        _typed(predicted, _TYPED_KEY[answer_type]),
        answer_type,
        parse_extraction(options.extract),
        choices=options.choices,
        expected=reference,
    )
    return card_of(_scorer(scorers, answer_type), parsed, reference)


def score_lines(stream: BinaryIO, options: ScoreOptions, problems: Problems) -> Iterator[Scorecard]:
    """Yield the ScoreCard of each line's CanonicalAnswer; a bad line is recorded with its number and passed over."""
    scorers, seen = _scorers(options), False
    for line, row in _rows(stream, problems):
        seen = True
        try:
            pair = read_canonical(row)
            scorer = _scorer(scorers, pair.canonical.answer_type)
        except (InputError, ConfigurationError) as error:
            problems.extend(_at(problem, line) for problem in error.problems)
        else:
            yield card_of(scorer, pair.parsed, pair.expected, item_id=pair.canonical.sample_id)
    if not seen and not problems:
        message, hint = (
            "there are no lines, expected CanonicalAnswer objects",
            "see `steelyard schema canonical-answer`",
        )
        problems.add(Problem(code="empty-file", message=message, hint=hint, file=STANDARD_INPUT))


def _rows(stream: BinaryIO, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    limits = Limits()
    for number, data, ended, fault in scan_lines(stream, limits):
        try:
            if fault is not None:
                raise fault
            row = parse_object(data, limits=limits)
        except RowError as error:
            problems.add((truncated(error.column) if error.cut and not ended else error).at(STANDARD_INPUT, number))
        else:
            yield number, row


def _at(problem: Problem, line: int) -> Problem:
    return Problem(problem.code, problem.message, problem.hint, STANDARD_INPUT, line, item_id=problem.item_id)


def _scorers(options: ScoreOptions) -> Scorers:
    """Return the scorer of each answer type that may come, as an evaluation with the same options would bind it."""
    entry = {"name": options.scorer, **options.parameters} if options.scorer else None
    task: dict[str, Any] = {
        "task": "score",
        "answer_type": options.answer_type or "mixed",
        "scorers": [entry] if entry else [],
        "metrics": [],
    }
    prepared = prepare(EvaluateOptions(task=task, profile=options.profile))
    return prepared.judgements[0].scorers


def _scorer(scorers: Scorers, answer_type: AnswerType) -> Scorer:
    if answer_type in scorers:
        return scorers[answer_type]
    key = next(iter(scorers.values())).definition.key
    message = f"{key} judges {_only_type(scorers)} answers, not {answer_type}"
    hint = "`steelyard scorers` lists what each one judges"
    raise ConfigurationError(Problem(code="bad-configuration", message=message, hint=hint))


def _only_type(scorers: Scorers) -> AnswerType:
    if len(scorers) > 1:
        message = "score needs to know what the answers are"
        raise UsageError(Problem(code="usage", message=message, hint="add --answer-type or --scorer"))
    return next(iter(scorers))


def _typed(text: str, *keys: str) -> Any:
    """Return a typed object that is written as JSON, known by one of its keys; any other text is the answer itself."""
    if not text.lstrip().startswith("{"):
        return text
    try:
        found = decode_strict(text)
    except RefusedJson:
        return text
    return found if isinstance(found, dict) and found.keys() & set(keys) else text
