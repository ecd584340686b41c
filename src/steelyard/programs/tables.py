"""Rows of a document's table as numbers, read as ConvFinQA's own code reads them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias

Cell: TypeAlias = str | float | bool | None
Table: TypeAlias = Mapping[str, Mapping[str, Cell]] | Sequence[Sequence[Cell]]
"""Either ConvFinQA's `{column: {row: cell}}` or a list of rows that begin with their name."""

_NEGATIVE = re.compile(r"\(\s*([^()]+?)\s*\)")
_PLAIN = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(%)?", re.ASCII)


def row_names(table: Table) -> list[str]:
    """Return the names of a table's rows, each once."""
    if isinstance(table, Mapping):
        return list(dict.fromkeys(name for column in table.values() for name in column))
    return list(dict.fromkeys(str(row[0]) for row in table if row))


def row_cells(table: Table, name: str) -> list[Cell] | None:
    """Return the cells of a row, or None when there is no such row.

    >>> row_cells({"2008": {"income": 12.0}, "2009": {"income": 15.5}}, "income")
    [12.0, 15.5]
    >>> row_cells([["", "2008", "2009"], ["income", "$ 12", "1,234"]], "income")
    ['$ 12', '1,234']
    """
    if isinstance(table, Mapping):
        cells = [column[name] for column in table.values() if name in column]
        return cells or None
    # Of two rows with one name the reference code takes the last.
    return next((list(row[1:]) for row in reversed(table) if row and str(row[0]) == name), None)


def cell_number(cell: Cell) -> float | None:
    """Return a cell as a number, or None when it is not one.

    ConvFinQA writes a negative as `-94 ( 94 )`, and its code reads what stands before the parenthesis.

    >>> [cell_number(cell) for cell in ("$ 1,234", "-94 ( 94 )", "(94)", "12.5%", "n/a")]
    [1234.0, -94.0, -94.0, 0.125, None]
    """
    if isinstance(cell, bool) or cell is None:
        return None
    if isinstance(cell, (int, float)):
        return _finite(cell)
    text = cell.replace("$", "").replace(",", "").strip()
    if match := _NEGATIVE.fullmatch(text):
        value = _plain(match[1])
        return None if value is None else -value
    return _plain(text.split("(", 1)[0].strip())


def _plain(text: str) -> float | None:
    match = _PLAIN.fullmatch(text)
    if match is None:
        return None
    value = float(match[1])
    return _finite(value / 100.0 if match[2] else value)


def _finite(number: float) -> float | None:
    try:
        value = float(number)
    except OverflowError:
        return None
    return value if math.isfinite(value) else None
