"""A metric over two runs: its value over any rows of either side, and the paired difference over shared rows.

Three kinds: the mean of a per-item number, a figure from the confusion matrix, and a mean weighted by a count (a loss
by its tokens, a ratio by its denominator). Whatever is computed here is computed from items, never taken from stored
totals.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from steelyard.comparison.labels import MATRIX_METRICS, LabelPairs
from steelyard.records.blocks import Floats
from steelyard.records.columns import WEIGHT, ItemColumns, Rows
from steelyard.records.comparisons import Figure, Paired
from steelyard.records.scores import Direction
from steelyard.registry import is_bounded
from steelyard.stats import Interval, PairedKind, bootstrap_clustered, compare_pairs, exact_sum
from steelyard.stats.paired import PairedResult

LOSS_METRICS = ("eval_loss", "perplexity")
SEED = 0
ROUNDS = 10_000

Clusters = npt.NDArray[np.int64] | None
"""A number for each pair; pairs with the same number are not independent."""


class Measure(Protocol):
    """What a comparison asks of a metric."""

    def figure(self, side: int, rows: Rows | None = None) -> Figure:
        """Return the metric over rows of the baseline (side 0) or of the candidate (side 1); None is all rows."""

    def paired(self, baseline_rows: Rows, candidate_rows: Rows, clusters: Clusters = None) -> Paired:
        """Return the difference over pairs of rows."""

    def scores(self, side: int, rows: Rows) -> Floats | None:
        """Return per-item values where an item has one of its own, else None."""


def measure(name: str, direction: Direction | None, baseline: ItemColumns, candidate: ItemColumns) -> Measure | None:
    """Return a metric over two runs, or None where either run cannot compute it from its items."""
    if name in LOSS_METRICS:
        losses = baseline.losses(), candidate.losses()
        return WeightedMeasure(name, losses[0], losses[1]) if losses[0] and losses[1] else None
    classes = baseline.classes(), candidate.classes()
    if name in MATRIX_METRICS and classes[0] and classes[1]:
        return MatrixMeasure(name, LabelPairs.of(classes[0], classes[1]))
    stored = baseline.number(name), candidate.number(name)
    if stored[0] is None or stored[1] is None:
        return None
    weights = baseline.number(name + WEIGHT), candidate.number(name + WEIGHT)
    if weights[0] is not None and weights[1] is not None:
        return WeightedMeasure(name, (stored[0], weights[0]), (stored[1], weights[1]), direction)
    return MeanMeasure(stored[0], stored[1], direction, _kind(name, stored[0], stored[1]))


def _kind(name: str, *columns: Floats) -> PairedKind:
    """Return what kind of numbers a metric's items have."""
    if is_bounded(name) is False:
        return "unbounded"
    known = [values[~np.isnan(values)] for values in columns]
    if all(bool(((values == 0.0) | (values == 1.0)).all()) for values in known):
        return "rate"
    inside = all(bool(((values >= 0.0) & (values <= 1.0)).all()) for values in known)
    return "bounded" if inside else "unbounded"


@dataclass(frozen=True, slots=True)
class MeanMeasure:
    """The mean of a per-item number; null items are left out, as in the run's own report."""

    baseline: Floats
    candidate: Floats
    direction: Direction | None = "higher"
    kind: PairedKind = "rate"
    rounds: int = ROUNDS

    def _side(self, side: int, rows: Rows | None) -> Floats:
        values = self.candidate if side else self.baseline
        return values if rows is None else values[rows]

    def figure(self, side: int, rows: Rows | None = None) -> Figure:
        """Return the mean over rows."""
        values = self._side(side, rows)
        known = values[~np.isnan(values)]
        return Figure(len(known), exact_sum(known).value / len(known) if len(known) else None)

    def scores(self, side: int, rows: Rows) -> Floats:
        """Return the per-item values."""
        return self._side(side, rows)

    def paired(self, baseline_rows: Rows, candidate_rows: Rows, clusters: Clusters = None) -> Paired:
        """Return the paired difference: exact McNemar for 0/1 values, sign flips otherwise."""
        first, second = self.baseline[baseline_rows], self.candidate[candidate_rows]
        known = ~(np.isnan(first) | np.isnan(second))
        if not known.all():
            first, second = first[known], second[known]
            clusters = None if clusters is None else clusters[known]
        result = compare_pairs(first, second, kind=self.kind, clusters=clusters, rounds=self.rounds, seed=SEED)
        means = [exact_sum(side).value / len(side) if len(side) else None for side in (first, second)]
        return directed(result, self.direction, means[0], means[1])


def directed(
    result: PairedResult, direction: Direction | None, baseline: float | None, candidate: float | None
) -> Paired:
    """Return a paired result whose `improved` means better; the delta stays candidate minus baseline."""
    found = Paired(**asdict(result), baseline=baseline, candidate=candidate)
    if direction == "lower":
        return replace(found, improved=result.regressed, regressed=result.improved)
    return found


@dataclass(frozen=True, slots=True)
class MatrixMeasure:
    """Accuracy or an F1 over classes, from counts of true and guessed labels."""

    name: str
    pairs: LabelPairs

    def figure(self, side: int, rows: Rows | None = None) -> Figure:
        """Return the figure over rows."""
        return self.pairs.figure(self.name, side, rows)

    def scores(self, side: int, rows: Rows) -> Floats:
        """Return 1 where the guess is right."""
        return self.pairs.right(side, rows)

    def paired(self, baseline_rows: Rows, candidate_rows: Rows, clusters: Clusters = None) -> Paired:
        """Return the paired difference; for accuracy it is McNemar's, for an F1 guesses change sides at random."""
        if self.name == "accuracy":
            everything = MeanMeasure(self.pairs.right(0, None), self.pairs.right(1, None))
            return everything.paired(baseline_rows, candidate_rows, clusters)
        return self.pairs.paired(self.name, baseline_rows, candidate_rows, rounds=ROUNDS, seed=SEED)


@dataclass(frozen=True, slots=True)
class WeightedMeasure:
    """A mean weighted by a count: cross-entropy by tokens, with perplexity as its exponential, or a ratio of counts."""

    name: str
    baseline: tuple[Floats, Floats]
    """The values and the weights of items."""
    candidate: tuple[Floats, Floats]
    direction: Direction | None = "lower"

    @property
    def _scale(self) -> Callable[[float], float]:
        return math.exp if self.name == "perplexity" else float

    def figure(self, side: int, rows: Rows | None = None) -> Figure:
        """Return the weighted mean over rows that have a value."""
        losses, tokens = self.candidate if side else self.baseline
        if rows is not None:
            losses, tokens = losses[rows], tokens[rows]
        known = ~np.isnan(losses) & (tokens > 0)
        total = exact_sum(tokens[known]).value
        if not total:
            return Figure(0, None)
        mean = exact_sum(losses[known] * tokens[known]).value / total
        try:
            return Figure(int(known.sum()), self._scale(mean))
        except OverflowError:
            return Figure(int(known.sum()), None)

    def scores(self, side: int, rows: Rows) -> Floats:
        """Return the value of each item."""
        return (self.candidate if side else self.baseline)[0][rows]

    def paired(self, baseline_rows: Rows, candidate_rows: Rows, clusters: Clusters = None) -> Paired:
        """Return the difference of the metric; test and counts are of the items' values.

        The interval draws items with their weights, where both runs have the same.
        """
        first, second = self.figure(0, baseline_rows).value, self.figure(1, candidate_rows).value
        losses = MeanMeasure(self.baseline[0], self.candidate[0], self.direction, "unbounded")
        found = losses.paired(baseline_rows, candidate_rows, clusters)
        ends = self._interval(baseline_rows, candidate_rows)
        return replace(
            found,
            delta=None if first is None or second is None else second - first,
            ci_low=ends.low,
            ci_high=ends.high,
            minimum_detectable=None,
            method=ends.method,
            reason=ends.reason,
            baseline=first,
            candidate=second,
        )

    def _interval(self, baseline_rows: Rows, candidate_rows: Rows) -> Interval:
        counted = (self.baseline[1][baseline_rows] > 0) | (self.candidate[1][candidate_rows] > 0)
        baseline_rows, candidate_rows = baseline_rows[counted], candidate_rows[counted]
        tokens = self.baseline[1][baseline_rows], self.candidate[1][candidate_rows]
        weighted = (self.candidate[0][candidate_rows] - self.baseline[0][baseline_rows]) * tokens[0]
        if self.name == "perplexity" or not (tokens[0] == tokens[1]).all() or np.isnan(weighted).any():
            reason = "an interval is given where every item has the same weight in both runs, and not for perplexity"
            return Interval(None, None, "", reason=reason)
        return bootstrap_clustered(weighted, tokens[0], rounds=ROUNDS, seed=SEED)
