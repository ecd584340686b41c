"""Sums that do not depend on the order or the partition of what is added.

Every double is an integer times a power of two, so a sum of doubles can be kept as one integer. Blocks and workers can
then add in any order, and the rounded result is the one of `math.fsum` over everything at once.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from steelyard.stats.grid import AT_ONCE

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
