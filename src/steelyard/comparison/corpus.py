"""Figures over the whole text (BLEU, chrF) of two runs, from the whole numbers that each item has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from steelyard.comparison.means import ROUNDS, SEED, Clusters, directed
from steelyard.records.blocks import Counts, Floats
from steelyard.records.columns import Rows
from steelyard.records.comparisons import Figure, Paired
from steelyard.records.scores import Direction
from steelyard.stats.paired import compare_sums
from steelyard.stats.paired_means import PairedSums, summed


@dataclass(frozen=True, slots=True)
class CorpusMeasure:
    """A figure of sums over items."""

    baseline: Counts
    """The whole numbers of each item, one row each."""
    candidate: Counts
    figures: Callable[[Floats], Floats]
    """From rows of sums to one value each."""
    direction: Direction | None = "higher"
    reach: float = 100.0
    """The largest value that there can be."""

    def _side(self, side: int, rows: Rows | None) -> Counts:
        counts = self.candidate if side else self.baseline
        return counts if rows is None else counts[rows]

    def figure(self, side: int, rows: Rows | None = None) -> Figure:
        """Return the figure over rows."""
        counts = self._side(side, rows)
        return Figure(len(counts), self._value(counts))

    def scores(self, side: int, rows: Rows) -> Floats:
        """Return the figure of each item alone."""
        return self.figures(self._side(side, rows).astype(np.float64))

    def paired(self, baseline_rows: Rows, candidate_rows: Rows, clusters: Clusters = None) -> Paired:
        """Return the difference with approximate randomisation and a paired bootstrap."""
        first, second = self._side(0, baseline_rows), self._side(1, candidate_rows)
        changes = self.figures(second.astype(np.float64)) - self.figures(first.astype(np.float64))
        counts = len(first), int((changes > 0).sum()), int((changes < 0).sum())
        result = compare_sums(
            units_of(first, second, clusters), self.figures, counts, reach=self.reach, rounds=ROUNDS, seed=SEED
        )
        return directed(result, self.direction, self._value(first), self._value(second))

    def _value(self, counts: Counts) -> float | None:
        return float(self.figures(counts.sum(axis=0)[None, :].astype(np.float64))[0]) if len(counts) else None


def units_of(first: Counts, second: Counts, clusters: Clusters) -> PairedSums:
    """Return the independent units of two runs' items: the items, or their clusters."""
    if clusters is None or not len(first):
        return PairedSums.of(first, second)
    _, codes = np.unique(clusters, return_inverse=True)
    whole = summed(first, codes), summed(second, codes)
    return PairedSums.of(*whole, clustered=len(whole[0]) < len(first))
