"""From a task and its scoring profile to judgements: which fields, which answer type, which scorer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeAlias

from steelyard.canonical.answer_forms import BESIDE, reasoning_of
from steelyard.canonical.extraction import Extraction, parse_extraction
from steelyard.configuration.profile import ScoringProfile
from steelyard.configuration.task import FieldMetric, ScorerEntry, Task
from steelyard.errors import ConfigurationError, Problem, quoted
from steelyard.items.row_values import extracted_reference, predicted_field, row_field, row_prediction, row_reference
from steelyard.judging.items import Fields, Judgement
from steelyard.records.answers import ANSWER_TYPES, AnswerType, ReasoningPart
from steelyard.records.items import FieldNames, Item
from steelyard.registry import Scorer, bind_scorer
from steelyard.registry.parameters import suggestion
from steelyard.scoring.seed_names import SEED_METRICS, primary_parameters

FieldReader: TypeAlias = Callable[[Fields], Any]

DEFAULT_SCORERS: dict[AnswerType, str] = {
    "choice": "choice",
    "number": "number",
    "list": "list",
    "text": "text",
    "reasoning": "reasoning",
}

LABELS: tuple[AnswerType, ...] = ("choice", "text")
"""Answers that may spell a label."""


def task_judgements(
    task: Task, profile: ScoringProfile | None, names: FieldNames, extraction: Extraction
) -> tuple[Judgement, ...]:
    """Return what a task asks of every item; the first judgement gives the primary score."""
    fields = [entry for entry in task.metrics or () if isinstance(entry, FieldMetric)]
    if fields:
        if task.scorers:
            raise ConfigurationError(
                Problem(
                    code="bad-configuration",
                    message="`scorers` and metrics with pred_field and label_field are both given",
                    hint="give one: field metrics name their own scorers",
                )
            )
        return tuple(_field_judgement(task, entry, profile) for entry in fields)
    if task.scorers:
        scorers = [_bind(entry, task, profile) for entry in task.scorers]
        return tuple(_judgement(task, scorer, extraction, names) for scorer in scorers)
    if task.answer_type == "mixed":
        bound = {kind: _default_scorer(kind, task, profile) for kind in ANSWER_TYPES}
        return (_with_fields(task, "score", bound, None, extraction, names),)
    kind: AnswerType = "choice" if task.answer_type == "label" else task.answer_type
    return (_judgement(task, _default_scorer(kind, task, profile), extraction, names),)


def refuse_without_labels(judgement: Judgement, metric: str) -> None:
    """Refuse a classification whose answers are no labels: those that a choice or a text spells are."""
    if judgement.answer_type in LABELS:
        return
    message = f"{judgement.name} judges a {judgement.answer_type}, and {metric} counts labels"
    hint = "leave the scorer out, or name choice@v1 or answer_correctness@v1; another answer_type judges other answers"
    raise ConfigurationError(Problem("bad-configuration", message, hint=hint))


def _bind(entry: str | ScorerEntry, task: Task, profile: ScoringProfile | None) -> Scorer:
    if isinstance(entry, str):
        return _with_task_parameters(bind_scorer(entry), task, profile)
    given = bind_scorer(entry.name, entry.parameters, pass_threshold=entry.pass_threshold)
    return _with_task_parameters(given, task, profile)


def _default_scorer(kind: AnswerType, task: Task, profile: ScoringProfile | None) -> Scorer:
    wanted = profile.scorers.get(kind) if profile else None
    parameters = primary_parameters(kind, wanted.primary_metric) if wanted and wanted.primary_metric else {}
    threshold = wanted.pass_threshold if wanted else None
    scorer = bind_scorer(DEFAULT_SCORERS[kind], parameters, pass_threshold=threshold)
    return _with_task_parameters(scorer, task, profile)


def _with_task_parameters(scorer: Scorer, task: Task, profile: ScoringProfile | None) -> Scorer:
    """Give a scorer what the task and the profile say for all of them: aliases, normalisation, units."""
    declared, bound = scorer.definition.parameters, dict(scorer.parameters)
    if "aliases" in declared and "aliases" not in bound and task.aliases:
        bound["aliases"] = tuple(f"{alias}={choice}" for choice, found in task.aliases.items() for alias in found)
    if profile is not None:
        if "normalize" in declared and "normalize" not in bound:
            bound["normalize"] = profile.normalization.profile
        if "unit_aliases" in declared and "unit_aliases" not in bound and profile.normalization.unit_aliases:
            pairs = sorted(profile.normalization.unit_aliases.items())
            bound["unit_aliases"] = tuple(f"{alias}={unit}" for alias, unit in pairs)
    return bind_scorer(scorer.definition.key, bound, pass_threshold=scorer.pass_threshold)


def _judgement(task: Task, scorer: Scorer, extraction: Extraction, names: FieldNames) -> Judgement:
    kind = scorer.definition.answer_type
    return _with_fields(task, scorer.name, {kind: scorer}, kind, extraction, names)


def _with_fields(
    task: Task,
    name: str,
    scorers: Mapping[AnswerType, Scorer],
    kind: AnswerType | None,
    extraction: Extraction,
    names: FieldNames,
) -> Judgement:
    from_reference = parse_extraction(task.extract_reference)
    return Judgement(
        name=name,
        scorers=scorers,
        answer_type=kind,
        extraction=extraction,
        prediction=partial(row_prediction, names=names),
        reference=partial(_reference, names=names, extraction=from_reference),
        extracts_reference=from_reference.kind != "none",
        choices=task.choices,
        choices_of=partial(_row_choices, field=names.choices, default=task.choices) if names.choices else None,
    )


def _reference(fields: Fields, names: FieldNames, extraction: Extraction) -> Any:
    return extracted_reference(row_reference(fields, names), extraction)


def _row_choices(item: Item, field: str, default: tuple[str, ...]) -> tuple[str, ...]:
    try:
        found = row_field(item.fields, field)
    except KeyError:
        return default
    return tuple(str(entry) for entry in found) if isinstance(found, list) else default


def _field_judgement(task: Task, entry: FieldMetric, profile: ScoringProfile | None) -> Judgement:
    """Return seed 003's `{type, pred_field, label_field}` as a judgement over two fields of the row."""
    if entry.type not in SEED_METRICS:
        known = ", ".join(SEED_METRICS)
        message = f"there is no metric type {quoted(entry.type)} (of {quoted(entry.label_field)}); there are {known}"
        hint = suggestion(entry.type, SEED_METRICS)
        raise ConfigurationError(Problem(code="unknown-name", message=message, hint=hint))
    meaning = SEED_METRICS[entry.type]
    scorer = _with_task_parameters(bind_scorer(meaning.scorer, entry.parameters), task, profile)
    prediction, reference = _field_readers(entry, meaning.part)
    return Judgement(
        name=entry.name or f"{entry.type}.{entry.label_field.removeprefix('gt_')}",
        scorers={meaning.answer_type: scorer},
        answer_type=meaning.answer_type,
        extraction=parse_extraction(None),
        prediction=prediction,
        reference=reference,
        choices=task.choices,
        place=f"{entry.type} of {entry.label_field}",
    )


def _field_readers(entry: FieldMetric, part: ReasoningPart | None) -> tuple[FieldReader, FieldReader]:
    """Return what reads a metric's two fields; those of a reasoning may hold only the part that it is about."""
    if part is None:
        return partial(predicted_field, name=entry.pred_field), partial(row_field, name=entry.label_field)
    return partial(_predicted_part, name=entry.pred_field, part=part), partial(
        _labelled_part, name=entry.label_field, part=part
    )


def _predicted_part(fields: Fields, name: str, part: ReasoningPart) -> Any:
    # A field that is the reasoning itself has its answer in it.
    names = () if name.removeprefix("pred_") in BESIDE else BESIDE
    beside = {other: found for other in names if (found := _predicted_or_none(fields, other)) is not None}
    return reasoning_of(predicted_field(fields, name), part, beside)


def _labelled_part(fields: Fields, name: str, part: ReasoningPart) -> Any:
    return reasoning_of(row_field(fields, name), part)


def _predicted_or_none(fields: Fields, name: str) -> Any:
    try:
        return predicted_field(fields, name)
    except KeyError:
        return None
