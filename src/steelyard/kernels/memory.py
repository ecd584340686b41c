"""Columns of text as the arrays that loops take, and columns that loops have written."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from steelyard.records.blocks import TextColumn

PADDING = 64
"""Loops that take 64 bytes at once read this far behind a text."""

Bytes = npt.NDArray[np.uint8]
Integers = npt.NDArray[np.int64]
Arrays = tuple[Bytes, Integers, Integers]


def arrays(column: TextColumn) -> Arrays:
    """Return the arrays of a column as loops take them, without gaps between entries."""
    return column.data, np.ascontiguousarray(column.starts), np.ascontiguousarray(column.ends)


def padded(column: TextColumn) -> Arrays:
    """Return the arrays of a column, with room behind the last text."""
    data, starts, ends = arrays(column)
    if int(ends.max(initial=0)) + PADDING > len(data):
        data = np.concatenate([data, np.zeros(PADDING, np.uint8)])
    return data, starts, ends


def longest(column: TextColumn) -> int:
    """Return the bytes of the longest row."""
    return int((column.ends - column.starts).max(initial=0))


def total(column: TextColumn) -> int:
    """Return the bytes of all rows."""
    return int((column.ends - column.starts).sum())


def between(data: Bytes, offsets: Integers) -> TextColumn:
    """Return texts that stand side by side as a column."""
    return TextColumn(data, offsets[:-1], offsets[1:])
