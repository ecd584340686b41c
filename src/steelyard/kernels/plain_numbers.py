"""Columns of plainly spelled numbers: `-12.5%`, `$1,234.50`, `42`. What is spelled otherwise is left to the grammar.

A number is its mantissa and how many decimals it has, so that differences and quotients can be taken exactly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from steelyard.kernels.compiled import BYTES, INTEGERS, Loop
from steelyard.kernels.memory import Integers, arrays
from steelyard.records.blocks import Floats, TextColumn

NONE, PERCENT, DOLLAR = 0, 1, 2
UNIT_NAMES = (None, "%", "$")
"""The unit of each code, as the number grammar names it."""
POWERS = np.array([float(10**power) for power in range(23)])
"""The powers of ten that a double holds exactly."""

numbers_loop = Loop(
    "steelyard.kernels.loops.plain_numbers",
    "read_numbers",
    (BYTES, INTEGERS, INTEGERS, INTEGERS, INTEGERS, INTEGERS),
)


@dataclass(frozen=True, slots=True)
class NumberColumn:
    """Numbers of up to fifteen digits as they are written: `mantissa / 10**decimals`, with a unit."""

    mantissas: Integers
    decimals: Integers
    """-1 where a text is spelled otherwise."""
    units: Integers

    def __len__(self) -> int:
        return len(self.mantissas)

    @property
    def plain(self) -> npt.NDArray[np.bool_]:
        """Which rows could be read."""
        return self.decimals >= 0

    @property
    def values(self) -> Floats:
        """The numbers as written, each the nearest float."""
        return np.asarray(self.mantissas / POWERS[self.decimals], np.float64)

    def kept(self, flags: npt.NDArray[np.bool_]) -> NumberColumn:
        """Return some of the rows."""
        return NumberColumn(self.mantissas[flags], self.decimals[flags], self.units[flags])


def numbers_block(column: TextColumn) -> NumberColumn:
    """Return a column of texts as numbers.

    >>> found = numbers_block(TextColumn.of([" -1,234.50", "12%", "12,5", "two"]))
    >>> found.plain.tolist(), found.values[:2].tolist(), found.units[:2].tolist()
    ([True, True, False, False], [-1234.5, 12.0], [0, 1])
    """
    mantissas, decimals, units = (np.empty(len(column), np.int64) for _ in range(3))
    numbers_loop(*arrays(column), mantissas, decimals, units)
    return NumberColumn(mantissas, decimals, units)
