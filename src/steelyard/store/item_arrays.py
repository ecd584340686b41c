"""Columns of a judged block as Arrow arrays that share their memory.

Beside them columns that are read once and kept.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from steelyard.kernels.writing import gathered
from steelyard.records.blocks import Counts, ErrorTags, Floats, Labels, TextColumn

_FEW_ROWS = 4096
"""Up to so many rows, a list of labels is made faster than the loop is loaded."""
TEXT_KIND, LABEL_KIND = pa.large_string(), pa.string()
Mask = npt.NDArray[np.bool_]
_SURROGATE_LEAD = re.compile(b"\xed")
"""The first byte of a lone surrogate in its own form, and of some hangul."""


def text_array(column: Sequence[str | None], kind: pa.DataType = TEXT_KIND) -> pa.Array:
    """Return a column of text for Parquet; a lone surrogate, which Parquet cannot hold, is kept spelled out."""
    if isinstance(column, TextColumn):
        together = gathered(column)
        if _SURROGATE_LEAD.search(together.data.data) is None:
            return _shared_array(together, kind)
        column = list(column)
    parts = [b"" if text is None else text.encode("utf-8", "backslashreplace") for text in column]
    return _shared_array(TextColumn.of_bytes(parts), kind, _present(column))


# Arrays are made of their buffers: `pa.array` loads pandas wherever that is installed, which takes half a second.


def _shared_array(column: TextColumn, kind: pa.DataType, valid: Mask | None = None) -> pa.Array:
    """Return texts that stand side by side as an array that shares their memory."""
    offsets = np.append(column.starts, column.ends[-1:] if len(column) else [0])
    narrow = offsets.astype(np.int32 if kind == pa.string() else np.int64)
    return pa.Array.from_buffers(kind, len(column), [_bits(valid), pa.py_buffer(narrow), pa.py_buffer(column.data)])


def fixed_array(values: npt.NDArray[Any], kind: pa.DataType, valid: Mask | None = None) -> pa.Array:
    """Return numbers as an array that shares their memory."""
    content = np.ascontiguousarray(values)
    return pa.Array.from_buffers(kind, len(values), [_bits(valid), pa.py_buffer(content)])


def counts_array(rows: Counts) -> pa.Array:
    """Return rows of whole numbers as an array of lists that share their memory."""
    offsets = pa.py_buffer(np.arange(len(rows) + 1, dtype=np.int32) * rows.shape[1])
    numbers = fixed_array(rows.reshape(-1), pa.int64())
    return pa.Array.from_buffers(pa.list_(pa.int64()), len(rows), [None, offsets], children=[numbers])


def _bits(valid: Mask | None) -> pa.Buffer | None:
    if valid is None or valid.all():
        return None
    return pa.py_buffer(np.packbits(valid, bitorder="little"))


def _present(values: Sequence[Any]) -> Mask:
    return np.fromiter((value is not None for value in values), np.bool_, len(values))


def flag_array(values: Mask) -> pa.Array:
    """Return yes and no for each item."""
    packed = pa.py_buffer(np.packbits(values, bitorder="little"))
    return pa.Array.from_buffers(pa.bool_(), len(values), [None, packed])


def label_array(labels: Labels) -> pa.Array:
    """Return a categorical column as text."""
    if len(labels.codes) <= _FEW_ROWS:
        return text_array(np.array([*labels.names, None], object)[labels.codes].tolist(), LABEL_KIND)
    names = TextColumn.of(text_array([*labels.names, ""]).to_pylist())
    spread = TextColumn(names.data, names.starts[labels.codes], names.ends[labels.codes])
    return _shared_array(gathered(spread), LABEL_KIND, labels.codes >= 0)


def detail_array(values: Sequence[Any] | None, kind: pa.DataType, length: int) -> pa.Array:
    """Return what the model or the journal says of each item; null where it says nothing."""
    if values is None:
        return pa.nulls(length, kind)
    if pa.types.is_string(kind):
        return text_array(values, kind)
    numbers = np.array([0 if value is None else value for value in values], kind.to_pandas_dtype())
    return fixed_array(numbers, kind, _present(values))


def float_array(values: Floats) -> pa.Array:
    """Return numbers of which NaN is null."""
    return fixed_array(values, pa.float64(), ~np.isnan(values))


def error_tag_array(tags: ErrorTags) -> pa.Array:
    """Return the tags of each item as a list."""
    sizes = np.array([len(entry) for entry in tags.sets] or [0])[tags.codes]
    offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int32)
    listed = [tag for row in np.flatnonzero(sizes).tolist() for tag in tags[row]]
    return pa.ListArray.from_arrays(fixed_array(offsets, pa.int32()), text_array(listed, LABEL_KIND))


# Columns kept once they were read, up to a fixed number of bytes: a command reads each one once.


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
