"""Columns kept once they were read, up to a fixed number of bytes: a command reads each one once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, TypeVar

import numpy.typing as npt

from steelyard.records.blocks import Labels

KEPT_BYTES = 128 << 20
"""Sixteen numbers of a million items; what was used longest ago goes first."""

Column = TypeVar("Column", bound=npt.NDArray[Any] | Labels)


class KeptColumns:
    """Columns by name; one that alone is larger than the limit is never kept."""

    def __init__(self, limit: int = KEPT_BYTES) -> None:
        self._limit = limit
        self._columns: OrderedDict[str, tuple[object, int]] = OrderedDict()
        self._bytes = 0

    def get(self, name: str, read: Callable[[], Column]) -> Column:
        """Return a column, read where it is not kept."""
        if name in self._columns:
            self._columns.move_to_end(name)
            return self._columns[name][0]  # type: ignore[return-value]  # a name stands for one kind of column
        column = read()
        size = column.codes.nbytes if isinstance(column, Labels) else column.nbytes
        if size <= self._limit:
            self._columns[name] = (column, size)
            self._bytes += size
            self._make_room()
        return column

    def _make_room(self) -> None:
        while self._bytes > self._limit:
            _, (_, size) = self._columns.popitem(last=False)
            self._bytes -= size
