"""Classification over repeats: every guess counts, and the guesses of an item stay together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from steelyard.comparison.labels import LabelPairs, f1_of_counts
from steelyard.comparison.means import ROUNDS, SEED, Clusters, MeanMeasure, directed
from steelyard.records.blocks import Floats
from steelyard.records.columns import Rows
from steelyard.records.comparisons import Figure, Paired
from steelyard.stats.paired import compare_sums
from steelyard.stats.paired_means import PairedSums


@dataclass(frozen=True, slots=True)
class RepeatedMatrixMeasure:
    """Accuracy or an F1 over classes, from the guesses of all repeats; items, or their clusters, are the units."""

    name: str
    pairs: LabelPairs
    repeats: tuple[int, int]
    """How many guesses each item has in the baseline and in the candidate, one repeat after the other."""

    def figure(self, side: int, rows: Rows | None = None) -> Figure:
        """Return the figure over the guesses of items."""
        chosen = np.arange(self._n(side)) if rows is None else rows
        return Figure(len(chosen), self.pairs.figure(self.name, side, self._all(side, chosen)).value)

    def scores(self, side: int, rows: Rows) -> Floats:
        """Return which share of an item's guesses is right."""
        right = self.pairs.right(side, None).reshape(self.repeats[side], -1)
        return np.asarray(right[:, rows].mean(axis=0))

    def paired(self, baseline_rows: Rows, candidate_rows: Rows, clusters: Clusters = None) -> Paired:
        """Return the paired difference; items, or whole clusters, are exchanged and drawn with all their guesses."""
        before, after = self.scores(0, baseline_rows), self.scores(1, candidate_rows)
        if self.name == "accuracy" or not len(before):
            own = np.arange(len(before))
            return MeanMeasure(before, after, kind="bounded").paired(own, own, clusters)
        units = np.arange(len(before)) if clusters is None else clusters
        rows = self._all(0, baseline_rows), self._all(1, candidate_rows)
        sums = PairedSums.of(
            *self.pairs.counts(rows, units, self.repeats), clustered=len(np.unique(units)) < len(before)
        )
        changes = len(before), int((after > before).sum()), int((after < before).sum())
        result = compare_sums(sums, partial(f1_of_counts, self.name), changes, rounds=ROUNDS, seed=SEED)
        return directed(result, "higher", self.figure(0, baseline_rows).value, self.figure(1, candidate_rows).value)

    def _n(self, side: int) -> int:
        return len(self.pairs.truth[side]) // self.repeats[side]

    def _all(self, side: int, rows: Rows) -> Rows:
        """Return the places of all guesses of some items, one repeat after the other."""
        starts = np.arange(self.repeats[side]) * self._n(side)
        return np.asarray((starts[:, None] + rows[None, :]).reshape(-1))
