"""Totals by cluster, for intervals where items are not independent: two numbers per cluster and metric.

Scores are added in limbs of 26 bits and other numbers as whole multiples of the smallest double, so that a cluster's
total does not depend on the order of its items or on the blocks they came in.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self

import numpy as np
import numpy.typing as npt

from steelyard.aggregate.means import within_one
from steelyard.records.blocks import Floats, Labels
from steelyard.records.scores import ValueKind
from steelyard.stats.cluster_counts import ClusterCounts
from steelyard.stats.intervals import Interval

_LIMB = float(1 << 26)
_UNIT = 1 << 1074
"""Every double is a whole multiple of 1/_UNIT."""


class ClusterPlaces:
    """Gives every cluster a place; an item outside any cluster is a cluster of its own."""

    def __init__(self) -> None:
        self.names: dict[str, int] = {}
        self.size = 0

    def of(self, clusters: Labels) -> npt.NDArray[np.int64]:
        """Return the place of each item's cluster."""
        places = np.array([self.named(name) for name in clusters.names], np.int64)
        alone = clusters.codes < 0
        found = np.zeros(len(alone), np.int64)
        found[~alone] = places[clusters.codes[~alone]]
        count = int(alone.sum())
        found[alone] = np.arange(self.size, self.size + count)
        self.size += count
        return found

    def merge(self, other: ClusterPlaces) -> npt.NDArray[np.int64]:
        """Take up another part's clusters; return where each of its places is here."""
        places = np.full(other.size, -1, np.int64)
        for name, place in other.names.items():
            places[place] = self.named(name)
        alone = places < 0
        count = int(alone.sum())
        places[alone] = np.arange(self.size, self.size + count)
        self.size += count
        return places

    def named(self, name: str) -> int:
        """Return the place of a cluster by its name."""
        place = self.names.setdefault(name, self.size)
        self.size += place == self.size
        return place


class ClusterTotals:
    """The total and the number of values of each cluster, for one metric."""

    def __init__(self, *, bounded: bool) -> None:
        self.bounded = bounded
        self.counts = np.zeros(0, np.int64)
        self.limbs = np.zeros((2, 0), np.float64)
        self.units: dict[int, int] = {}

    def add(self, places: npt.NDArray[np.int64], values: Floats, size: int) -> None:
        """Add values to their clusters; NaN is null and does not count."""
        known = ~np.isnan(values)
        places, values = places[known], values[known]
        self._grow(size)
        self.counts += np.bincount(places, minlength=size)
        if self.bounded:
            scaled = values * _LIMB
            high = np.floor(scaled)
            self.limbs[0] += np.bincount(places, weights=high, minlength=size)
            self.limbs[1] += np.bincount(places, weights=np.floor((scaled - high) * _LIMB), minlength=size)
            return
        for place, value in zip(places.tolist(), values.tolist(), strict=True):
            numerator, denominator = value.as_integer_ratio()
            self.units[place] = self.units.get(place, 0) + numerator * (_UNIT // denominator)

    def merge(self, other: ClusterTotals, places: npt.NDArray[np.int64], size: int) -> None:
        """Add another part's totals, whose clusters are at `places` here."""
        self._grow(size)
        here = places[: len(other.counts)]
        np.add.at(self.counts, here, other.counts)
        for mine, others in zip(self.limbs, other.limbs, strict=True):
            np.add.at(mine, here, others)
        for place, units in other.units.items():
            self.units[int(places[place])] = self.units.get(int(places[place]), 0) + units

    def _grow(self, size: int) -> None:
        missing = size - len(self.counts)
        if missing > 0:
            self.counts = np.concatenate((self.counts, np.zeros(missing, np.int64)))
            self.limbs = np.concatenate((self.limbs, np.zeros((2, missing))), axis=1)

    def sums_and_sizes(self) -> tuple[Floats, Floats]:
        """Return the total and the size of every cluster that has a value."""
        held = np.flatnonzero(self.counts)
        sizes = self.counts[held].astype(np.float64)
        if self.bounded:
            return (self.limbs[0, held] + self.limbs[1, held] / _LIMB) / _LIMB, sizes
        return np.array([self.units[place] / _UNIT for place in held.tolist()], np.float64), sizes


class Clustered(ABC):
    """The totals of several metrics by cluster; merges."""

    @abstractmethod
    def update(self, clusters: Labels, numbers: dict[str, Floats]) -> None:
        """Add a block."""

    @abstractmethod
    def merge(self, other: Self) -> None:
        """Add another part's clusters."""

    @abstractmethod
    def counted(self, name: str) -> ClusterCounts:
        """Return the clusters of a metric, counted by total and size."""

    def interval(self, name: str, kind: ValueKind, *, rounds: int, seed: int) -> Interval:
        """Return the interval of a mean from whole clusters."""
        return self.counted(name).interval(kind, rounds=rounds, seed=seed)

    def design_effect(self, name: str, squares: float) -> float:
        """Return by how much clustering widens the variance of a mean, from the sum of its squared values."""
        return self.counted(name).design_effect(squares)


class ScatteredClusters(Clustered):
    """Clusters whose items may stand in any block: each keeps its totals until the end."""

    def __init__(self, kinds: dict[str, ValueKind]) -> None:
        self.places = ClusterPlaces()
        self.totals = {name: ClusterTotals(bounded=within_one(kind)) for name, kind in kinds.items()}

    def update(self, clusters: Labels, numbers: dict[str, Floats]) -> None:
        """Add a block."""
        places = self.places.of(clusters)
        for name, values in numbers.items():
            self.totals[name].add(places, values, self.places.size)

    def merge(self, other: Self) -> None:
        """Add another part's clusters."""
        places = self.places.merge(other.places)
        for name, totals in other.totals.items():
            self.totals[name].merge(totals, places, self.places.size)

    def counted(self, name: str) -> ClusterCounts:
        """Return the clusters of a metric, counted by total and size."""
        counts = ClusterCounts()
        counts.add(*self.totals[name].sums_and_sizes())
        return counts


class WholeClusters(Clustered):
    """Clusters of which none stands in two blocks: they are counted block by block, and memory does not grow."""

    def __init__(self, kinds: dict[str, ValueKind]) -> None:
        self.kinds = kinds
        self.counts = {name: ClusterCounts() for name in kinds}

    def update(self, clusters: Labels, numbers: dict[str, Floats]) -> None:
        """Add a block with every item of its clusters."""
        block = ScatteredClusters({name: self.kinds[name] for name in numbers})
        block.update(clusters, numbers)
        for name, totals in block.totals.items():
            self.counts[name].add(*totals.sums_and_sizes())

    def merge(self, other: Self) -> None:
        """Add another part's clusters."""
        for name, counts in other.counts.items():
            self.counts[name].merge(counts)

    def counted(self, name: str) -> ClusterCounts:
        """Return the clusters of a metric, counted by total and size."""
        return self.counts[name]
