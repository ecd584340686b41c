"""Parquet files as rows, a few thousand at a time.

pyarrow reads them: it streams within a row group, and meets a broken file with an exception, where polars panics.
"""

from __future__ import annotations

import datetime
import decimal
import json
import math
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import copyfileobj
from typing import Any, BinaryIO, TypeAlias, cast

from steelyard.errors import excerpt, quoted
from steelyard.reading.limits import MIB, Limits, RowError, bad_file
from steelyard.reading.packed import check_size

Reject: TypeAlias = Callable[[int, RowError, bytes], None]

_AS_THEY_ARE = frozenset((str, int, bool, type(None)))
"""Values that JSON holds as they are."""
BATCH_ROWS = 2048
BATCH_BYTES = 64 * MIB
"""What rows may take that are made at once; fewer are made where they take more."""


def read_parquet(stream: BinaryIO, path: Path, limits: Limits, reject: Reject) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield number and fields of each row of a Parquet file."""
    with _seekable(stream) as source:
        for number, values in enumerate(_rows(source, path, limits), start=1):
            try:
                fields = _plain_fields(values, limits)
            except RowError as error:
                reject(number, error, json.dumps(values, default=str).encode())
            else:
                yield number, fields


def _seekable(stream: BinaryIO) -> BinaryIO:
    """Return the stream, or its bytes in a temporary file where it is compressed as a whole."""
    if stream.seekable():
        return stream
    copy = cast("BinaryIO", tempfile.TemporaryFile())  # noqa: SIM115  the caller closes it
    copyfileobj(stream, copy)
    copy.seek(0)
    return copy


def _rows(source: BinaryIO, path: Path, limits: Limits) -> Iterator[dict[str, Any]]:
    import pyarrow as pa  # noqa: PLC0415  costs a third of a second, and most files are JSONL

    packed, unpacked = source.seek(0, 2), 0
    if not packed:
        return
    try:
        for batch in _open(source, path).iter_batches(BATCH_ROWS):
            size = _unpacked_size(batch)
            unpacked += size
            check_size(unpacked, packed, path, limits)
            step = max(1, BATCH_ROWS * BATCH_BYTES // max(size, BATCH_BYTES))
            for start in range(0, batch.num_rows, step):
                yield from _made(_with_plain_times(batch.slice(start, step)))
    except (pa.ArrowException, OSError, ValueError, KeyError) as error:
        message = f"the Parquet file cannot be read ({excerpt(str(error))}), expected a whole file"
        raise bad_file(path, "corrupt-file", message, hint="fetch or make the file again") from None


def _made(batch: Any) -> Iterator[dict[str, Any]]:
    """Yield the rows of a batch; column by column is several times faster than row by row."""
    names = batch.schema.names
    if not names:
        yield from ({} for _ in range(batch.num_rows))
    for row in zip(*map(_values, batch.columns), strict=True):
        yield dict(zip(names, row, strict=True))


def _values(column: Any) -> list[Any]:
    """Return the values of a column; of a dictionary only what these rows have is made, each once."""
    import numpy as np  # noqa: PLC0415  as above
    import pyarrow as pa  # noqa: PLC0415

    if not pa.types.is_dictionary(column.type):
        return cast("list[Any]", column.to_pylist(maps_as_pydicts="strict"))
    codes = column.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    present, places = np.unique(codes, return_inverse=True)
    nulls = int(present[:1].sum() < 0)
    known = [None] * nulls + column.dictionary.take(pa.array(present[nulls:])).to_pylist()
    return [known[place] for place in places.tolist()]


def _open(source: BinaryIO, path: Path) -> Any:
    """Return the file with its texts as dictionaries, so that one long text many times over stays one text."""
    from pyarrow.parquet import ParquetFile  # noqa: PLC0415

    file = ParquetFile(source, pre_buffer=False)
    _check_names(file.schema_arrow.names, path)
    columns = [file.schema.column(index) for index in range(len(file.schema))]
    texts = [column.path for column in columns if column.physical_type == "BYTE_ARRAY" and "." not in column.path]
    return ParquetFile(source, metadata=file.metadata, read_dictionary=texts, pre_buffer=False)


def _unpacked_size(batch: Any) -> int:
    """Return how many bytes a batch takes once each row holds its own values."""
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    size = batch.num_rows
    for column in batch.columns:
        size += column.nbytes
        if pa.types.is_dictionary(column.type) and _is_text(column.type.value_type):
            lengths = pc.binary_length(column.dictionary.cast(pa.large_binary()))
            size += pc.sum(lengths.take(column.indices)).as_py() or 0
    return int(size)


def _is_text(kind: Any) -> bool:
    import pyarrow as pa  # noqa: PLC0415

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_binary(kind))


def _check_names(names: list[str], path: Path) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        message = f"the column {quoted(twice[0])} stands twice, expected each column once"
        raise bad_file(path, "duplicate-key", message, hint="rename one of the two")


def _with_plain_times(batch: Any) -> Any:
    """Return a batch whose nanosecond times are microseconds, or text where that would lose some.

    Without this pyarrow gives pandas' own type, or raises where pandas is not installed.
    """
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.compute as pc  # noqa: PLC0415

    for index, field in enumerate(batch.schema):
        if pa.types.is_timestamp(field.type) and field.type.unit == "ns":
            try:
                column = batch.column(index).cast(pa.timestamp("us", field.type.tz))
            except pa.ArrowInvalid:
                column = pc.strftime(batch.column(index), format="%Y-%m-%dT%H:%M:%S")
            batch = batch.set_column(index, field.name, column)
    return batch


def _plain_fields(values: dict[str, Any], limits: Limits) -> dict[str, Any]:
    """Return a row as JSON would hold it, or raise a RowError."""
    if _AS_THEY_ARE.issuperset(map(type, values.values())):
        return values
    return {name: _plain(value, name, limits.max_depth - 1) for name, value in values.items()}


def _plain(value: Any, name: str, depth: int) -> Any:
    """Return a value as JSON would hold it, or raise a RowError."""
    match value:
        case None | str() | int():
            return value
        case float():
            return _finite(value, name)
        case decimal.Decimal():
            return int(value) if value == value.to_integral_value() else _finite(float(value), name)
        case datetime.date() | datetime.time():
            return value.isoformat()
        case dict() | list() if depth == 0:
            raise RowError("too-deep", f"the column {quoted(name)} is nested too deeply", None, "raise --max-depth")
        case dict():
            return {str(key): _plain(inner, name, depth - 1) for key, inner in value.items()}
        case list():
            return [_plain(inner, name, depth - 1) for inner in value]
        case _:
            raise _unsupported(value, name)


def _unsupported(value: Any, name: str) -> RowError:
    message = f"the column {quoted(name)} holds {type(value).__name__}, expected text, numbers, lists or structs"
    return RowError("unknown-format", message, None, "leave the column out, or write it as text")


def _finite(value: float, name: str) -> float:
    if not math.isfinite(value):
        message = f"the column {quoted(name)} holds {value}, expected a finite number"
        raise RowError("not-finite", message, None, "write null where there is no number")
    return value
