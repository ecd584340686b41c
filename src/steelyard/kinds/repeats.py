"""One evaluation made several times, each repeat a run of its own, and what they say together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from steelyard.comparison.pairing import listed_ids, own_clusters
from steelyard.comparison.repeated import RepeatedColumns
from steelyard.comparison.repeats import LISTED_FLAKY, repeat_report
from steelyard.configuration.task import Task
from steelyard.errors import Problem, UsageError
from steelyard.kinds.task.order import evaluate
from steelyard.records.plans import SEPARATOR
from steelyard.records.runs import ITEMS_FILE, REPEATS_FILE
from steelyard.registry import Metric
from steelyard.runs.recording import FinishedRun
from steelyard.runs.sealing import seal_derived
from steelyard.runs.stored import fewest_repeats
from steelyard.scoring.metrics_repeats import tied
from steelyard.stats.paired import compare_pairs
from steelyard.store.columns import StoredColumns
from steelyard.store.files import json_bytes, write_bytes
from steelyard.tasks.loading import EvaluateOptions, load_task
from steelyard.tasks.metrics import requested_metrics

PLACE = "{repeat}"
"""Stands for the number of the repeat in the path of stored predictions."""


@dataclass(frozen=True, slots=True)
class Repeated:
    """A run, its repeats, and the report over all of them."""

    first: FinishedRun
    others: tuple[FinishedRun, ...]
    report: dict[str, Any]


def evaluate_repeats(
    options: EvaluateOptions, repeats: int, *, run: Callable[[EvaluateOptions], FinishedRun] = evaluate
) -> Repeated:
    """Evaluate `repeats` times: `NAME`, `NAME.r2`, `NAME.r3`; each generation has a seed of its own and no cache."""
    if repeats < 2:
        raise UsageError(Problem("usage", f"--repeats is {repeats}, expected 2 or more"))
    task, _ = load_task(options)
    seed = _check_repeatable(options, task)
    metrics = _over_repeats(task, repeats)
    first = run(_repeat(options, 1, seed, options.name))
    others = tuple(
        run(_repeat(options, number, seed, f"{first.path.name}.r{number}")) for number in range(2, repeats + 1)
    )
    report = _report([first, *others], metrics)
    write_bytes(first.path / REPEATS_FILE, json_bytes(report))
    seal_derived(first.path)
    return Repeated(first, others, report)


def _over_repeats(task: Task, repeats: int) -> list[Metric]:
    """Return the metrics over repeats that a task names; there must be as many repeats as they take."""
    named = requested_metrics(task, None) if task.metrics is not None else ()
    found = [metric for metric in named if metric.definition.kind == "repeats"]
    for metric in found:
        if fewest_repeats(metric) > repeats:
            message = f"{metric.name} takes {fewest_repeats(metric)} repeats of each item, and --repeats is {repeats}"
            raise UsageError(Problem("usage", message, hint=f"--repeats {fewest_repeats(metric)}"))
    return found


def _report(evaluations: Sequence[FinishedRun], metrics: Sequence[Metric]) -> dict[str, Any]:
    """Return what repeats say together, and which runs they are."""
    first = evaluations[0]
    columns = RepeatedColumns([_columns(one) for one in evaluations])
    keys = [key for key in first.results.get("slices", {}) if {*key.split(SEPARATOR)} <= {*columns.tag_keys}]
    return {
        "scorers": first.run.signatures.get("scorers"),
        "runs": [
            {"name": one.path.name, "run_id": one.run.run_id, "fingerprint": one.run.fingerprint} for one in evaluations
        ],
        **repeat_report(columns.members, keys),
        "over_repeats": {metric.name: _over_items(metric, columns) for metric in metrics},
    }


def _over_items(metric: Metric, columns: RepeatedColumns) -> dict[str, Any]:
    """Return a metric over repeats: the mean of what it gives for each item, with its interval."""
    assert metric.definition.function is not None
    outcomes = columns.outcomes()
    values: Any = metric.definition.function(outcomes, **metric.parameters)
    # From the middle of the scale no value is further than half of it.
    ends = compare_pairs(np.full(len(values), 0.5), values, kind="bounded", reach=0.5, clusters=own_clusters(columns))
    assert ends.ci_low is not None
    assert ends.ci_high is not None
    found = {
        "signature": metric.signature,
        "value": float(values.mean()),
        "ci_low": 0.5 + ends.ci_low,
        "ci_high": 0.5 + ends.ci_high,
        "level": ends.level,
        "method": ends.method,
        "n": len(values),
    }
    if metric.definition.name != "majority":
        return found
    places = np.flatnonzero(tied(outcomes))
    return found | {"n_tied": len(places), "tied": list(listed_ids(columns, places[:LISTED_FLAKY]))}


def _check_repeatable(options: EvaluateOptions, task: Task) -> int:
    """Return the seed of the first repeat; stored predictions must name a file for each."""
    predictions = options.predictions or task.predictions
    model = options.model or (None if options.predictions else task.model)
    if model is None and (predictions is None or PLACE not in predictions):
        message = "stored predictions say the same every time, so there is nothing to repeat"
        hint = f"give --model, or one file for each repeat: --predictions 'answers-{PLACE}.jsonl'"
        raise UsageError(Problem("usage", message, hint=hint))
    return int(task.generation.get("seed", 0))


def _repeat(options: EvaluateOptions, number: int, seed: int, name: str | None) -> EvaluateOptions:
    predictions = options.predictions
    options = replace(options, started_as="run" if number == 1 else "repeat")
    if predictions is not None:
        return replace(options, predictions=predictions.replace(PLACE, str(number)), name=name)
    return replace(options, generation_seed=seed + number - 1, cache=False, name=name)


def _columns(evaluation: FinishedRun) -> StoredColumns:
    return StoredColumns(evaluation.path / ITEMS_FILE, primary=str(evaluation.run.primary_metric))
