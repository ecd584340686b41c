"""Mergeable summaries of streams of values; the result depends on the values alone.

Blocks may come in any order, in any partition and from any number of workers. Up to 4,096 distinct values a summary
knows each of them, beyond that it keeps bins, and its size does not grow. The mean is exact either way.
"""

from __future__ import annotations

import math
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from steelyard.records.scores import ValueKind
from steelyard.stats.bins import Bins, ExactSum, exact_sum
from steelyard.stats.intervals import Interval, finite
from steelyard.stats.means import units_interval
from steelyard.stats.resampling import Floats, Integers, Units

DISTINCT = 4096
_PENDING = 8192


class Values:
    """Finite numbers as counts of distinct values, or of bins once there are more than 4,096 distinct ones.

    >>> errors = Values([3.0, 1.0])
    >>> errors.update([-1.0])
    >>> errors.mean, errors.n
    (1.0, 3)
    """

    __slots__ = ("_bins", "_counts", "_pending", "_pending_size", "_values")
    _squares: ClassVar = False
    """Whether squares are added up too; those of numbers without bounds could overflow."""

    def __init__(self, values: npt.ArrayLike = ()) -> None:
        self._pending: list[Floats] = []
        self._pending_size = 0
        self._values: Floats = np.zeros(0)
        self._counts: Integers = np.zeros(0, dtype=np.int64)
        self._bins: Bins | None = None
        self.update(values)

    def update(self, values: npt.ArrayLike) -> None:
        """Add finite values."""
        array = finite(values)
        if len(array) == 0:
            return
        self._pending.append(array + 0.0)  # a copy, in which -0.0 is 0.0
        self._pending_size += len(array)
        if self._pending_size >= _PENDING:
            self._settle()

    def add_counts(self, values: Floats, counts: Integers) -> None:
        """Add distinct finite values in ascending order, each as often as its count says."""
        self._settle()
        self._include(values, counts)

    def merge(self, other: Self) -> None:
        """Add everything that another summary holds."""
        other._settle()
        self._settle()
        if other._bins is None:
            self._include(other._values, other._counts)
            return
        self._overflow().merge(other._bins)

    def _settle(self) -> None:
        if self._pending:
            values, counts = np.unique(np.concatenate(self._pending), return_counts=True)
            self._pending, self._pending_size = [], 0
            self._include(values, counts)

    def _include(self, values: Floats, counts: Integers) -> None:
        if self._bins is not None:
            self._bins.add(values, counts)
            return
        self._values, self._counts = _united(self._values, self._counts, values, counts)
        if len(self._values) > DISTINCT:
            self._overflow()

    def _overflow(self) -> Bins:
        """Go over to bins, for good: that there are too many distinct values stays true whatever follows."""
        if self._bins is None:
            self._bins = Bins(squares=self._squares)
            self._bins.add(self._values, self._counts)
            self._values, self._counts = np.zeros(0), np.zeros(0, dtype=np.int64)
        return self._bins

    def to_values_and_counts(self) -> tuple[Floats, Integers]:
        """Return distinct values in ascending order, or the means of bins, and how often each is there."""
        self._settle()
        if self._bins is None:
            return self._values, self._counts
        units = self._bins.units()
        order = np.argsort(units.sums, kind="stable")
        return units.sums[order], units.counts[order]

    @property
    def exact(self) -> bool:
        """Whether every distinct value is known."""
        self._settle()
        return self._bins is None

    @property
    def n(self) -> int:
        """How many values there are."""
        self._settle()
        return int((self._counts if self._bins is None else self._bins.counts).sum())

    @property
    def minimum(self) -> float | None:
        """The smallest value."""
        self._settle()
        ends = self._values if self._bins is None else self._bins.ends
        return float(ends[0]) if len(ends) else None

    @property
    def maximum(self) -> float | None:
        """The largest value."""
        self._settle()
        ends = self._values if self._bins is None else self._bins.ends
        return float(ends[-1]) if len(ends) else None

    def _sum(self) -> ExactSum:
        self._settle()
        return exact_sum(self._values, self._counts) if self._bins is None else self._bins.total

    @property
    def total(self) -> float:
        """The sum of all values, rounded once."""
        return self._sum().value

    @property
    def mean(self) -> float | None:
        """The mean; None where there are no values."""
        n = self.n
        return float(self._sum().fraction / n) if n else None

    def interval(self, kind: ValueKind, *, rounds: int = 1000, seed: int = 0, level: float = 0.95) -> Interval:
        """Return the interval of the mean, by what values it can have."""
        self._settle()
        units = Units.of(self._values, counts=self._counts) if self._bins is None else self._bins.units()
        return units_interval(units, kind, rounds=rounds, seed=seed, level=level)


class ValueCounts(Values):
    """Scores, which lie in [0, 1].

    >>> scores = ValueCounts([0.5, 1.0])
    >>> scores.update([0.0])
    >>> scores.mean, scores.n
    (0.5, 3)
    """

    __slots__ = ()
    _squares: ClassVar = True

    def update(self, values: npt.ArrayLike) -> None:
        """Add values; each must be a number in [0, 1]."""
        array = finite(values)
        if len(array) and (array.min() < 0 or array.max() > 1):
            raise ValueError("values must lie in [0, 1]")
        super().update(array)

    def add_counts(self, values: Floats, counts: Integers) -> None:
        """Add distinct values in ascending order, each in [0, 1] and as often as its count says."""
        if len(values) and (values[0] < 0 or values[-1] > 1):
            raise ValueError("values must lie in [0, 1]")
        super().add_counts(values, counts)

    @property
    def population_stddev(self) -> float | None:
        """The standard deviation with n in the denominator; None where there are no values."""
        mean, n = self.mean, self.n
        if mean is None:
            return None
        if self._bins is None or self._bins.squares is None:
            centred = self._values - mean
            return math.sqrt(exact_sum(centred * centred, self._counts).value / n)
        total, squares = self._bins.total.fraction / n, self._bins.squares.fraction / n
        return math.sqrt(max(0.0, float(squares - total * total)))


def _united(values: Floats, counts: Integers, other_values: Floats, other_counts: Integers) -> tuple[Floats, Integers]:
    if len(values) == 0:
        return other_values, other_counts
    found = np.minimum(np.searchsorted(values, other_values), len(values) - 1)
    if (values[found] == other_values).all():
        united = counts.copy()
        united[found] += other_counts
        return values, united
    distinct, places = np.unique(np.concatenate((values, other_values)), return_inverse=True)
    united = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(united, places, np.concatenate((counts, other_counts)))
    return distinct, united
