"""From a task and its overrides to everything an evaluation needs: judgements, metrics, the report asked for.

Before it the gold set.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steelyard.canonical.extraction import after_prompt, parse_extraction
from steelyard.canonical.predictions import canonical_signature
from steelyard.configuration.profile import parse_profile
from steelyard.configuration.task import Task
from steelyard.datasets.paths import data_path
from steelyard.errors import ConfigurationError, Problem, Problems, UsageError
from steelyard.items.named_fields import NamedFields
from steelyard.judging.items import Judgement
from steelyard.reading.limits import Limits
from steelyard.reading.references import item_id
from steelyard.reading.rows import Row, read_rows
from steelyard.reading.yaml_file import read_yaml
from steelyard.records.items import FieldNames
from steelyard.records.plans import ReportPlan
from steelyard.registry import Metric, bind_metric, keeping
from steelyard.scoring.gold import size_warning
from steelyard.scoring.rules import FormatRules
from steelyard.tasks.fields import gold_fields
from steelyard.tasks.judgements import refuse_without_labels, task_judgements
from steelyard.tasks.loading import EvaluateOptions, load_task, prompt_text
from steelyard.tasks.metrics import (
    classification_metrics,
    metric_signatures,
    report_plan,
    requested_metrics,
    task_rules,
)

# The gold set that a task names: a small curated file with unambiguous expected outputs (seed 001).


METRIC = "gold_set_accuracy"


class GoldSetWarning(UserWarning):
    """A gold set is smaller or larger than seed 001 asks for."""


@dataclass(frozen=True, slots=True)
class GoldSet:
    """The gold set of a task."""

    path: Path
    metric: Metric
    ids: frozenset[str]
    """Ids of its items; predictions for them are not predictions for unknown items."""


def read_gold_set(path: Path, task: Task, names: FieldNames) -> GoldSet:
    """Return a gold set, or raise all that is wrong with its rows; a size other than seed 001's gets a warning."""
    problems, named = Problems(), NamedFields(gold_fields(task))
    ids = frozenset(_ids(read_rows(path, problems), names, named))
    problems.raise_if_any()
    if named.unseen:
        raise ConfigurationError(named.problems(path, Limits()))
    warning = size_warning(len(ids))
    if warning is not None:
        warnings.warn(warning, GoldSetWarning, stacklevel=2)
    return GoldSet(path, bind_metric(METRIC), ids)


def _ids(rows: Iterator[Row], names: FieldNames, named: NamedFields) -> Iterator[str]:
    for row in rows:
        named.see(row.fields)
        found = item_id(row.fields, names)
        if found is not None:
            yield found


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


def prepare(options: EvaluateOptions, *, judged_by: Sequence[str] = ()) -> Prepared:
    """Check everything that can be checked before the first row is read.

    `judged_by` has the signatures by which a run was judged: names without a version mean theirs, else the newest.
    """
    task, folder = load_task(options)
    profile_file = _profile_file(task, folder, options)
    profile = parse_profile(read_yaml(profile_file), file=str(profile_file)) if profile_file else None
    names = FieldNames(**task.fields.model_dump())
    extraction = after_prompt(parse_extraction(task.extract), prompt_text(task, folder))
    with keeping(judged_by):
        judgements = task_judgements(task, profile, names, extraction)
        requested = requested_metrics(task, profile)
    classification = classification_metrics(task, requested)
    if classification:
        refuse_without_labels(judgements[0], classification[0])
    rules = task_rules(task)
    return Prepared(
        task=task,
        folder=folder,
        judgements=judgements,
        metrics=_of_kind(requested, "item"),
        classification=classification,
        field_names=names,
        report=report_plan(task, judgements, requested, classification, rules),
        signatures={
            "scorers": [scorer.signature for judgement in judgements for scorer in judgement.scorers.values()],
            "metrics": metric_signatures(requested, rules),
            "canonical": _canonical_signatures(task, judgements),
        },
        profile_file=profile_file,
        corpus=_of_kind(requested, "corpus"),
        rules=rules,
        gold=read_gold_set(data_path(task.eval.gold_set, folder), task, names)
        if task.eval.gold_set is not None
        else None,
    )


def _profile_file(task: Task, folder: Path, options: EvaluateOptions) -> Path | None:
    if options.profile:
        return Path(options.profile)
    return folder / task.scoring_profile if task.scoring_profile else None


def _of_kind(metrics: Sequence[Metric], kind: str) -> tuple[Metric, ...]:
    return tuple(metric for metric in metrics if metric.definition.kind == kind)


def _canonical_signatures(task: Task, judgements: Sequence[Judgement]) -> list[str]:
    """Return how both sides become answers: predictions by judgement and answer type, then references."""
    signatures = [
        canonical_signature(answer_type, judgement.extraction)
        for judgement in judgements
        for answer_type in judgement.scorers
    ]
    if task.extract_reference:
        signatures.append(f"reference|{parse_extraction(task.extract_reference).signature}")
    return signatures


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
