"""Two runs' values item by item, checked, with the units that are independent of each other.

A difference is a ratio of totals: of the items' differences over their number, or over their weights. Everything that
is said of it (value, interval, p, detectable size) is said of the same per-unit sums and sizes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from steelyard.stats.bins import exact_sum
from steelyard.stats.intervals import check_binary, cluster_totals, finite
from steelyard.stats.resampling import Floats

Clusters: TypeAlias = Sequence[object] | npt.NDArray[np.generic]

_NOISE = 1e-24
"""Squared residuals below this share of the squares are what rounding leaves of equal differences."""


@dataclass(frozen=True)
class Pairs:
    """The values of both runs, what each item adds to the difference, and the sum and size of each unit."""

    baseline: Floats
    candidate: Floats
    differences: Floats
    """What each item adds; for a mean its difference."""
    sums: Floats
    """The sum of the differences of each unit."""
    sizes: Floats | None
    """The size of each unit; None where every item is a unit of size 1."""
    clustered: bool
    """Whether a unit holds several items."""

    @classmethod
    def of(
        cls, baseline: npt.ArrayLike, candidate: npt.ArrayLike, clusters: Clusters | None, *, rates: bool = False
    ) -> Pairs:
        """Return checked pairs of values whose means are compared; rates must be 0 or 1."""
        first, second = _checked(baseline, candidate)
        if rates:
            check_binary(first)
            check_binary(second)
        differences = second - first
        if clusters is not None:
            sums, sizes = cluster_totals(differences, clusters)
            if len(sums) < len(differences):
                return cls(first, second, differences, sums, sizes, clustered=True)
        return cls(first, second, differences, differences, None, clustered=False)

    @classmethod
    def of_ratios(
        cls,
        baseline: tuple[npt.ArrayLike, npt.ArrayLike],
        candidate: tuple[npt.ArrayLike, npt.ArrayLike],
        clusters: Clusters | None,
    ) -> Pairs:
        """Return pairs of values and weights whose weighted means are compared, linearised.

        An item adds what it has over its share of the common ratio, in the candidate minus in the baseline; over the
        harmonic mean of both totals these add up to the difference of the two ratios exactly. Exchanging the runs of an
        item changes the sign of what it adds and nothing else, so random signs are random exchanges.
        """
        first, second = _checked(*(side[0] for side in (baseline, candidate)))
        weights = _checked(*(side[1] for side in (baseline, candidate)))
        totals = [exact_sum(entry).value for entry in weights]
        if not all(totals):
            return cls.of([], [], None)
        common = (exact_sum(first * weights[0]).value + exact_sum(second * weights[1]).value) / (totals[0] + totals[1])
        added = (second - common) * weights[1] - (first - common) * weights[0]
        harmonic = 2 * totals[0] * totals[1] / (totals[0] + totals[1])
        sizes = (weights[0] / totals[0] + weights[1] / totals[1]) * (harmonic / 2)
        if clusters is None:
            return cls(first, second, added, added, sizes, clustered=False)
        sums, _ = cluster_totals(added, clusters)
        together, _ = cluster_totals(sizes, clusters)
        return cls(first, second, added, sums, together, clustered=len(sums) < len(added))

    def __len__(self) -> int:
        return len(self.differences)

    @property
    def units(self) -> int:
        """How many independent units there are."""
        return len(self.sums)

    @cached_property
    def size(self) -> float:
        """The size of all units together: the number of items, or their weight."""
        return float(len(self)) if self.sizes is None else exact_sum(self.sizes).value

    @cached_property
    def delta(self) -> float:
        """The difference over at least one pair."""
        return exact_sum(self.differences).value / self.size

    @cached_property
    def residuals(self) -> Floats:
        """How far each unit's sum is from what the difference would give it."""
        return self.sums - self.delta * (1.0 if self.sizes is None else self.sizes)

    @cached_property
    def squares(self) -> float:
        """The sum of the squared residuals of units; 0 where they are rounding."""
        found = exact_sum(self.residuals * self.residuals).value
        return 0.0 if found <= _NOISE * exact_sum(self.sums * self.sums).value else found

    @property
    def standard_error(self) -> float | None:
        """The standard error of the difference, by linearisation over units; None for a single unit."""
        if self.units < 2:
            return None
        return math.sqrt(self.units / (self.units - 1) * self.squares) / self.size

    @property
    def widest(self) -> float:
        """How far an item may differ by what was seen: the largest difference, else the range of the values."""
        largest = float(np.abs(self.differences).max())
        if largest:
            return largest * len(self) / self.size
        return float(self.baseline.max() - self.baseline.min())

    def count(self, *, candidate: int, baseline: int) -> int:
        """Return how many 0/1 pairs have these two values."""
        return int(np.count_nonzero((self.candidate == candidate) & (self.baseline == baseline)))


def _checked(baseline: npt.ArrayLike, candidate: npt.ArrayLike) -> tuple[Floats, Floats]:
    first, second = finite(baseline), finite(candidate)
    if len(first) != len(second):
        raise ValueError(f"{len(first)} baseline values and {len(second)} candidate values")
    return first, second
