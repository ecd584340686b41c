"""The mean of a per-item number over two runs, and the paired difference by the kind of the number."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

import numpy as np
import numpy.typing as npt

from steelyard.records.blocks import Floats
from steelyard.records.columns import Rows
from steelyard.records.comparisons import Figure, Paired
from steelyard.records.scores import Direction
from steelyard.stats.exact import exact_sum
from steelyard.stats.paired import PairedKind, PairedResult, compare_pairs

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
