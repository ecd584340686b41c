"""Items with predictions to judged blocks, by item forms: canonicalise both sides, then score.

Missing, failed, timed-out and unparsable predictions are handled here, once, and never by a scorer's author: they score
0 and stay in the denominator.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from steelyard.canonical.extraction import Extraction
from steelyard.canonical.outcome import PARSE_ERROR
from steelyard.canonical.predictions import Parsed, predicted_answer
from steelyard.canonical.references import BadReference, ReferenceContext, answer_text, expected_answer
from steelyard.errors import Problem, Problems, excerpt
from steelyard.items.row_values import OutputLacksField
from steelyard.judging.columns import Columns, LabelNames, Verdict, card_of, scored_block, unanswered
from steelyard.judging.corpus import references_of
from steelyard.records.answers import Answer, AnswerType
from steelyard.records.blocks import ItemBlock, ScoredBlock
from steelyard.records.items import UNAVAILABLE, Item, Prediction, State
from steelyard.registry import Metric, Scorer
from steelyard.scoring.rules import FormatRules
from steelyard.secrets import SECRET_IN_OUTPUT

Fields: TypeAlias = Mapping[str, Any]

_REASONS: dict[State, str] = {
    "missing": "There is no prediction for this item.",
    "failed": "The model failed on this item",
    "timeout": "The model did not answer in time",
    "unparsed": "The row of predictions cannot be read",
}


@dataclass(frozen=True, slots=True)
class Judgement:
    """One question asked of every item: which fields, which answer type, which scorer."""

    name: str
    scorers: Mapping[AnswerType, Scorer]
    """By answer type; a task whose rows say their own type has several."""
    answer_type: AnswerType | None
    """None where each row says its own."""
    extraction: Extraction
    prediction: Callable[[Fields], Any]
    """The raw output in a prediction's row; raises KeyError where there is none."""
    reference: Callable[[Fields], Any]
    """The raw reference in an item's row; raises KeyError where there is none."""
    extracts_reference: bool = False
    """Whether `reference` takes the answer out of a worked solution."""
    choices: tuple[str, ...] = ()
    choices_of: Callable[[Item], tuple[str, ...]] | None = None
    place: str | None = None
    """The metric and field that a problem is told with; None where the item says enough."""


class Judge:
    """Judges blocks by item forms. Pure: the same block gives the same columns."""

    def __init__(
        self,
        judgements: Sequence[Judgement],
        metrics: Sequence[Metric],
        *,
        labels: LabelNames | None = None,
        corpus: Sequence[Metric] = (),
        rules: FormatRules | None = None,
        file: str | None = None,
    ) -> None:
        self.judgements = tuple(judgements)
        self.metrics = tuple(metrics)
        self.labels = labels
        self.corpus = tuple(corpus)
        self.rules = rules
        self.file = file
        self.problems = Problems()

    def judge(self, block: ItemBlock) -> ScoredBlock:
        """Return the block judged; items with an unusable reference are recorded as problems."""
        columns = Columns()
        for item, prediction in zip(block.items, block.predictions, strict=True):
            self._item(columns, item, prediction)
        return scored_block(block.start, columns, labels=self.labels, corpus=self.corpus)

    def _item(self, columns: Columns, item: Item, prediction: Prediction | None) -> None:
        try:
            verdicts = [self._verdict(judgement, item, prediction) for judgement in self.judgements]
        except BadReference as error:
            code = "empty-reference" if error.empty else "bad-reference"
            self.problems.add(
                Problem(
                    code=code,
                    message=str(error),
                    hint="fix the reference: an item without one cannot be judged",
                    file=self.file,
                    line=item.line,
                    item_id=item.id,
                )
            )
            return
        checked, rule_tags = self.rules.check(verdicts[0].output) if self.rules else ({}, ())
        columns.verdicts.append(verdicts[0])
        columns.items.append(item)
        columns.predictions.append(prediction)
        columns.scores.append(self._numbers(verdicts) | checked)
        secret = (SECRET_IN_OUTPUT,) if prediction is not None and prediction.held_key else ()
        columns.error_tags.append((*self._error_tags(verdicts), *rule_tags, *secret))

    def _verdict(self, judgement: Judgement, item: Item, prediction: Prediction | None) -> Verdict:
        try:
            return self._judged(judgement, item, prediction)
        except BadReference as error:
            if judgement.place is None:
                raise
            raise BadReference(f"{judgement.place}: {error}", error.code, empty=error.empty) from None

    def _judged(self, judgement: Judgement, item: Item, prediction: Prediction | None) -> Verdict:
        raw_reference = self._raw_reference(judgement, item)
        answer_type = judgement.answer_type or _own_type(item)
        choices = judgement.choices_of(item) if judgement.choices_of else judgement.choices
        expected = expected_answer(raw_reference, answer_type, ReferenceContext(choices=choices))
        scorer = judgement.scorers[answer_type]
        _require(scorer, expected)
        try:
            raw, state = _raw_output(judgement, prediction)
        except OutputLacksField as lacking:
            card = card_of(scorer, Parsed(None, None, (PARSE_ERROR,), lacking.reason), expected)
            return Verdict("unparsed", card, expected, None, None, lacking.output, raw_reference)
        if state is not None:
            card = unanswered(scorer, expected, (), _reason(state, prediction))
            return Verdict(state, card, expected, None, None, None, raw_reference)
        parsed = predicted_answer(raw, answer_type, judgement.extraction, choices=choices, expected=expected)
        card = card_of(scorer, parsed, expected, item_id=item.id)
        if parsed.answer is None:
            return Verdict("unparsed", card, expected, None, parsed.text, output_text(raw), raw_reference)
        text = answer_text(parsed.answer)
        return Verdict("scored", card, expected, parsed.answer, text, output_text(raw), raw_reference)

    def _raw_reference(self, judgement: Judgement, item: Item) -> Any:
        try:
            return judgement.reference(item.fields)
        except KeyError as error:
            raise BadReference(f"there is no reference: {error.args[0]}", empty=True) from None

    def _numbers(self, verdicts: Sequence[Verdict]) -> dict[str, float | None]:
        """Return every further number of one item: the first verdict's sub-scores, other verdicts, metrics."""
        first = verdicts[0]
        numbers = dict(first.card.sub_scores)
        for judgement, verdict in zip(self.judgements[1:], verdicts[1:], strict=True):
            numbers[judgement.name] = verdict.card.primary_score
            numbers |= {f"{judgement.name}.{name}": value for name, value in verdict.card.sub_scores.items()}
        for metric in self.metrics:
            numbers[metric.name] = _metric_value(metric, first)
        return numbers

    def _error_tags(self, verdicts: Sequence[Verdict]) -> tuple[str, ...]:
        """Return the tags of the first verdict as they are, and those of others with the name of their judgement."""
        further = [
            f"{judgement.name}:{tag}"
            for judgement, verdict in zip(self.judgements[1:], verdicts[1:], strict=True)
            for tag in verdict.card.error_tags
        ]
        return (*verdicts[0].card.error_tags, *further)


class DryJudge:
    """Judges the items of a mock's run: they are there, and no score of theirs is invented."""

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self.problems = judge.problems

    @staticmethod
    def unscored(judged: ScoredBlock) -> ScoredBlock:
        """Return a block with every number null, and without the tags that numbers would be told by."""
        nothing = np.full(len(judged), np.nan)
        said = [UNAVAILABLE] * len(judged)
        return replace(judged, primary=nothing, scores=dict.fromkeys(judged.scores, nothing), tags={}, explain=said)


def _own_type(item: Item) -> AnswerType:
    found = item.fields.get("answer_type")
    if found not in ("choice", "number", "list", "text", "reasoning"):
        raise BadReference(
            f"answer_type is {excerpt(repr(found))}, expected choice, number, list, text or reasoning", empty=False
        )
    return found  # type: ignore[no-any-return]


def _require(scorer: Scorer, expected: Answer) -> None:
    """Refuse a reference that lacks what the scorer judges by."""
    needs = scorer.definition.needs
    if needs is not None and not getattr(expected, needs):
        raise BadReference(f"the reference has no {needs}, and {scorer.definition.key} judges by them")


def _raw_output(judgement: Judgement, prediction: Prediction | None) -> tuple[Any, State | None]:
    if prediction is None:
        return None, "missing"
    if prediction.state is not None:
        return None, prediction.state
    try:
        return judgement.prediction(prediction.fields), None
    except OutputLacksField:
        raise
    except KeyError:
        return None, "missing"


def _reason(state: State, prediction: Prediction | None) -> str:
    error = prediction.error if prediction else None
    return f"{_REASONS[state]}: {excerpt(error)}" if error else _REASONS[state].rstrip(".") + "."


def _metric_value(metric: Metric, verdict: Verdict) -> float | None:
    """Return an item metric's value; without an answer it is 0 where 0 is its worst value, else null."""
    definition = metric.definition
    assert definition.function is not None
    if verdict.answer is None or verdict.predicted_text is None:
        return 0.0 if definition.direction == "higher" and definition.bounded else None
    references = references_of(verdict.expected)
    values = [definition.function(verdict.predicted_text, text, **metric.parameters) for text in references]
    known = [value for value in values if value is not None]
    if not known:
        return None
    return max(known) if definition.direction == "higher" else min(known)


def output_text(raw: Any) -> str:
    """Return a raw output as text for people and storage; what is no text is shown as JSON."""
    return raw if isinstance(raw, str) else json.dumps(raw, ensure_ascii=False)
