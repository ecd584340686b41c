"""Whether stored items are what is written there: the columns and their kinds, texts, scores, states.

A file of items is read as columns, so each column is held to this when it is read. What does not hold is an
`ArrowInvalid`, as what Arrow itself finds wrong is.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as kinds

from steelyard.records.items import STATES
from steelyard.registry import is_bounded
from steelyard.store.items import CLASSES, COUNTS_PREFIX, FIXED, SCORE_PREFIX, TAG_PREFIX, details

_PRESENT = ("item_id", "state", "correctness", "pass", "item_hash", "error_tags")
"""Columns in which every item has a value."""
_STATES = pa.array(STATES, pa.string())


def check_kinds(schema: pa.Schema) -> None:
    """Raise where a column is missing, or holds another kind of value than is written there."""
    missing = [name for name in FIXED if name not in schema.names]
    if missing:
        raise pa.ArrowInvalid(f"there is no column {missing[0]}")
    for field in schema:
        expected = _kind(field.name)
        if expected is not None and not _alike(field.type, expected):
            raise pa.ArrowInvalid(f"the column {field.name} holds {field.type}, expected {expected}")


def _kind(name: str) -> pa.DataType | None:
    """Return what a column holds; None for one that nothing reads."""
    if name.startswith(SCORE_PREFIX):
        return pa.float64()
    if name.startswith(COUNTS_PREFIX):
        return pa.list_(pa.int64())
    if name.startswith(TAG_PREFIX) or name in CLASSES:
        return pa.string()
    return {**FIXED, **details()}.get(name)


def _alike(found: pa.DataType, expected: pa.DataType) -> bool:
    """Return whether a column is of a kind, long texts or short ones alike."""
    if kinds.is_list(expected):
        return bool(kinds.is_list(found)) and _alike(found.value_type, expected.value_type)
    if kinds.is_string(expected) or kinds.is_large_string(expected):
        return bool(kinds.is_string(found) or kinds.is_large_string(found))
    return bool(found == expected)


def check_column(name: str, column: pa.Array | pa.ChunkedArray) -> None:
    """Raise where a column holds what no item has."""
    column.validate(full=True)
    if name in _PRESENT and column.null_count:
        raise pa.ArrowInvalid(f"{column.null_count} items have no {name}")
    if not _every(_holds(name, column)):
        raise pa.ArrowInvalid(f"{name} has a value that no item can have")


def _holds(name: str, column: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray | None:
    """Return for each value whether an item can have it; None where any value will do."""
    if name == "state":
        return pc.is_in(column, value_set=_STATES)
    if name == "correctness":
        # A dry run has no scores.
        return pc.or_(_is_share(column), pc.is_nan(column))
    if name.startswith(SCORE_PREFIX) and is_bounded(name.removeprefix(SCORE_PREFIX)):
        return _is_share(column)
    return pc.is_finite(column) if kinds.is_floating(column.type) else None


def _is_share(column: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    return pc.and_(pc.greater_equal(column, 0), pc.less_equal(column, 1))


def _every(holds: pa.Array | pa.ChunkedArray | None) -> bool:
    """Return whether something holds for all values that there are."""
    return holds is None or pc.all(holds).as_py() is not False
