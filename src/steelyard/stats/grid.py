"""Many values as counts on a fixed grid, without sorting them.

A value is rounded to 2^-30 of the range, and what is added up are whole numbers, so the result is the same in whatever
order the values come. Sorting 100,000 values takes longer than 1,000 rounds of drawing from their grid.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int64]

AT_ONCE = 16_384
"""Values handled at once: their arrays stay in the cache, and sums of squared offsets stay under 2^53."""

_STEP_BITS = 30
_OFFSET_BITS = 18
_BINS = (1 << (_STEP_BITS - _OFFSET_BITS)) + 1


@dataclass(frozen=True, slots=True)
class Grid:
    """Bins that hold something, in ascending order: mean, count and variance inside."""

    means: Floats
    counts: Integers
    variances: Floats

    @property
    def pure(self) -> bool:
        """Whether no bin holds two values that the grid can tell apart."""
        return not self.variances.any()


def portions(values: Floats) -> Iterator[Floats]:
    """Yield the values in pieces that fit the cache."""
    for start in range(0, len(values), AT_ONCE):
        yield values[start : start + AT_ONCE]


def grid_of(values: Floats) -> Grid | None:
    """Return values on a grid between their smallest and largest; None where that range has no usable size."""
    low, width = float(values.min()), float(values.max()) - float(values.min())
    if not 1e-300 < width < math.inf:
        return None
    counts, firsts, seconds = (np.zeros(_BINS, dtype=np.int64) for _ in range(3))
    for part in portions(values):
        steps = np.rint((part - low) * ((1 << _STEP_BITS) / width)).astype(np.int64)
        bins, offsets = steps >> _OFFSET_BITS, (steps & ((1 << _OFFSET_BITS) - 1)).astype(np.float64)
        counts += np.bincount(bins, minlength=_BINS)
        firsts += np.bincount(bins, weights=offsets, minlength=_BINS).astype(np.int64)
        seconds += np.bincount(bins, weights=offsets * offsets, minlength=_BINS).astype(np.int64)
    held = np.flatnonzero(counts)
    return _grid(held, counts[held], firsts[held], seconds[held], low, width / (1 << _STEP_BITS))


def _grid(
    held: npt.NDArray[np.intp], counts: Integers, firsts: Integers, seconds: Integers, low: float, step: float
) -> Grid:
    offsets = firsts / counts
    squares = seconds / counts - offsets * offsets
    # A mean of whole offsets that has no remainder and no spread left: the bin holds one value.
    squares[(firsts % counts == 0) & (squares <= 1e-12 * offsets * offsets)] = 0.0
    means = low + (held * float(1 << _OFFSET_BITS) + offsets) * step
    return Grid(means, counts, np.maximum(squares, 0.0) * step * step)
