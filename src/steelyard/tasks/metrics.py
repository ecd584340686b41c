"""What a task reports over all its items: its metrics, the parts of its scorers, slices and hard examples.

Before it the format rules of a task.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from steelyard.configuration.profile import ScoringProfile
from steelyard.configuration.task import FieldMetric, MetricEntry, Task
from steelyard.errors import ConfigurationError, Problem
from steelyard.judging.corpus import corpus_figures
from steelyard.judging.items import Judgement
from steelyard.records.answers import ANSWER_TYPES
from steelyard.records.plans import CLASSIFICATION_METRICS, FORMAT_COMPLIANCE, NO_CLUSTERS, ReportPlan, Rule
from steelyard.records.scores import ValueKind
from steelyard.registry import Metric, bind_metric, bind_scorer, direction_of, metric_definition
from steelyard.scoring.rules import FormatRules
from steelyard.scoring.seed_names import is_part
from steelyard.tasks.judgements import DEFAULT_SCORERS

# Format rules and the metrics that a task may ask for without having what they need.


WITHOUT_RULES = "the task has no `eval.format_rules`"
WITHOUT_GOLD_SET = "the task has no `eval.gold_set`"
OVER_REPEATS = "it is over the repeats of an item: `--repeats N` makes them, and eval/repeats.json has it"
OF_RESEARCH = "it is of research artifacts: `steelyard research` computes it"


def task_rules(task: Task) -> FormatRules | None:
    """Return the format rules of a task; None where it has none."""
    if not task.eval.format_rules:
        return None
    return FormatRules([Rule(**rule.model_dump()) for rule in task.eval.format_rules])


def metric_signatures(requested: Sequence[Metric], rules: FormatRules | None) -> list[str]:
    """Return the signatures of what is reported; that of format compliance covers the rules themselves."""
    listed = [metric.signature for metric in requested if metric.name != FORMAT_COMPLIANCE]
    return listed + ([rules.signature] if rules is not None else [])


def unavailable_metrics(task: Task, requested: Sequence[Metric]) -> dict[str, str]:
    """Return why metrics that were asked for by name cannot be computed."""
    kinds = {metric.definition.kind: metric.name for metric in requested}
    found = {}
    if "rules" in kinds and not task.eval.format_rules:
        found[kinds["rules"]] = WITHOUT_RULES
    if "gold" in kinds and task.eval.gold_set is None:
        found[kinds["gold"]] = WITHOUT_GOLD_SET
    found |= {metric.name: OVER_REPEATS for metric in requested if metric.definition.kind == "repeats"}
    return found | {metric.name: OF_RESEARCH for metric in requested if metric.definition.kind == "research"}


DEFAULT_METRICS: dict[str, tuple[str, ...]] = {
    "text": ("eval_loss", "perplexity", "f1", "exact_match"),
    "label": ("accuracy", "macro_f1", "confusion_matrix"),
    "choice": ("accuracy",),
}
"""Seed 001's default sets. Other answer types report their scorer's parts."""


def requested_metrics(task: Task, profile: ScoringProfile | None) -> tuple[Metric, ...]:
    """Return the metrics that the task names, else its profile's, else those of its answer type."""
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
    if kind is None or not isinstance(entry, str) or metric_definition(entry) is not None:
        return False
    return is_part(entry, kind, bind_scorer(DEFAULT_SCORERS[kind]).definition.sub_scores)


def classification_metrics(task: Task, metrics: Sequence[Metric]) -> tuple[str, ...]:
    """Return the names of the classification metrics, in the order of reports."""
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


def report_plan(
    task: Task,
    judgements: Sequence[Judgement],
    requested: Sequence[Metric],
    classification: tuple[str, ...],
    rules: FormatRules | None,
) -> ReportPlan:
    """Return what is reported over all items."""
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
        values={judgement.name: _values(judgement) for judgement in judgements},
        classification=classification,
        choices=task.choices,
        slice_by=tuple(slices),
        hard_examples=task.eval.hard_examples,
        hard_by="confidence" if task.answer_type == "label" else hard_by,
        corpus=corpus,
        rules=rules.names if rules is not None else (),
        losses=any(metric.definition.kind == "loss" for metric in requested),
        unavailable=unavailable_metrics(task, requested),
        clustered=task.cluster_by not in (None, NO_CLUSTERS),
    )


def _values(judgement: Judgement) -> ValueKind:
    """Return what scores a judgement can give: 0 and 1 only where every one of its scorers does."""
    kinds = {scorer.definition.values for scorer in judgement.scorers.values()}
    return "rate" if kinds == {"rate"} else "bounded"


def _part_names(judgements: Sequence[Judgement]) -> list[str]:
    first, *others = judgements
    names = [name for scorer in first.scorers.values() for name in scorer.definition.sub_scores]
    for judgement in others:
        names.append(judgement.name)
        parts = [name for scorer in judgement.scorers.values() for name in scorer.definition.sub_scores]
        names += [f"{judgement.name}.{part}" for part in parts]
    return names
