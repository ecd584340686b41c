"""Clusters counted by their total and size, so that an interval over clusters needs no memory for each of them.

Drawing clusters again needs how often each pair of total and size is there, and nothing else. Clusters of a few items
have few such pairs; where they do not, a distinct pair takes 24 bytes.
"""

from __future__ import annotations

import numpy as np

from steelyard.records.scores import ValueKind
from steelyard.stats.bins import exact_sum
from steelyard.stats.intervals import Interval, design_effect
from steelyard.stats.means import clustered_interval
from steelyard.stats.resampling import Floats, Units

_PENDING = 16
"""Blocks that are put together at a time: sorting them one by one would take longer, keeping them more memory."""


class ClusterCounts:
    """How often each pair of total and size is there; blocks may come in any order and any partition.

    >>> counts = ClusterCounts()
    >>> counts.add(np.array([2.0, 1.0, 2.0]), np.array([2.0, 3.0, 2.0]))
    >>> counts.n, counts.units().counts.tolist()
    (3, [1, 2])
    """

    __slots__ = ("_pending", "_units")

    def __init__(self) -> None:
        self._units = Units.of(np.zeros(0), np.zeros(0))
        self._pending: list[Units] = []

    def add(self, sums: Floats, sizes: Floats) -> None:
        """Add clusters, each whole: its total and how many items it has."""
        self._take(Units.of(sums, sizes))

    def merge(self, other: ClusterCounts) -> None:
        """Add everything that another part counted."""
        self._take(other.units())

    def _take(self, units: Units) -> None:
        self._pending.append(units)
        if len(self._pending) >= _PENDING:
            self.units()

    def units(self) -> Units:
        """Return the distinct pairs in sorted order, with how often each is there."""
        if self._pending:
            parts = [self._units, *self._pending]
            self._units = Units.of(
                np.concatenate([part.sums for part in parts]),
                np.concatenate([part.sizes for part in parts]),
                np.concatenate([part.counts for part in parts]),
            )
            self._pending = []
        return self._units

    @property
    def n(self) -> int:
        """How many clusters there are."""
        return self.units().n

    def interval(self, kind: ValueKind, *, rounds: int = 1000, seed: int = 0) -> Interval:
        """Return the interval of the mean over items, by what values an item can have."""
        units = self.units()
        return clustered_interval(units.sums, units.sizes, units.counts, kind=kind, rounds=rounds, seed=seed)

    def design_effect(self, squares: float) -> float:
        """Return by how much clustering widens the variance of the mean, from the sum of the squares of all items."""
        units = self.units()
        n = float((units.sizes * units.counts).sum())
        if n < 2:
            return 1.0
        variance = (squares - exact_sum(units.sums, units.counts).value ** 2 / n) / (n - 1)
        return design_effect(units.sums, units.sizes, variance, units.counts)
