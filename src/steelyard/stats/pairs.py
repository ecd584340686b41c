"""Two runs' values item by item, checked, with the units that are independent of each other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from steelyard.stats.exact import exact_sum
from steelyard.stats.grid import Floats
from steelyard.stats.intervals import check_binary, cluster_totals, finite

Clusters: TypeAlias = Sequence[object] | npt.NDArray[np.generic]

_NOISE = 1e-24
"""Squared residuals below this share of the squares are what rounding leaves of equal differences."""


@dataclass(frozen=True)
class Pairs:
    """The values of both runs, their differences, and the sum and size of each independent unit."""

    baseline: Floats
    candidate: Floats
    differences: Floats
    sums: Floats
    """The sum of the differences of each unit."""
    sizes: Floats | None
    """How many items each cluster has; None where every item is a unit of its own."""

    @classmethod
    def of(
        cls, baseline: npt.ArrayLike, candidate: npt.ArrayLike, clusters: Clusters | None, *, rates: bool = False
    ) -> Pairs:
        """Return checked pairs; rates must be 0 or 1."""
        first, second = finite(baseline), finite(candidate)
        if len(first) != len(second):
            raise ValueError(f"{len(first)} baseline values and {len(second)} candidate values")
        if rates:
            check_binary(first)
            check_binary(second)
        differences = second - first
        if clusters is not None:
            sums, sizes = cluster_totals(differences, clusters)
            if len(sums) < len(differences):
                return cls(first, second, differences, sums, sizes)
        return cls(first, second, differences, differences, None)

    def __len__(self) -> int:
        return len(self.differences)

    @property
    def clustered(self) -> bool:
        """Whether a unit holds several items."""
        return self.sizes is not None

    @property
    def units(self) -> int:
        """How many independent units there are."""
        return len(self.sums)

    @cached_property
    def delta(self) -> float:
        """The mean difference of at least one pair."""
        return exact_sum(self.differences).value / len(self)

    @cached_property
    def residuals(self) -> Floats:
        """How far each unit's sum is from what the mean difference would give it."""
        return self.sums - self.delta * (1.0 if self.sizes is None else self.sizes)

    @cached_property
    def squares(self) -> float:
        """The sum of the squared residuals of units; 0 where they are rounding."""
        found = exact_sum(self.residuals * self.residuals).value
        return 0.0 if found <= _NOISE * exact_sum(self.sums * self.sums).value else found

    @property
    def standard_error(self) -> float | None:
        """The standard error of the mean difference, by linearisation over units; None for a single unit."""
        if self.units < 2:
            return None
        return math.sqrt(self.units / (self.units - 1) * self.squares) / len(self)

    def count(self, *, candidate: int, baseline: int) -> int:
        """Return how many 0/1 pairs have these two values."""
        return int(np.count_nonzero((self.candidate == candidate) & (self.baseline == baseline)))
