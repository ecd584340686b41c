"""Means of per-item numbers with their intervals; all of it merges.

Beside them: sums that are drawn again, and intervals of figures that are no means of items.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from steelyard.aggregate.classification import Confusion
from steelyard.records.blocks import Counts, Floats
from steelyard.records.plans import CorpusFigure, ReportPlan
from steelyard.records.scores import ValueKind
from steelyard.stats.binning import ValueCounts, Values
from steelyard.stats.intervals import BOOTSTRAP, Interval, wilson
from steelyard.stats.means import clustered_interval
from steelyard.stats.rates import effective_rate
from steelyard.stats.resampling import Units

NO_VALUE = "no item has a value for it"


class Mean:
    """The mean of one number over items. What values it can have says how it is kept, and how its interval is made."""

    def __init__(self, kind: ValueKind) -> None:
        self.kind = kind
        self.values: Values = ValueCounts() if within_one(kind) else Values()

    def update(self, values: Floats) -> None:
        """Add values; NaN is null and does not count."""
        missing = np.isnan(values)
        self.values.update(values[~missing] if missing.any() else values)

    def add_counts(self, values: Floats, counts: Counts) -> None:
        """Add distinct values in ascending order, each as often as its count says."""
        self.values.add_counts(values, counts)

    def merge(self, other: Mean) -> None:
        """Add another mean's values."""
        if self.kind != other.kind:
            raise TypeError(f"a number that is {self.kind} and one that is {other.kind} do not merge")
        self.values.merge(other.values)

    @property
    def squares(self) -> float:
        """The sum of the squared distances of scores from their mean."""
        assert isinstance(self.values, ValueCounts)
        return self.values.n * (self.values.population_stddev or 0.0) ** 2

    def interval(self, *, rounds: int, seed: int) -> Interval:
        """Return the interval of the mean of independent items."""
        return self.values.interval(self.kind, rounds=rounds, seed=seed)


def within_one(kind: ValueKind) -> bool:
    """Return whether every value of a kind lies in [0, 1]."""
    return kind in ("rate", "bounded")


def detail(mean: Mean, interval: Interval, direction: str | None) -> dict[str, Any]:
    """Return a metric as the results file has it: value, n, interval, method, direction."""
    found = {"value": mean.values.mean, "n": mean.values.n, **ends(interval), "direction": direction}
    return found | ({"reason": NO_VALUE} if found["value"] is None else {})


def ends(interval: Interval) -> dict[str, Any]:
    """Return an interval's ends with its level and the name of its method; where there are none, the reason."""
    found: dict[str, Any] = {"ci_low": interval.low, "ci_high": interval.high}
    found |= {"level": interval.level, "method": interval.method}
    return found | ({"ci_reason": interval.reason} if interval.low is None and interval.reason else {})


def columns(names: Sequence[str], scores: dict[str, Floats], length: int) -> dict[str, Floats]:
    """Return the named columns; one that a block lacks is null for all of it."""
    missing = np.full(length, np.nan)
    return {name: scores.get(name, missing) for name in names}


# Whole numbers summed over items, kept so that the totals can be drawn again: corpus metrics and token losses.
#
# Up to 1,024 items every item is a unit to draw. Beyond that items are put into 1,024 units by a hash of their id,
# whose sums are drawn instead: a unit is a random handful of items, so the totals spread as they would item by
# item, and the memory does not grow. Neither depends on the order of items. Where items form clusters, the hash is
# that of the cluster, so that a cluster is drawn as a whole.


UNITS = 1024


class ResampledSums:
    """Sums of columns of whole numbers over items; merges."""

    def __init__(self, width: int, *, clustered: bool = False) -> None:
        self.n = 0
        self.rows: Counts = np.zeros((0, width + 1), np.int64)
        self.hashes: Counts = np.zeros(0, np.int64)
        self.grouped, self.clustered = False, clustered
        if clustered:
            self._group()

    def update(self, hashes: Counts, rows: Counts) -> None:
        """Add items: the hash of each id, or of its cluster, and its numbers."""
        self.n += len(rows)
        self._add(hashes, np.concatenate((rows, np.ones((len(rows), 1), np.int64)), axis=1))

    def merge(self, other: ResampledSums) -> None:
        """Add another part's items."""
        self.n += other.n
        if other.grouped:
            self._group()
        self._add(other.hashes, other.rows)

    def _add(self, hashes: Counts, rows: Counts) -> None:
        if not self.grouped:
            self.hashes = np.concatenate((self.hashes, hashes))
            self.rows = np.concatenate((self.rows, rows))
            if len(self.rows) > UNITS:
                self._group()
            return
        np.add.at(self.rows, hashes, rows)

    def _group(self) -> None:
        if not self.grouped:
            sums = np.zeros((UNITS, self.rows.shape[1]), np.int64)
            np.add.at(sums, self.hashes, self.rows)
            self.rows, self.hashes, self.grouped = sums, np.arange(UNITS), True

    @property
    def total(self) -> Counts:
        """The sums over all items."""
        totals: Counts = self.rows[:, :-1].sum(axis=0)
        return totals

    @property
    def units(self) -> int:
        """How many independent units there are: items, or as far as they are told apart clusters of them."""
        return int(np.count_nonzero(self.rows[:, -1])) if self.clustered else self.n

    def ratio_units(self, step: float = 1.0) -> Units:
        """Return the units of a ratio: the first number over the second; `step` is what 1 stands for in the first."""
        held = self.rows[self.rows[:, 1] > 0]
        return Units.of(held[:, 0] / step, held[:, 1].astype(np.float64))

    def draws(self, *, rounds: int, seed: int) -> Floats:
        """Return the totals of bootstrap samples, one row each."""
        units = self.rows[self.rows[:, -1] > 0] if self.grouped else self.rows[np.lexsort(self.rows.T)]
        generator = np.random.Generator(np.random.PCG64(seed))
        drawn = generator.multinomial(len(units), np.full(len(units), 1 / len(units)), size=rounds)
        # Whole numbers below 2^53: the product has no rounding, so the order in which BLAS adds does not show.
        totals: Floats = drawn.astype(np.float64) @ units[:, :-1].astype(np.float64)
        return totals


def id_hashes(ids: Sequence[str]) -> Counts:
    """Return the unit of each id, the same on every machine."""
    found: npt.NDArray[np.int64] = np.fromiter(
        (zlib.crc32(name.encode("utf-8", "surrogatepass")) % UNITS for name in ids), np.int64, len(ids)
    )
    return found


# Intervals of figures that are no means of items: classification metrics, and sums over the whole text.


MatrixStatistic: TypeAlias = Literal["accuracy", "macro_f1", "weighted_f1"]


def matrix_interval(
    matrix: Confusion, name: MatrixStatistic, value: float | None, plan: ReportPlan, clusters: tuple[float, int] | None
) -> Interval:
    """Return Wilson's interval of a rate, else that of an F1 over the labels; clusters by effect and number."""
    if name == "accuracy":
        hits = int(matrix.hits.sum())
        return (
            effective_rate(hits, matrix.total, *clusters) if clusters and matrix.total else wilson(hits, matrix.total)
        )
    from steelyard.stats.matrices import LabelCounts, f1_interval  # noqa: PLC0415 - for classifications alone

    counts = LabelCounts(matrix.support, matrix.hits, matrix.predicted)
    return f1_interval(counts, name, value, rounds=plan.rounds, seed=plan.seed, clusters=clusters)


def corpus_interval(sums: ResampledSums, figure: CorpusFigure, value: float | None, plan: ReportPlan) -> Interval:
    """Return the interval of a ratio of counts as of a rate in clusters, else of draws of the figure itself."""
    if figure.kind == "rate" and figure.width == 2:
        units = sums.ratio_units()
        return clustered_interval(units.sums, units.sizes, units.counts, kind="rate")
    if value is None:
        return Interval(None, None, BOOTSTRAP, reason=NO_VALUE)
    from steelyard.stats.matrices import figure_interval  # noqa: PLC0415 - for figures over the whole text alone

    draws = figure.figure(sums.draws(rounds=plan.rounds, seed=plan.seed))
    return figure_interval(draws, value, sums.units, figure.kind, clustered=plan.clustered)
