"""From a task and its overrides to everything an evaluation needs: judgements, metrics, the report asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steelyard.canonical.extraction import Extraction, after_prompt, parse_extraction
from steelyard.canonical.predictions import canonical_signature
from steelyard.configuration.profile import ScoringProfile, parse_profile
from steelyard.configuration.task import FieldMetric, MetricEntry, ScorerEntry, Task, parse_task
from steelyard.errors import ConfigurationError, Problem, UsageError
from steelyard.pipeline.datasets import data_path
from steelyard.pipeline.items.row_values import (
    extracted_reference,
    predicted_field,
    row_field,
    row_prediction,
    row_reference,
)
from steelyard.pipeline.judging.corpus import corpus_figures
from steelyard.pipeline.judging.items import Judgement
from steelyard.pipeline.options import EvaluateOptions
from steelyard.pipeline.preparation.format_rules import metric_signatures, task_rules, unavailable_metrics
from steelyard.pipeline.preparation.gold_sets import GoldSet, read_gold_set
from steelyard.reading.yaml_file import read_yaml
from steelyard.records.answers import ANSWER_TYPES, AnswerType
from steelyard.records.fields import FieldNames
from steelyard.records.items import Item
from steelyard.records.plans import CLASSIFICATION_METRICS, FORMAT_COMPLIANCE, ReportPlan
from steelyard.registry import Metric, Scorer, bind_metric, bind_scorer, direction_of, metrics
from steelyard.scoring.rules import FormatRules
from steelyard.scoring.seed_names import SEED_METRICS, is_part, primary_parameters

DEFAULT_SCORERS: dict[AnswerType, str] = {
    "choice": "choice@v1",
    "number": "number@v1",
    "list": "list@v1",
    "text": "text@v1",
    "reasoning": "reasoning@v1",
}
DEFAULT_METRICS: dict[str, tuple[str, ...]] = {
    "text": ("eval_loss", "perplexity", "f1", "exact_match"),
    "label": ("accuracy", "macro_f1", "confusion_matrix"),
    "choice": ("accuracy",),
}
"""Seed 001's default sets. Other answer types report their scorer's parts."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A task made ready: what to ask of every item and what to report over all of them."""

    task: Task
    folder: Path
    """What relative paths in the task are relative to."""
    judgements: tuple[Judgement, ...]
    metrics: tuple[Metric, ...]
    """Metrics of one item, computed beside the scorers."""
    classification: tuple[str, ...]
    field_names: FieldNames
    report: ReportPlan
    signatures: dict[str, Any]
    profile_file: Path | None = None
    corpus: tuple[Metric, ...] = ()
    """Metrics over the whole text, whose numbers per item are counted beside the scorers."""
    rules: FormatRules | None = None
    gold: GoldSet | None = None


def load_task(options: EvaluateOptions) -> tuple[Task, Path]:
    """Return the task of a file or of the command line alone, with the command line's overrides applied."""
    if options.task_file is not None:
        # Kept as it is read, with the place of each key, to which problems point.
        values: dict[str, Any] = read_yaml(options.task_file)
        folder = options.task_file.parent
    else:
        values, folder = dict(options.task or {"task": "evaluation"}), Path()
    overrides: dict[str, Any] = {
        "answer_type": options.answer_type,
        "extract": options.extract,
        "cluster_by": options.cluster_by,
        "metrics": list(options.metrics) if options.metrics is not None else None,
        "scorers": [options.scorer] if options.scorer else None,
    }
    values |= {key: value for key, value in overrides.items() if value is not None}
    if options.prediction_field is not None:
        values["fields"] = (values.get("fields") or {}) | {"prediction": options.prediction_field}
    if options.generation_seed is not None:
        values["generation"] = (values.get("generation") or {}) | {"seed": options.generation_seed}
    block: dict[str, Any] = {}
    if options.slice_by is not None:
        block["slice_by_tags"] = [list(entry) if isinstance(entry, tuple) else entry for entry in options.slice_by]
    if options.hard_examples is not None:
        block["hard_examples"] = options.hard_examples
    given = values.get("eval")
    if block and (given is None or isinstance(given, dict)):
        values["eval"] = (given or {}) | block
    return parse_task(values, file=str(options.task_file) if options.task_file else None), folder


def prepare(options: EvaluateOptions) -> Prepared:
    """Check everything that can be checked before the first row is read."""
    task, folder = load_task(options)
    profile_file = _profile_file(task, folder, options)
    profile = parse_profile(read_yaml(profile_file), file=str(profile_file)) if profile_file else None
    names = FieldNames(**task.fields.model_dump())
    extraction = after_prompt(parse_extraction(task.extract), prompt_text(task, folder))
    judgements = _judgements(task, profile, names, extraction)
    requested = _requested_metrics(task, profile)
    item_metrics = tuple(metric for metric in requested if metric.definition.kind == "item")
    corpus = tuple(metric for metric in requested if metric.definition.kind == "corpus")
    classification = _classification(task, requested)
    rules = task_rules(task)
    report = _report(task, judgements, requested, classification, rules)
    signatures = {
        "scorers": [scorer.signature for judgement in judgements for scorer in judgement.scorers.values()],
        "metrics": metric_signatures(requested, rules),
        "canonical": [
            canonical_signature(answer_type, judgement.extraction)
            for judgement in judgements
            for answer_type in judgement.scorers
        ]
        + ([f"reference|{parse_extraction(task.extract_reference).signature}"] if task.extract_reference else []),
    }
    return Prepared(
        task=task,
        folder=folder,
        judgements=judgements,
        metrics=item_metrics,
        classification=classification,
        field_names=names,
        report=report,
        signatures=signatures,
        profile_file=profile_file,
        corpus=corpus,
        rules=rules,
        gold=read_gold_set(folder / task.eval.gold_set, names) if task.eval.gold_set is not None else None,
    )


def _profile_file(task: Task, folder: Path, options: EvaluateOptions) -> Path | None:
    if options.profile:
        return Path(options.profile)
    return folder / task.scoring_profile if task.scoring_profile else None


def prompt_text(task: Task, folder: Path) -> str | None:
    """Return the task's prompt, from the task or from its file; None without one."""
    if task.prompt_file is None:
        return task.prompt
    path = folder / task.prompt_file
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        message = f"the prompt file cannot be read: {error}"
        raise ConfigurationError(Problem("missing-file", message, file=str(path))) from None


def _judgements(
    task: Task, profile: ScoringProfile | None, names: FieldNames, extraction: Extraction
) -> tuple[Judgement, ...]:
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
        return tuple(_field_judgement(task, entry, profile, primary=entry is fields[0]) for entry in fields)
    if task.scorers:
        scorers = [_bind(entry, task, profile) for entry in task.scorers]
        return tuple(_judgement(task, scorer, extraction, names) for scorer in scorers)
    if task.answer_type == "mixed":
        bound = {kind: _default_scorer(kind, task, profile) for kind in ANSWER_TYPES}
        return (_with_fields(task, "score", bound, None, extraction, names),)
    kind: AnswerType = "choice" if task.answer_type == "label" else task.answer_type
    return (_judgement(task, _default_scorer(kind, task, profile), extraction, names),)


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
        prediction=lambda fields: row_prediction(fields, names),
        reference=lambda fields: extracted_reference(row_reference(fields, names), from_reference),
        extracts_reference=from_reference.kind != "none",
        choices=task.choices,
        choices_of=_row_choices(names.choices, task.choices) if names.choices else None,
    )


def _row_choices(field: str, default: tuple[str, ...]) -> Callable[[Item], tuple[str, ...]]:
    def choices(item: Item) -> tuple[str, ...]:
        try:
            found = row_field(item.fields, field)
        except KeyError:
            return default
        return tuple(str(entry) for entry in found) if isinstance(found, list) else default

    return choices


def _field_judgement(task: Task, entry: FieldMetric, profile: ScoringProfile | None, *, primary: bool) -> Judgement:
    """Return seed 003's `{type, pred_field, label_field}` as a judgement over two fields of the row.

    The primary score of a reasoning is its final answer, so a type that means a part of it is then reported beside it.
    """
    if entry.type not in SEED_METRICS:
        known = ", ".join(SEED_METRICS)
        raise ConfigurationError(
            Problem(code="unknown-name", message=f"there is no metric type {entry.type!r}; there are {known}")
        )
    meaning = SEED_METRICS[entry.type]
    scorer = _with_task_parameters(bind_scorer(meaning.scorer, entry.parameters), task, profile)
    metric = "final_answer" if primary and meaning.sub_score else entry.type
    return Judgement(
        name=entry.name or f"{metric}.{entry.label_field.removeprefix('gt_')}",
        scorers={meaning.answer_type: scorer},
        answer_type=meaning.answer_type,
        extraction=parse_extraction(None),
        prediction=lambda fields: predicted_field(fields, entry.pred_field),
        reference=lambda fields: row_field(fields, entry.label_field),
        choices=task.choices,
        part=None if primary else meaning.sub_score,
    )


def _requested_metrics(task: Task, profile: ScoringProfile | None) -> tuple[Metric, ...]:
    if task.metrics is None:
        wanted = profile.scorers.get(task.answer_type) if profile and task.answer_type in ANSWER_TYPES else None
        listed: Sequence[Any] = (
            wanted.metrics if wanted and wanted.metrics else DEFAULT_METRICS.get(task.answer_type, ())
        )
        if task.scorers and task.answer_type not in ("label", "text"):
            listed = ()
    else:
        listed = [entry for entry in task.metrics if not isinstance(entry, FieldMetric)]
    metrics = [
        bind_metric(entry.name, entry.parameters) if isinstance(entry, MetricEntry) else bind_metric(entry)
        for entry in listed
        if not _reported_anyway(entry, task)
    ]
    repeated = {metric.name for metric in metrics if sum(other.name == metric.name for other in metrics) > 1}
    if repeated:
        raise ConfigurationError(
            Problem(code="bad-configuration", message=f"metrics are listed twice: {', '.join(sorted(repeated))}")
        )
    return tuple(metrics)


def _reported_anyway(entry: str | MetricEntry, task: Task) -> bool:
    """Return whether a name means a sub-score of the task's scorer (`mae`, `numeric_error`) and no metric."""
    kind = next((kind for kind in ANSWER_TYPES if kind == task.answer_type), None)
    if kind is None or not isinstance(entry, str) or entry in {metric.name for metric in metrics()}:
        return False
    return is_part(entry, kind, bind_scorer(DEFAULT_SCORERS[kind]).definition.sub_scores)


def _classification(task: Task, metrics: Sequence[Metric]) -> tuple[str, ...]:
    names = tuple(metric.name for metric in metrics if metric.definition.kind == "classification")
    if names and task.answer_type not in ("label", "choice"):
        raise ConfigurationError(
            Problem(
                code="bad-configuration",
                message=f"{names[0]} is a classification metric, and the task's answer_type is {task.answer_type}",
                hint="set answer_type: label",
            )
        )
    return tuple(name for name in CLASSIFICATION_METRICS if name in names)


def _report(
    task: Task,
    judgements: Sequence[Judgement],
    requested: Sequence[Metric],
    classification: tuple[str, ...],
    rules: FormatRules | None,
) -> ReportPlan:
    primary = judgements[0].name
    item_metrics = [metric.name for metric in requested if metric.definition.kind == "item"]
    compliance = [FORMAT_COMPLIANCE] if rules is not None else []
    names = list(dict.fromkeys([*item_metrics, *compliance, *_part_names(judgements)]))
    corpus = corpus_figures([metric for metric in requested if metric.definition.kind == "corpus"])
    hard_by = "f1" if task.answer_type == "text" and not task.scorers and "f1" in names else ""
    slices = [entry if isinstance(entry, tuple) else (entry,) for entry in task.eval.slice_by_tags]
    return ReportPlan(
        primary=primary,
        metrics=tuple(names),
        directions={name: direction_of(name) for name in (*names, *corpus)}
        | {judgement.name: "higher" for judgement in judgements[1:]},
        classification=classification,
        choices=task.choices,
        slice_by=tuple(slices),
        hard_examples=task.eval.hard_examples,
        hard_by="confidence" if task.answer_type == "label" else hard_by,
        corpus=corpus,
        rules=rules.names if rules is not None else (),
        losses=any(metric.definition.kind == "loss" for metric in requested),
        unavailable=unavailable_metrics(task, requested),
        clustered=task.cluster_by is not None,
    )


def _part_names(judgements: Sequence[Judgement]) -> list[str]:
    first, *others = judgements
    names = [name for scorer in first.scorers.values() for name in scorer.definition.sub_scores]
    for judgement in others:
        names.append(judgement.name)
        parts = [name for scorer in judgement.scorers.values() for name in scorer.definition.sub_scores]
        names += [f"{judgement.name}.{part}" for part in parts]
    return names


def resolve(prepared: Prepared, given: str | None, from_task: str | None, what: str) -> Path | None:
    """Return a path or dataset from the command line (relative to here) or from the task (relative to its file)."""
    if given is not None:
        return data_path(given)
    if from_task is not None:
        return data_path(from_task, prepared.folder)
    if what == "dataset":
        raise UsageError(
            Problem(code="usage", message="no dataset was given", hint="name one in the task file or with --dataset")
        )
    return None
