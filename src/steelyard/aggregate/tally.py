"""Everything that is known of a group of items, be it all of them or a slice: one accumulator, which merges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from steelyard.aggregate.classification import Confusion, ConfusionTally, figures
from steelyard.aggregate.clusters import Clustered, ScatteredClusters, WholeClusters
from steelyard.aggregate.groups import Coded, Groups
from steelyard.aggregate.losses import Losses, loss_columns
from steelyard.aggregate.means import (
    NO_VALUE,
    MatrixStatistic,
    Mean,
    ResampledSums,
    columns,
    corpus_interval,
    detail,
    ends,
    id_hashes,
    matrix_interval,
)
from steelyard.records.blocks import Counts, Floats, Labels, ScoredBlock
from steelyard.records.plans import RULE_PREFIX, ReportPlan
from steelyard.records.scores import ValueKind
from steelyard.stats.rates import steady_effect

MATRIX_STATISTICS: tuple[MatrixStatistic, ...] = ("accuracy", "macro_f1", "weighted_f1")
Rows = npt.NDArray[np.intp]
ValuesAndCounts: TypeAlias = tuple[Floats, Counts]
"""Distinct numbers in ascending order, and how often each occurs."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """What is aggregated of a block."""

    length: int
    means: dict[str, Floats]
    classes: tuple[Labels, Labels] | None
    clusters: Labels | None
    counts: dict[str, Counts]
    losses: tuple[Floats, Floats] | None
    hashes: Counts
    coded: dict[str, Coded] = field(default_factory=dict)
    """The means of a large block that have few distinct values, as codes."""

    @classmethod
    def of(cls, block: ScoredBlock, plan: ReportPlan) -> Numbers:
        """Return what a plan asks of a block."""
        names = [*plan.metrics, *(RULE_PREFIX + name for name in plan.rules)]
        losses = loss_columns(block.details, len(block)) if plan.losses else None
        classes = (block.truth, block.guess) if block.truth is not None and block.guess is not None else None
        needs_hashes = bool(plan.corpus) or losses is not None
        means = columns(names, block.scores, len(block)) | {plan.primary: block.primary}
        columns_of = {id(values): values for values in means.values()}  # a scorer's part is often a metric too
        coded_by = {key: Coded.of(values) for key, values in columns_of.items()}
        coded = {name: found for name, values in means.items() if (found := coded_by[id(values)]) is not None}
        return cls(
            length=len(block),
            means=means,
            classes=classes if plan.classification else None,
            clusters=block.clusters if plan.clustered else None,
            counts={name: block.counts[name] for name in plan.corpus},
            losses=losses,
            hashes=id_hashes(_unit_names(block, plan)) if needs_hashes else np.zeros(len(block), np.int64),
            coded=coded,
        )

    def is_countable_by(self, groups: Groups) -> bool:
        """Return whether counts of values are all that is aggregated, so that no group needs its rows."""
        further = (self.classes, self.clusters, self.losses)
        if len(self.coded) < len(self.means) or self.counts or any(part is not None for part in further):
            return False
        return all(found.is_countable_by(groups) for found in self.coded.values())

    def by(self, groups: Groups) -> list[dict[str, ValuesAndCounts]]:
        """Return for each group how often each value of each number occurs."""
        distinct = {id(found): found for found in self.coded.values()}
        counts = {key: found.by(groups) for key, found in distinct.items()}
        return [
            {name: found.held(counts[id(found)][place]) for name, found in self.coded.items()}
            for place in range(len(groups.values))
        ]

    def take(self, rows: Rows) -> Numbers:
        """Return some of the items."""
        plain = [name for name in self.means if name not in self.coded or self.clusters is not None]
        return Numbers(
            length=len(rows),
            means={name: self.means[name][rows] for name in plain},
            classes=None if self.classes is None else (_taken(self.classes[0], rows), _taken(self.classes[1], rows)),
            clusters=None if self.clusters is None else _taken(self.clusters, rows),
            counts={name: counts[rows] for name, counts in self.counts.items()},
            losses=None if self.losses is None else (self.losses[0][rows], self.losses[1][rows]),
            hashes=self.hashes[rows],
            coded={name: found.take(rows) for name, found in self.coded.items()},
        )


def _unit_names(block: ScoredBlock, plan: ReportPlan) -> Sequence[str]:
    """Return what is drawn as a whole: an item's cluster where it has one, else the item."""
    clusters = block.clusters
    if not plan.clustered or clusters is None:
        return block.ids
    return [clusters.value(row) or name for row, name in enumerate(block.ids)]


def _defined(value: float) -> float | None:
    return None if np.isnan(value) else value


def _taken(labels: Labels, rows: Rows) -> Labels:
    return Labels(labels.names, labels.codes[rows])


def _clusters(plan: ReportPlan, kinds: dict[str, ValueKind]) -> Clustered:
    return WholeClusters(kinds) if plan.whole_clusters else ScatteredClusters(kinds)


class Tally:
    """Counts, means, confusion matrix, corpus sums and losses of a group of items."""

    def __init__(self, plan: ReportPlan, kinds: dict[str, ValueKind]) -> None:
        self.n = 0
        self.means = {name: Mean(kind) for name, kind in kinds.items()}
        self.confusion = ConfusionTally()
        self.clusters = _clusters(plan, kinds) if plan.clustered else None
        self.corpus = {
            name: ResampledSums(entry.width, clustered=plan.clustered) for name, entry in plan.corpus.items()
        }
        self.losses = Losses(clustered=plan.clustered)

    def update(self, numbers: Numbers) -> None:
        """Add items."""
        self.n += numbers.length
        for name, values in numbers.means.items():
            if name not in numbers.coded:
                self.means[name].update(values)
        for name, found in numbers.coded.items():
            self.means[name].add_counts(*found.counts())
        if numbers.classes is not None:
            self.confusion.update(*numbers.classes)
        if self.clusters is not None and numbers.clusters is not None:
            self.clusters.update(numbers.clusters, numbers.means)
        for name, sums in self.corpus.items():
            sums.update(numbers.hashes, numbers.counts[name])
        if numbers.losses is not None:
            self.losses.update(numbers.hashes, *numbers.losses)

    def count(self, length: int, counted: dict[str, ValuesAndCounts]) -> None:
        """Add items of which counts are all that is aggregated."""
        self.n += length
        for name, found in counted.items():
            self.means[name].add_counts(*found)

    def merge(self, other: Tally) -> None:
        """Add another part's items."""
        self.n += other.n
        for name, mean in other.means.items():
            self.means[name].merge(mean)
        self.confusion.merge(other.confusion)
        if self.clusters is not None and other.clusters is not None:
            self.clusters.merge(other.clusters)
        for name, sums in other.corpus.items():
            self.corpus[name].merge(sums)
        self.losses.merge(other.losses)

    def details(self, plan: ReportPlan) -> dict[str, dict[str, Any]]:
        """Return every metric that is one number: value, n, interval with its method, direction."""
        return {
            plan.primary: self.mean_detail(plan.primary, plan),
            **self._classified(plan),
            **{name: self.mean_detail(name, plan) for name in plan.metrics},
            **{name: self._corpus(name, plan) for name in plan.corpus},
            **(self.losses.details(rounds=plan.rounds, seed=plan.seed) if plan.losses else {}),
        }

    def mean_detail(self, name: str, plan: ReportPlan) -> dict[str, Any]:
        """Return the mean of one number."""
        mean = self.means[name]
        if self.clusters is None:
            interval = mean.interval(rounds=plan.rounds, seed=plan.seed)
        else:
            interval = self.clusters.interval(name, mean.kind, rounds=plan.rounds, seed=plan.seed)
        direction = "higher" if name == plan.primary else plan.directions.get(name)
        return detail(mean, interval, direction)

    def matrix(self, plan: ReportPlan) -> Confusion:
        """Return the confusion matrix."""
        return self.confusion.confusion(plan.choices)

    def figures(self, plan: ReportPlan) -> dict[str, Any]:
        """Return the classification metrics that were asked for, by class where they are."""
        return figures(self.matrix(plan), plan.classification) if plan.classification else {}

    def _effect(self, plan: ReportPlan) -> tuple[float, int] | None:
        """Return by how much clusters widen the variance of the primary score, and how many there are."""
        if self.clusters is None:
            return None
        units = self.clusters.counted(plan.primary).units()
        return None if (units.sizes == 1).all() else (steady_effect(units, self.means[plan.primary].squares), units.n)

    def _classified(self, plan: ReportPlan) -> dict[str, dict[str, Any]]:
        wanted = [name for name in MATRIX_STATISTICS if name in plan.classification]
        if not wanted:
            return {}
        matrix = self.matrix(plan)
        values, clusters = figures(matrix, wanted), self._effect(plan)
        found: dict[str, dict[str, Any]] = {}
        for name in wanted:
            interval = matrix_interval(matrix, name, values[name], plan, clusters)
            found[name] = {"value": values[name], "n": self.n, **ends(interval), "direction": "higher"}
        return found

    def _corpus(self, name: str, plan: ReportPlan) -> dict[str, Any]:
        sums, figure = self.corpus[name], plan.corpus[name].figure
        value = _defined(float(figure(sums.total.astype(np.float64)[None, :])[0])) if sums.n else None
        interval = corpus_interval(sums, plan.corpus[name], value, plan)
        found = {"value": value, "n": sums.n, **ends(interval), "direction": plan.directions.get(name)}
        return found | ({"reason": NO_VALUE} if value is None else {})
