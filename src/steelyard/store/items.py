"""`eval/items.parquet`: one row per item in dataset order, written block by block, read column by column."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any, BinaryIO, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from steelyard.errors import InputError, Problem
from steelyard.records.blocks import ScoredBlock
from steelyard.records.measures import measures
from steelyard.store.files import replacing
from steelyard.store.item_arrays import (
    LABEL_KIND,
    TEXT_KIND,
    counts_array,
    detail_array,
    error_tag_array,
    fixed_array,
    flag_array,
    float_array,
    label_array,
    text_array,
)

# Row groups come and go: the system's allocator gives their memory back, Arrow's own keeps twice as much.
pa.set_memory_pool(pa.system_memory_pool())

_ROWS_IN_GROUP = 32_768

SCORE_PREFIX = "score."
TAG_PREFIX = "tag."
COUNTS_PREFIX = "counts."
"""Before a corpus metric's name: the whole numbers of each item whose sums make the metric."""
CLASSES = ("truth", "guess")
"""Columns of a classification only: the labels that its confusion matrix counts."""

_PLACES = {"conversation": pa.string(), "turn": pa.int64(), "error": pa.string()}
_FIRST = ("eval_time_ms", "prompt_tokens", "completion_tokens")
"""The measures that stand before the places of an item: files of every version have their columns in one order."""


def details() -> dict[str, pa.DataType]:
    """Return the columns that are stored and not aggregated: every measure of a prediction, and places of its item."""
    found = {measure.name: pa.float64() if measure.kind == "amount" else pa.int64() for measure in measures()}
    first = {name: found.pop(name) for name in _FIRST}
    return first | _PLACES | found


class ItemsWriter:
    """Appends judged blocks to a Parquet file that appears whole or not at all.

    The columns are those that occur: a tag or score that first shows up late is null in every row before. Row groups do
    not depend on how the items were cut into blocks, so the bytes depend on the items alone.
    """

    def __init__(self, path: Path, group_rows: int | None = None) -> None:
        """Begin a file; `group_rows` is how many rows are held until they are written, fewer where texts are long."""
        self._group_rows = group_rows or _ROWS_IN_GROUP
        self._replacing = replacing(path)
        self._pending: list[pa.Table] = []
        self._rows = 0
        self._writer: pq.ParquetWriter | None = None
        self._schema = _schema(())
        self._compression: dict[str, str] = {}

    def __enter__(self) -> Self:
        self._stream = self._replacing.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._flush()
        if self._writer is not None:
            self._writer.close()
        self._replacing.__exit__(kind, error, trace)

    def write(self, block: ScoredBlock) -> None:
        """Append one block."""
        self._pending.append(_table(block))
        self._rows += len(block)
        if self._rows < self._group_rows:
            return
        whole = _united(self._pending)
        while whole.num_rows >= self._group_rows:
            self._write_group(whole.slice(0, self._group_rows))
            whole = whole.slice(self._group_rows)
        self._pending, self._rows = [whole], whole.num_rows

    def _flush(self) -> None:
        if self._rows or self._writer is None:
            self._write_group(_united(self._pending) if self._pending else self._schema.empty_table())

    def _write_group(self, table: pa.Table) -> None:
        if self._writer is None or not set(table.schema.names) <= set(self._schema.names):
            self._widen(table)
        assert self._writer is not None
        # In one piece: where pages end would otherwise depend on where blocks did.
        whole = _aligned(table, self._schema).combine_chunks()
        self._writer.write_table(whole, row_group_size=self._group_rows)

    def _widen(self, table: pa.Table) -> None:
        """Begin the file with the columns there are, or begin it again with further ones."""
        self._schema = _schema({*self._schema.names, *table.schema.names})
        earlier = self._earlier_groups()
        if not self._compression:
            self._compression = {name: _compression(table.column(name)) for name in _TEXT}
        self._writer = _writer(self._stream, self._schema, self._compression)
        if earlier is not None:
            with earlier:
                file = pq.ParquetFile(earlier)
                for group in range(file.num_row_groups):
                    table = _aligned(file.read_row_group(group), self._schema)
                    self._writer.write_table(table, row_group_size=self._group_rows)

    def _earlier_groups(self) -> IO[bytes] | None:
        if self._writer is None:
            return None
        self._writer.close()
        earlier = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
        self._stream.seek(0)
        shutil.copyfileobj(self._stream, earlier)
        self._stream.seek(0)
        self._stream.truncate()
        return earlier


FIXED: dict[str, pa.DataType] = {
    "item_id": pa.large_string(),
    "state": pa.string(),
    "expected": pa.large_string(),
    "predicted": pa.large_string(),
    "correctness": pa.float64(),
    "eval_time_ms": pa.float64(),
    "pass": pa.bool_(),
    "input": pa.large_string(),
    "output": pa.large_string(),
    "error_tags": pa.list_(pa.string()),
    "explain": pa.large_string(),
    "item_hash": pa.string(),
}
_TEXT = ("item_id", "expected", "predicted", "input", "output", "explain", "item_hash")
"""Columns whose values rarely repeat: a dictionary or smallest and largest values would cost time and tell nothing."""
_SCORE_KIND = pa.float64()
_COUNTS_KIND = pa.list_(pa.int64())
_SAMPLE_ROWS, _SAMPLE_BYTES = 2048, 1 << 16
_WORTH_IT = 0.45
"""A column that LZ4 leaves larger than this share is stored as it is: compressing a million short answers with their
explanations would take a twentieth of their evaluation and save a fifth of their file."""


def _schema(names: Collection[str]) -> pa.Schema:
    """Return the columns in their order: the fixed ones, scores, numbers of corpus metrics, tags, details."""
    counts = sorted(name for name in names if name.startswith(COUNTS_PREFIX))
    scores = sorted(name for name in names if name.startswith(SCORE_PREFIX))
    tags = sorted(name for name in names if name.startswith(TAG_PREFIX))
    return pa.schema(
        [
            *FIXED.items(),
            *((name, _SCORE_KIND) for name in scores),
            *((name, _COUNTS_KIND) for name in counts),
            *((name, LABEL_KIND) for name in tags),
            *((name, kind) for name, kind in details().items() if name not in FIXED),
            *((name, LABEL_KIND) for name in CLASSES if name in names),
        ]
    )


def _compression(column: pa.ChunkedArray) -> str:
    """Return how a column of text is stored, from its first texts: hashes and short answers hardly shrink."""
    texts = column.slice(0, _SAMPLE_ROWS).to_pylist()
    sample = "".join(text or "" for text in texts).encode()[:_SAMPLE_BYTES]
    return "lz4" if len(pa.compress(sample, "lz4_raw", asbytes=True)) <= _WORTH_IT * len(sample) else "none"


def _writer(stream: BinaryIO, schema: pa.Schema, text_compression: Mapping[str, str]) -> pq.ParquetWriter:
    """Return a writer that spends its time where it pays; LZ4 takes half as long as zstd."""
    leaves = [f"{field.name}.list.element" if pa.types.is_list(field.type) else field.name for field in schema]
    repeating = [name for name in leaves if name not in _TEXT]
    compression = {name: text_compression.get(name, "lz4") for name in leaves}
    return pq.ParquetWriter(
        stream,
        schema,
        compression=compression,
        use_dictionary=repeating,
        write_statistics=repeating,
        store_schema=False,
    )


def _table(block: ScoredBlock) -> pa.Table:
    predicted = text_array(block.predicted)
    columns: dict[str, pa.Array] = {
        "item_id": text_array(block.ids),
        "state": label_array(block.states),
        "expected": text_array(block.expected),
        "predicted": predicted,
        "correctness": fixed_array(block.primary, pa.float64()),
        "pass": flag_array(block.passed),
        "input": text_array(block.inputs),
        "output": predicted if block.outputs is block.predicted else text_array(block.outputs),
        "error_tags": error_tag_array(block.error_tags),
        "explain": text_array(block.explain),
        "item_hash": text_array(block.item_hashes, LABEL_KIND),
    }
    columns |= {name: detail_array(block.details.get(name), kind, len(block)) for name, kind in details().items()}
    columns |= {SCORE_PREFIX + name: float_array(values) for name, values in block.scores.items()}
    columns |= {COUNTS_PREFIX + name: counts_array(rows) for name, rows in block.counts.items()}
    columns |= {TAG_PREFIX + _spelled(key): label_array(labels) for key, labels in block.tags.items()}
    classes = dict(zip(CLASSES, (block.truth, block.guess), strict=True))
    columns |= {name: label_array(labels) for name, labels in classes.items() if labels is not None}
    schema = _schema(columns)
    return pa.table([columns[name] for name in schema.names], schema=schema)


def _spelled(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def _united(tables: Sequence[pa.Table]) -> pa.Table:
    names = {name for table in tables for name in table.schema.names}
    schema = _schema(names)
    return pa.concat_tables([_aligned(table, schema) for table in tables])


def _aligned(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return a table with a schema's columns; one that it lacks is null throughout."""
    if table.schema.equals(schema):
        return table
    present = set(table.schema.names)
    columns = [
        _of_kind(table.column(field.name), field.type)
        if field.name in present
        else pa.nulls(table.num_rows, field.type)
        for field in schema
    ]
    return pa.table(columns, schema=schema)


def _of_kind(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray:
    return column if column.type.equals(kind) else column.cast(kind)


def read_items(path: Path, *, columns: Sequence[str] | None = None) -> Iterator[list[dict[str, Any]]]:
    """Yield the stored items as rows, a few thousand at a time."""
    try:
        file = pq.ParquetFile(path)
        for batch in file.iter_batches(batch_size=8192, columns=list(columns) if columns else None):
            yield batch.to_pylist()
    except (OSError, pa.ArrowInvalid) as error:
        raise _unreadable(path, error) from error


def items_digest(path: Path) -> str:
    """Return the hash of which items a file holds: their ids and content hashes in order, and nothing derived.

    Texts and their lengths are hashed apart, so that neither row groups nor batches show in it.
    """
    hashes = {name: (hashlib.sha256(), hashlib.sha256()) for name in ("item_id", "item_hash")}
    try:
        # Reading ahead would hold both columns of the whole file.
        file = pq.ParquetFile(path, pre_buffer=False)
        for batch in file.iter_batches(batch_size=8192, columns=list(hashes), use_threads=False):
            for name, (texts, lengths) in hashes.items():
                column = batch.column(name).cast(TEXT_KIND)
                offsets = np.frombuffer(column.buffers()[1], np.int64)[column.offset : column.offset + len(column) + 1]
                texts.update(_characters(column, offsets))
                # Arrow's own way to numpy imports pandas wherever that is installed: 0.4 s and 70 MB.
                lengths.update(np.diff(offsets).data)
    except (OSError, pa.ArrowException) as error:
        raise _unreadable(path, error) from error
    parts = [found.hexdigest() for pair in hashes.values() for found in pair]
    return "sha256:" + hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _characters(column: pa.Array, offsets: npt.NDArray[np.int64]) -> memoryview:
    """Return the texts of a column one after another, without a copy."""
    return memoryview(column.buffers()[2] or b"")[int(offsets[0]) : int(offsets[-1])]


def _unreadable(path: Path, error: Exception) -> InputError:
    message = f"the stored items cannot be read: {(str(error).splitlines() or [''])[0]}"
    return InputError(Problem("run-damaged", message, hint="`steelyard rescore RUN` derives them anew", file=str(path)))
