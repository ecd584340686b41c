"""The mean of a per-item number over two runs, and the paired difference by the kind of the number.

Beside it the ratio of weighted sums.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace

import numpy as np
import numpy.typing as npt

from steelyard.records.blocks import Floats
from steelyard.records.columns import Rows
from steelyard.records.comparisons import Figure, Paired
from steelyard.records.scores import Direction
from steelyard.stats.bins import exact_sum
from steelyard.stats.paired import PairedKind, PairedResult, compare_pairs, compare_ratios

SEED = 0
ROUNDS = 10_000

Clusters = npt.NDArray[np.int64] | None
"""A number for each pair; pairs with the same number are not independent."""


@dataclass(frozen=True, slots=True)
class MeanMeasure:
    """The mean of a per-item number; null items are left out, as in the run's own report."""

    baseline: Floats
    candidate: Floats
    direction: Direction | None = "higher"
    kind: PairedKind = "rate"
    reach: float = 1.0
    """How far an item's two values can be apart, where they are bounded."""
    rounds: int = ROUNDS

    def _side(self, side: int, rows: Rows | None) -> Floats:
        values = self.candidate if side else self.baseline
        return values if rows is None else values[rows]

    def figure(self, side: int, rows: Rows | None = None) -> Figure:
        """Return the mean over rows."""
        values = self._side(side, rows)
        known = values[~np.isnan(values)]
        return Figure(len(known), mean_of(known))

    def scores(self, side: int, rows: Rows) -> Floats:
        """Return the per-item values."""
        return self._side(side, rows)

    def paired(self, baseline_rows: Rows, candidate_rows: Rows, clusters: Clusters = None) -> Paired:
        """Return the paired difference over items that have a value in both runs."""
        first, second = self.baseline[baseline_rows], self.candidate[candidate_rows]
        known = ~(np.isnan(first) | np.isnan(second))
        if not known.all():
            first, second = first[known], second[known]
            clusters = None if clusters is None else clusters[known]
        result = compare_pairs(
            first, second, kind=self.kind, clusters=clusters, reach=self.reach, rounds=self.rounds, seed=SEED
        )
        return directed(result, self.direction, mean_of(first), mean_of(second))


def mean_of(values: Floats) -> float | None:
    """Return the mean of values that are all known, None of none."""
    return exact_sum(values).value / len(values) if len(values) else None


def directed(
    result: PairedResult, direction: Direction | None, baseline: float | None, candidate: float | None
) -> Paired:
    """Return a paired result whose `improved` means better; the delta stays candidate minus baseline."""
    found = Paired(**asdict(result), baseline=baseline, candidate=candidate)
    if direction == "lower":
        return replace(found, improved=result.regressed, regressed=result.improved)
    return found


# Means weighted by a count over two runs: a loss by its tokens, perplexity as its exponential, a ratio of counts.


PERPLEXITY = "perplexity"
OVERFLOW = "the exponential of the loss overflows"
LOG_SCALE = "-log-scale"
"""After a method: the interval is that of the logarithm, carried over."""


@dataclass(frozen=True, slots=True)
class WeightedMeasure:
    """A mean weighted by a count, or its exponential."""

    name: str
    baseline: tuple[Floats, Floats]
    """The values and the weights of items."""
    candidate: tuple[Floats, Floats]
    direction: Direction | None = "lower"
    bounded: bool = False
    """Whether every value lies in [0, 1]."""
    weightless: bool = False
    """Whether an item without a weight in one run counts with its weight in the other, as in a ratio of counts."""

    def figure(self, side: int, rows: Rows | None = None) -> Figure:
        """Return the weighted mean over rows that have a value."""
        values, weights = self._side(side, rows)
        known = weights > 0
        mean = _mean(values, weights)
        return Figure(int(known.sum()), None if mean is None else self._scaled(mean))

    def scores(self, side: int, rows: Rows) -> Floats:
        """Return the value of each item."""
        return (self.candidate if side else self.baseline)[0][rows]

    def paired(self, baseline_rows: Rows, candidate_rows: Rows, clusters: Clusters = None) -> Paired:
        """Return the difference, its interval and its p, all of the same linearised items."""
        first, second = self._side(0, baseline_rows), self._side(1, candidate_rows)
        both = (first[1] > 0) & (second[1] > 0)
        known = (first[1] > 0) | (second[1] > 0) if self.weightless else both
        first, second = (first[0][known], first[1][known]), (second[0][known], second[1][known])
        clusters = None if clusters is None else clusters[known]
        result = compare_ratios(first, second, bounded=self.bounded, clusters=clusters, rounds=ROUNDS, seed=SEED)
        found = directed(result, self.direction, _mean(*first), _mean(*second))
        return _exponential(found) if self.name == PERPLEXITY else found

    def _side(self, side: int, rows: Rows | None) -> tuple[Floats, Floats]:
        """Return values and weights of rows; an item without a value has weight 0."""
        values, weights = self.candidate if side else self.baseline
        if rows is not None:
            values, weights = values[rows], weights[rows]
        known: npt.NDArray[np.bool_] = ~np.isnan(values) & (weights > 0)
        return np.where(known, values, 0.0), np.where(known, weights, 0.0)

    def _scaled(self, mean: float) -> float | None:
        return _exp(mean) if self.name == PERPLEXITY else mean


def _mean(values: Floats, weights: Floats) -> float | None:
    total = exact_sum(weights).value
    return exact_sum(values * weights).value / total if total else None


def _exp(value: float) -> float | None:
    try:
        return math.exp(value)
    except OverflowError:
        return None


def _exponential(losses: Paired) -> Paired:
    """Return the comparison of the exponentials: test and counts stay, differences are carried over.

    With the geometric mean of both as it is, a difference of d in the logarithm is one of 2 g sinh(d / 2): 0 stays 0,
    and exchanging the runs changes signs only.
    """
    if losses.delta is None or losses.baseline is None or losses.candidate is None:
        return losses
    centre = _exp((losses.baseline + losses.candidate) / 2)
    first, second = _exp(losses.baseline), _exp(losses.candidate)

    def carried(difference: float | None) -> float | None:
        if difference is None or centre is None or abs(difference) > 1000:
            return None
        return 2 * centre * math.sinh(difference / 2)

    low, high = carried(losses.ci_low), carried(losses.ci_high)
    whole = first is not None and second is not None and low is not None and high is not None
    delta = second - first if first is not None and second is not None else None
    return replace(
        losses,
        delta=delta,
        ci_low=min(low, delta) if whole and low is not None and delta is not None else None,
        ci_high=max(high, delta) if whole and high is not None and delta is not None else None,
        standard_error=None if losses.standard_error is None or centre is None else losses.standard_error * centre,
        minimum_detectable=carried(losses.minimum_detectable),
        method=losses.method + LOG_SCALE if whole else losses.method,
        reason=losses.reason if delta is not None else OVERFLOW,
        baseline=first,
        candidate=second,
    )
