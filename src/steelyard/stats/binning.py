"""Mergeable summaries of streams of values; the result depends on the values alone.

Blocks may come in any order, in any partition and from any number of workers. `ValueCounts` is for scores in [0, 1]:
up to 4,096 distinct values it knows each of them, beyond that it keeps bins, and its size does not grow. Numbers
without bounds (errors, losses, latencies) are kept whole, as `Values`.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from steelyard.stats.exact import ExactSum, exact_sum
from steelyard.stats.grid import Floats, Integers
from steelyard.stats.intervals import Interval, finite, mean_interval

BINS = 4096
DISTINCT = 4096
_PENDING = 8192
_QUANTUM = 2.0**30
"""Bins add values rounded to this grid, so that a bin's sum is a whole number and exact in any order."""


class ValueCounts:
    """Values in [0, 1] as counts of distinct values, or of bins once there are more than 4,096 distinct ones.

    >>> scores = ValueCounts([0.5, 1.0])
    >>> scores.update([0.0])
    >>> scores.mean, scores.n
    (0.5, 3)
    """

    __slots__ = ("_bins", "_counts", "_pending", "_pending_size", "_values")

    def __init__(self, values: npt.ArrayLike = ()) -> None:
        self._pending: list[Floats] = []
        self._pending_size = 0
        self._values: Floats = np.zeros(0)
        self._counts: Integers = np.zeros(0, dtype=np.int64)
        self._bins: _Bins | None = None
        self.update(values)

    def update(self, values: npt.ArrayLike) -> None:
        """Add values; each must be a number in [0, 1]."""
        array = finite(values)
        if len(array) == 0:
            return
        if array.min() < 0 or array.max() > 1:
            raise ValueError("values must lie in [0, 1]")
        self._pending.append(array + 0.0)  # a copy, in which -0.0 is 0.0
        self._pending_size += len(array)
        if self._pending_size >= _PENDING:
            self._settle()

    def merge(self, other: ValueCounts) -> None:
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

    def _overflow(self) -> _Bins:
        """Go over to bins, for good: that there are too many distinct values stays true whatever follows."""
        if self._bins is None:
            self._bins = _Bins()
            self._bins.add(self._values, self._counts)
            self._values, self._counts = np.zeros(0), np.zeros(0, dtype=np.int64)
        return self._bins

    def to_values_and_counts(self) -> tuple[Floats, Integers]:
        """Return distinct values in ascending order, or the means of non-empty bins, and how often each is there."""
        self._settle()
        return (self._values, self._counts) if self._bins is None else self._bins.to_values_and_counts()

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

    def _sums(self) -> tuple[ExactSum, ExactSum]:
        self._settle()
        if self._bins is not None:
            return self._bins.total, self._bins.squares
        return exact_sum(self._values, self._counts), exact_sum(self._values * self._values, self._counts)

    @property
    def total(self) -> float:
        """The sum of all values, rounded once."""
        return self._sums()[0].value

    @property
    def total_squares(self) -> float:
        """The sum of the squares of all values."""
        return self._sums()[1].value

    @property
    def mean(self) -> float | None:
        """The mean; None where there are no values."""
        n = self.n
        return float(self._sums()[0].fraction / n) if n else None

    @property
    def population_stddev(self) -> float | None:
        """The standard deviation with n in the denominator; None where there are no values."""
        n = self.n
        if not n:
            return None
        if self._bins is None:
            centred = self._values - float(self._sums()[0].fraction / n)
            return math.sqrt(exact_sum(centred * centred, self._counts).value / n)
        total, squares = (part.fraction / n for part in self._sums())
        return math.sqrt(max(0.0, float(squares - total * total)))

    def interval(self, *, binary: bool = False, rounds: int = 1000, seed: int = 0, level: float = 0.95) -> Interval:
        """Return the interval of the mean: Wilson's where the values are declared 0/1, else by bootstrap."""
        values, counts = self.to_values_and_counts()
        return mean_interval(values, counts, binary=binary, rounds=rounds, seed=seed, level=level)


class _Bins:
    """4,096 equal bins over (0, 1), with exact 0 and exact 1 apart; the same whatever the order of additions."""

    __slots__ = ("counts", "ends", "squares", "sums", "total")

    def __init__(self) -> None:
        self.counts: Integers = np.zeros(BINS + 2, dtype=np.int64)
        self.sums: Integers = np.zeros(BINS + 2, dtype=np.int64)
        self.total = ExactSum()
        self.squares = ExactSum()
        self.ends: Floats = np.zeros(0)

    def add(self, values: Floats, counts: Integers) -> None:
        """Add sorted distinct values, each `counts` times."""
        if len(values) == 0:
            return
        places = (values * BINS).astype(np.int64) + 1
        places[values == 0] = 0
        np.add.at(self.counts, places, counts)
        np.add.at(self.sums, places, np.rint(values * _QUANTUM).astype(np.int64) * counts)
        self.total.add(values, counts)
        self.squares.add(values * values, counts)
        self._widen(values[[0, -1]])

    def merge(self, other: _Bins) -> None:
        """Add everything that other bins hold."""
        self.counts = self.counts + other.counts
        self.sums = self.sums + other.sums
        self.total.merge(other.total)
        self.squares.merge(other.squares)
        self._widen(other.ends)

    def _widen(self, ends: Floats) -> None:
        both = np.concatenate((self.ends, ends))
        self.ends = np.array([both.min(), both.max()])

    def to_values_and_counts(self) -> tuple[Floats, Integers]:
        """Return the means and the counts of the bins that hold something."""
        held = np.flatnonzero(self.counts)
        counts = self.counts[held]
        return self.sums[held] / _QUANTUM / counts, counts


def _united(values: Floats, counts: Integers, other_values: Floats, other_counts: Integers) -> tuple[Floats, Integers]:
    if len(values) == 0:
        return other_values, other_counts
    distinct, places = np.unique(np.concatenate((values, other_values)), return_inverse=True)
    united = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(united, places, np.concatenate((counts, other_counts)))
    return distinct, united


class Values:
    """Numbers without bounds, all of them kept.

    >>> Values([3.0, 1.0]).mean
    2.0
    """

    __slots__ = ("_parts",)

    def __init__(self, values: npt.ArrayLike = ()) -> None:
        self._parts: list[Floats] = []
        self.update(values)

    def update(self, values: npt.ArrayLike) -> None:
        """Add finite values."""
        self._parts.append(finite(values) + 0.0)  # a copy, in which -0.0 is 0.0

    def merge(self, other: Values) -> None:
        """Add everything that another collection holds."""
        self._parts.extend(other._parts)

    def sorted(self) -> Floats:
        """Return every value in ascending order."""
        if len(self._parts) != 1 or (np.diff(self._parts[0]) < 0).any():
            self._parts = [np.sort(np.concatenate(self._parts))]
        return self._parts[0]

    def to_values_and_counts(self) -> tuple[Floats, Integers]:
        """Return distinct values in ascending order, and how often each is there."""
        return np.unique(self.sorted(), return_counts=True)

    @property
    def n(self) -> int:
        """How many values there are."""
        return sum(len(part) for part in self._parts)

    @property
    def total(self) -> float:
        """The sum of all values, rounded once."""
        return exact_sum(self.sorted()).value

    @property
    def mean(self) -> float | None:
        """The mean; None where there are no values."""
        return float(exact_sum(self.sorted()).fraction / self.n) if self.n else None

    @property
    def population_stddev(self) -> float | None:
        """The standard deviation with n in the denominator; None where there are no values."""
        mean = self.mean
        if mean is None:
            return None
        centred = self.sorted() - mean
        return math.sqrt(exact_sum(centred * centred).value / self.n)

    def interval(self, *, binary: bool = False, rounds: int = 1000, seed: int = 0, level: float = 0.95) -> Interval:
        """Return the interval of the mean: Wilson's where the values are declared 0/1, else by bootstrap."""
        return mean_interval(self.sorted(), binary=binary, rounds=rounds, seed=seed, level=level)
