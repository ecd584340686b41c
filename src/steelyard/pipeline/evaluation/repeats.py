"""One evaluation made several times, each repeat a run of its own, and what they say together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from steelyard.comparison.repeats import repeat_report
from steelyard.errors import Problem, UsageError
from steelyard.pipeline.evaluation.order import evaluate
from steelyard.pipeline.options import EvaluateOptions
from steelyard.pipeline.preparation.loading import load_task
from steelyard.pipeline.recording.run import Evaluation
from steelyard.pipeline.recording.sealing import seal_derived
from steelyard.records.runs import ITEMS_FILE, REPEATS_FILE
from steelyard.store.columns import StoredColumns
from steelyard.store.files import json_bytes, write_bytes

PLACE = "{repeat}"
"""Stands for the number of the repeat in the path of stored predictions."""


@dataclass(frozen=True, slots=True)
class Repeated:
    """A run, its repeats, and the report over all of them."""

    first: Evaluation
    others: tuple[Evaluation, ...]
    report: dict[str, Any]


def evaluate_repeats(
    options: EvaluateOptions, repeats: int, *, run: Callable[[EvaluateOptions], Evaluation] = evaluate
) -> Repeated:
    """Evaluate `repeats` times: `NAME`, `NAME.r2`, `NAME.r3`; each generation has a seed of its own and no cache."""
    if repeats < 2:
        raise UsageError(Problem("usage", f"--repeats is {repeats}, expected 2 or more"))
    seed = _check_repeatable(options)
    first = run(_repeat(options, 1, seed, options.name))
    others = tuple(
        run(_repeat(options, number, seed, f"{first.path.name}.r{number}")) for number in range(2, repeats + 1)
    )
    report = {"scorers": first.run.signatures.get("scorers"), **repeat_report([_columns(e) for e in (first, *others)])}
    write_bytes(first.path / REPEATS_FILE, json_bytes(report))
    seal_derived(first.path)
    return Repeated(first, others, report)


def _check_repeatable(options: EvaluateOptions) -> int:
    """Return the seed of the first repeat; stored predictions must name a file for each."""
    task, _ = load_task(options)
    predictions = options.predictions or task.predictions
    model = options.model or (None if options.predictions else task.model)
    if model is None and (predictions is None or PLACE not in predictions):
        message = "stored predictions say the same every time, so there is nothing to repeat"
        hint = f"give --model, or one file for each repeat: --predictions 'answers-{PLACE}.jsonl'"
        raise UsageError(Problem("usage", message, hint=hint))
    return int(task.generation.get("seed", 0))


def _repeat(options: EvaluateOptions, number: int, seed: int, name: str | None) -> EvaluateOptions:
    predictions = options.predictions
    options = replace(options, kind="run" if number == 1 else "repeat")
    if predictions is not None:
        return replace(options, predictions=predictions.replace(PLACE, str(number)), name=name)
    return replace(options, generation_seed=seed + number - 1, cache=False, name=name)


def _columns(evaluation: Evaluation) -> StoredColumns:
    return StoredColumns(evaluation.path / ITEMS_FILE, primary=str(evaluation.run.primary_metric))
