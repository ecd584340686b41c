"""Counts of values by their leading binary digits: a bounded summary of a stream that forgets only what is fine.

A bin holds the values that share sign, exponent and the first seven binary digits, so it is less than 1 % wide whatever
the magnitude. Inside a bin, counts, offsets and squared offsets are added as whole numbers: the result is the same in
any order and any partition, and the variance inside a bin is kept, so resampling loses no spread.

Beside them exact sums.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from steelyard.stats.resampling import AT_ONCE, Floats, Integers, Units, run_starts

# Sums that do not depend on the order or the partition of what is added.
#
# Every double is an integer times a power of two, so a sum of doubles can be kept as one integer. Blocks and
# workers can then add in any order, and the rounded result is the one of `math.fsum` over everything at once.


_MANTISSA_BITS = 53
_LIMB_BITS = 18
_LIMBS = (0, _LIMB_BITS, 2 * _LIMB_BITS)
_LARGEST_WEIGHT = 1 << 35
"""Below this total weight a sum of 18-bit limbs stays under 2^53, where `np.bincount` adds without rounding."""

_LOWEST_EXPONENT = 1073
_UNIT = 1 << (_LOWEST_EXPONENT + _MANTISSA_BITS)
"""The integer kept is the sum times this: even the smallest subnormal number is a whole multiple of 1/_UNIT."""


class ExactSum:
    """A sum of finite doubles, exact until it is read.

    >>> total = ExactSum()
    >>> total.add(np.array([0.1] * 10))
    >>> total.value
    1.0
    """

    __slots__ = ("_units",)

    def __init__(self) -> None:
        self._units = 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ExactSum) and self._units == other._units

    __hash__ = None  # type: ignore[assignment]  # a sum that grows is not a key

    def add(self, values: npt.NDArray[np.float64], counts: npt.NDArray[np.int64] | None = None) -> None:
        """Add finite values, each `counts` times where counts are given."""
        weight = len(values) if counts is None else int(counts.sum())
        if weight >= _LARGEST_WEIGHT:
            raise ValueError(f"{weight} values at once are more than can be added without rounding")
        for start in range(0, len(values), AT_ONCE):
            part = slice(start, start + AT_ONCE)
            self._add_part(values[part], None if counts is None else counts[part])

    def _add_part(self, values: npt.NDArray[np.float64], counts: npt.NDArray[np.int64] | None) -> None:
        mantissas, exponents = np.frexp(values)
        integers = np.ldexp(mantissas, _MANTISSA_BITS).astype(np.int64)
        lowest = int(exponents.min())
        for shift in _LIMBS:
            limbs = integers >> shift
            if shift != _LIMBS[-1]:
                limbs &= (1 << _LIMB_BITS) - 1
            self._add_limbs(limbs if counts is None else limbs * counts, exponents - lowest, lowest + shift)

    def _add_limbs(self, limbs: npt.NDArray[np.int64], keys: npt.NDArray[np.int32], lowest: int) -> None:
        sums = np.bincount(keys, weights=limbs)
        for key in np.flatnonzero(sums).tolist():
            self._units += int(sums[key]) << (key + lowest + _LOWEST_EXPONENT)

    def merge(self, other: ExactSum) -> None:
        """Add everything that another sum holds."""
        self._units += other._units

    @property
    def fraction(self) -> Fraction:
        """The sum without any rounding."""
        return Fraction(self._units, _UNIT)

    @property
    def value(self) -> float:
        """The sum, rounded once, as `math.fsum` rounds it."""
        return self._units / _UNIT


def exact_sum(values: npt.NDArray[np.float64], counts: npt.NDArray[np.int64] | None = None) -> ExactSum:
    """Return the exact sum of values, each `counts` times where counts are given."""
    total = ExactSum()
    total.add(values, counts)
    return total


_OFFSET_BITS = 16
"""Squared offsets have 32 bits, so a bin takes two thousand million values before a sum could overflow."""

_KEY_SHIFT = 52 - 7
_OFFSET_SHIFT = _KEY_SHIFT - _OFFSET_BITS


class Bins:
    """Values by bin, with their exact sum, the exact sum of their squares where that is asked for, and their ends."""

    __slots__ = ("_sums", "ends", "keys", "squares", "total")

    def __init__(self, *, squares: bool) -> None:
        self.keys: Integers = np.zeros(0, dtype=np.int64)
        self._sums: Integers = np.zeros((3, 0), dtype=np.int64)
        self.total = ExactSum()
        self.squares = ExactSum() if squares else None
        self.ends: Floats = np.zeros(0)

    @property
    def counts(self) -> Integers:
        """How many values each bin holds."""
        counts: Integers = self._sums[0]
        return counts

    def add(self, values: Floats, counts: Integers) -> None:
        """Add sorted finite values, each `counts` times."""
        if len(values) == 0:
            return
        bits = np.ascontiguousarray(values).view(np.int64)
        offsets = (bits >> _OFFSET_SHIFT) & ((1 << _OFFSET_BITS) - 1)
        keys = bits >> _KEY_SHIFT
        starts = run_starts(keys[1:] != keys[:-1])
        sums = np.stack((counts, counts * offsets, counts * offsets * offsets))
        self._unite(keys[starts], np.add.reduceat(sums, starts, axis=1))
        self.total.add(values, counts)
        if self.squares is not None:
            self.squares.add(values * values, counts)
        self._widen(values[[0, -1]])

    def merge(self, other: Bins) -> None:
        """Add everything that other bins hold."""
        self._unite(other.keys, other._sums)
        self.total.merge(other.total)
        if self.squares is not None and other.squares is not None:
            self.squares.merge(other.squares)
        self._widen(other.ends)

    def _unite(self, keys: Integers, sums: Integers) -> None:
        both = np.concatenate((self.keys, keys))
        if len(both) == 0:
            return
        order = np.argsort(both, kind="stable")
        ordered = both[order]
        starts = run_starts(ordered[1:] != ordered[:-1])
        self.keys = ordered[starts]
        self._sums = np.add.reduceat(np.concatenate((self._sums, sums), axis=1)[:, order], starts, axis=1)

    def _widen(self, ends: Floats) -> None:
        both = np.concatenate((self.ends, ends))
        self.ends = np.array([both.min(), both.max()]) if len(both) else both

    def units(self) -> Units:
        """Return the bins as units to draw again: their means, counts and the variances inside."""
        counts, firsts, seconds = self._sums
        lowest = _as_floats(self.keys << _KEY_SHIFT)
        steps = _as_floats((self.keys << _KEY_SHIFT) + (1 << _OFFSET_SHIFT)) - lowest
        offsets = firsts / counts
        spread = np.maximum(seconds / counts - offsets * offsets, 0.0)
        spread[(firsts % counts == 0) & (firsts // counts * firsts == seconds)] = 0.0  # one value: the rest is rounding
        means = np.clip(lowest + offsets * steps, *self.ends)
        return Units(means, np.ones(len(counts)), counts, spread * steps * steps)


def _as_floats(bits: Integers) -> npt.NDArray[np.float64]:
    return bits.view(np.float64)
