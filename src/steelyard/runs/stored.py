"""A finished run opened for comparison: its record, its results, its configuration, its items as columns.

Opening checks that stored scores are what the items say; one that disagrees is refused.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.comparison.corpus import CorpusMeasure
from steelyard.comparison.means import MeanMeasure
from steelyard.comparison.measures import Measure, measure
from steelyard.errors import IncompleteError, InputError, Problem
from steelyard.records.comparisons import Figure
from steelyard.records.runs import (
    ITEMS_FILE,
    REPEATS_FILE,
    RESCORED_FILE,
    RESULTS_FILE,
    RUN_FILE,
    RepeatOutcomes,
    RunRecord,
)
from steelyard.records.scores import Direction
from steelyard.registry import Metric, bind_metric, direction_of, is_bounded, metric_definition
from steelyard.runs.artifacts import read_config
from steelyard.store.checking import damaged, read_content, read_results
from steelyard.store.columns import StoredColumns
from steelyard.store.directories import find_run, read_run
from steelyard.store.owners import Standing, standing

TOLERANCE = 1e-9
"""How far a stored score may be from the items' own; both are sums of the same numbers."""


@dataclass(frozen=True)
class StoredRun:
    """A completed run on disk."""

    label: str
    """What tables call it: its name, or its path where two runs share a name."""
    path: Path
    record: RunRecord

    @cached_property
    def results(self) -> dict[str, Any]:
        """The content of `eval/eval_results.json`."""
        return read_results(self.path)

    @cached_property
    def repeats(self) -> dict[str, Any] | None:
        """The content of `eval/repeats.json` where the run was repeated."""
        file = self.path / REPEATS_FILE
        return read_content(file, "repeats") if file.is_file() else None

    @cached_property
    def config(self) -> dict[str, Any]:
        """The effective configuration."""
        return read_config(self.path)

    @cached_property
    def judged_by(self) -> dict[str, Any]:
        """The configuration by which the run is judged today: its own, or the one that it was judged again by."""
        file = self.path / RESCORED_FILE
        if not file.is_file():
            return self.config
        found = read_content(file, "judgement").get("config")
        if not isinstance(found, dict):
            message = f"{self.label} was judged again by a version that did not keep by what"
            hint = "`steelyard rescore RUN --task TASK.yaml` judges it again and keeps it"
            raise InputError(Problem("run-damaged", message, hint=hint, file=str(file)))
        return found

    @property
    def primary(self) -> str:
        """The name of the primary metric."""
        return str(self.record.primary_metric)

    @cached_property
    def columns(self) -> StoredColumns:
        """The items."""
        labels = self.results.get("labels")
        return StoredColumns(self.path / ITEMS_FILE, primary=self.primary, labels=labels)

    @cached_property
    def metric_names(self) -> list[str]:
        """Every metric that is one number: those of the report, the primary first."""
        stored = self.results.get("metrics", {})
        names = [name for name, value in stored.items() if isinstance(value, int | float) or value is None]
        return list(dict.fromkeys([self.primary, *names]))

    def direction(self, metric: str) -> Direction | None:
        """Return which way a metric is better."""
        return "higher" if metric == self.primary else direction_of(metric)

    @property
    def members(self) -> tuple[StoredRun, ...]:
        """The runs whose files this one rests on: itself, and its further repeats."""
        return (self,)

    @property
    def outcomes(self) -> RepeatOutcomes | None:
        """What the repeats of each item gave; None without repeats."""
        return None

    def is_bounded(self, metric: str) -> bool:
        """Return whether every value of a metric lies in [0, 1], as far as that is known."""
        return metric == self.primary or bool(is_bounded(metric))

    def own_measure(self, metric: str) -> Measure | None:
        """Return a metric over this run alone; None where its items do not decide it."""
        return measured(metric, self, self)

    def figure(self, metric: str) -> Figure | None:
        """Return a metric over all items, computed from them; stored where items do not decide it; None if absent."""
        own = self.own_measure(metric)
        if own is not None:
            return own.figure(0)
        stored = self.results.get("metrics", {}).get(metric)
        n = self.results.get("metric_details", {}).get(metric, {}).get("n", len(self.columns))
        return Figure(n, float(stored)) if isinstance(stored, int | float) else None

    def undecided_by_items(self, names: Iterable[str]) -> list[str]:
        """Return those metrics that have a value and no single items that decide it: of a whole text, of a gold set."""
        stored = self.results.get("metrics", {})
        known = [name for name in names if isinstance(stored.get(name), int | float)]
        return [name for name in known if self.own_measure(name) is None]

    def verify(self, names: Iterable[str]) -> None:
        """Raise where a stored score is not what the items say."""
        items = self.columns.path
        if len(self.columns) == 0:
            raise damaged(items, "the run has no items, and a verdict over nothing says nothing")
        if len(self.columns) != self.record.counts.get("n_items"):
            message = f"there are {len(self.columns)} items, and {RUN_FILE} says {self.record.counts.get('n_items')}"
            raise damaged(items, message)
        stored = self.results.get("metrics", {})
        self._check(self.primary, self.record.primary_score, RUN_FILE)
        self._check(self.primary, self.results["scorecard"]["primary_score"], RESULTS_FILE)
        for name in names:
            if isinstance(stored.get(name), int | float):
                self._check(name, stored[name], RESULTS_FILE)

    def _check(self, metric: str, stored: float | None, file: str) -> None:
        own = self.own_measure(metric)
        found = own.figure(0).value if own is not None else stored
        if not agree(found, stored):
            message = f"{file} says that {metric} is {stored}, and the items give {found}"
            raise damaged(self.path / file, message)


def measured(metric: str, baseline: StoredRun, candidate: StoredRun) -> Measure | None:
    """Return a metric over two runs; None where it is not decided by numbers of single items."""
    definition = None if metric == candidate.primary else metric_definition(metric)
    match definition.kind if definition is not None else "":
        case "corpus":
            return _corpus_measure(metric, baseline, candidate)
        case "repeats":
            return _repeats_measure(metric, baseline, candidate)
        case "gold":
            return None
        case _:
            return measure(metric, candidate.direction(metric), baseline.columns, candidate.columns)


def _repeats_measure(metric: str, baseline: StoredRun, candidate: StoredRun) -> Measure | None:
    """Return a metric over the repeats of each item; None where a run has not as many as it takes."""
    bound = _bound(metric, candidate)
    function = bound.definition.function
    sides = [run.outcomes for run in (baseline, candidate)]
    assert function is not None
    if any(side is None or side.repeats < fewest_repeats(bound) for side in sides):
        return None
    before, after = (np.asarray(function(side, **bound.parameters), np.float64) for side in sides)
    return MeanMeasure(before, after, bound.definition.direction, "bounded")


def fewest_repeats(metric: Metric) -> int:
    """Return how many repeats of each item a metric over repeats takes."""
    default = metric.definition.parameters.get("k")
    asked = metric.parameters.get("k", None if default is None else default.default)
    return max(2, asked) if isinstance(asked, int) else 2


def _corpus_measure(metric: str, baseline: StoredRun, candidate: StoredRun) -> CorpusMeasure | None:
    """Return a figure over the whole text; None where a run was stored without its items' numbers."""
    counts = baseline.columns.counts(metric), candidate.columns.counts(metric)
    if counts[0] is None or counts[1] is None or counts[0].shape[1] != counts[1].shape[1]:
        return None
    bound = _bound(metric, candidate)
    figures: Any = partial(bound.definition.function, **bound.parameters) if bound.definition.function else None
    # Counts of as many repeats on both sides: which side a count stands on is exchanged at random.
    repeats = baseline.columns.repeats, candidate.columns.repeats
    common = math.lcm(*repeats)
    first, second = counts[0] * (common // repeats[0]), counts[1] * (common // repeats[1])
    return CorpusMeasure(first, second, figures, candidate.direction(metric))


def _bound(metric: str, run: StoredRun) -> Metric:
    """Return a metric with the parameters that a run's configuration gives it."""
    for entry in run.config.get("metrics") or []:
        if isinstance(entry, dict) and str(entry.get("name")).split("@")[0] == metric:
            parameters = {name: value for name, value in entry.items() if name != "name"}
            return bind_metric(str(entry["name"]), parameters)
    return bind_metric(metric)


def agree(found: float | None, stored: float | None) -> bool:
    """Return whether two figures are the same up to rounding; null agrees with null alone."""
    if found is None or stored is None:
        return found is stored
    return math.isclose(found, stored, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


class UnfinishedError(IncompleteError):
    """A run that has no results that count: still under way, over its budget, or crashed."""

    def __init__(self, path: Path, record: RunRecord | None, standing: Standing) -> None:
        self.path, self.record, self.standing = path, record, standing
        self.name = path.name if record is None else record.name
        status = "begun" if record is None else record.status
        message = f"{self.name} is {status}, expected a completed run: it {STANDINGS[standing]}"
        super().__init__(Problem("run-incomplete", message, hint=HINTS[standing], file=str(path)))


STANDINGS: dict[Standing, str] = {
    "crashed": "crashed, for its process ended before every item had a state, and counts as 0.0",
    "running": "is still running, and not every item has a state yet",
    "over_budget": "has more items without an answer than its error budget allows",
    "decided": "stopped asking when its verdict was certain",
    "completed": "is complete",
}
HINTS: dict[Standing, str] = {
    "crashed": "finish it with --resume, or run the same command again; for a training, `steelyard train --resume RUN`",
    "running": "wait for it",
    "over_budget": "--resume --retry-failed asks the failed items again; --resume --error-budget N accepts them",
    "decided": "gate it with the baseline and the policy that it was decided by, or --resume --all",
    "completed": "",
}


def open_run(runs_dir: Path, name: str | Path, *, label: str | None = None) -> StoredRun:
    """Return a completed run by its directory, its name or its id."""
    path = find_run(runs_dir, name)
    if not (path / RUN_FILE).exists():
        # It was counted and died before it wrote anything.
        raise UnfinishedError(path, None, standing(path, "running"))
    record = read_run(path)
    found = standing(path, record.status)
    if found == "crashed" and (again := read_run(path)).status != record.status:
        # It was finished, and let go of, between our reading what it says and our looking for its owner.
        record, found = again, standing(path, again.status)
    if found != "completed":
        raise UnfinishedError(path, record, found)
    return StoredRun(label or record.name, path, record)


def open_runs(runs_dir: Path, names: Iterable[str | Path]) -> list[StoredRun]:
    """Return completed runs, each under a label of its own."""
    found = [open_run(runs_dir, name) for name in names]
    labels: list[str] = []
    for run in found:
        shared = any(other.record.name == run.record.name and other.path != run.path for other in found)
        label = str(run.path) if shared else run.record.name
        count = sum(existing == label or existing.startswith(f"{label}#") for existing in labels)
        labels.append(f"{label}#{count + 1}" if count else label)
    return [StoredRun(label, run.path, run.record) for label, run in zip(labels, found, strict=True)]
