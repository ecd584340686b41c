"""`eval/items.parquet`: one row per item in dataset order, written block by block, read column by column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from steelyard.errors import InputError, Problem
from steelyard.records.blocks import ErrorTags, Floats, Labels, ScoredBlock, TextColumn
from steelyard.store.files import replacing

_ROWS_IN_GROUP = 65_536

_DETAILS: dict[str, pa.DataType] = {
    "eval_time_ms": pa.float64(),
    "prompt_tokens": pa.int64(),
    "completion_tokens": pa.int64(),
    "conversation": pa.string(),
    "turn": pa.int64(),
    "error": pa.string(),
}


class ItemsWriter:
    """Appends judged blocks to a Parquet file that appears whole or not at all."""

    def __init__(self, path: Path, *, score_names: Sequence[str], tag_keys: Sequence[str]) -> None:
        self.score_names = tuple(score_names)
        self.tag_keys = tuple(tag_keys)
        self.schema = _schema(self.score_names, self.tag_keys)
        self._replacing = replacing(path)
        self._pending: list[pa.Table] = []
        self._rows = 0

    def __enter__(self) -> Self:
        self._stream = self._replacing.__enter__()
        self._writer = pq.ParquetWriter(
            self._stream, self.schema, compression="zstd", compression_level=1, store_schema=False
        )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._flush()
            self._writer.close()
        self._replacing.__exit__(kind, error, trace)

    def write(self, block: ScoredBlock) -> None:
        """Append one block. Row groups do not depend on how the items were cut into blocks."""
        self._pending.append(_table(block, self.schema, self.score_names, self.tag_keys))
        self._rows += len(block)
        if self._rows >= _ROWS_IN_GROUP:
            whole = pa.concat_tables(self._pending)
            self._pending = []
            while whole.num_rows >= _ROWS_IN_GROUP:
                self._writer.write_table(whole.slice(0, _ROWS_IN_GROUP), row_group_size=_ROWS_IN_GROUP)
                whole = whole.slice(_ROWS_IN_GROUP)
            self._pending = [whole]
            self._rows = whole.num_rows

    def _flush(self) -> None:
        if self._rows:
            self._writer.write_table(pa.concat_tables(self._pending), row_group_size=_ROWS_IN_GROUP)


def _schema(score_names: Sequence[str], tag_keys: Sequence[str]) -> pa.Schema:
    text = pa.large_string()
    return pa.schema(
        [
            ("item_id", text),
            ("state", pa.string()),
            ("expected", text),
            ("predicted", text),
            ("correctness", pa.float64()),
            ("eval_time_ms", pa.float64()),
            ("pass", pa.bool_()),
            ("input", text),
            ("output", text),
            ("error_tags", pa.list_(pa.string())),
            ("explain", text),
            ("item_hash", pa.string()),
            *((f"score.{name}", pa.float64()) for name in score_names),
            *((f"tag.{key}", pa.string()) for key in tag_keys),
            *((name, kind) for name, kind in _DETAILS.items() if name != "eval_time_ms"),
        ]
    )


def _table(block: ScoredBlock, schema: pa.Schema, score_names: Sequence[str], tag_keys: Sequence[str]) -> pa.Table:
    empty: Sequence[None] = [None] * len(block)
    columns: dict[str, pa.Array] = {
        "item_id": text_array(block.ids),
        "state": label_array(block.states),
        "expected": text_array(block.expected),
        "predicted": text_array(block.predicted),
        "correctness": pa.array(block.primary),
        "pass": pa.array(block.passed),
        "input": text_array(block.inputs),
        "output": text_array(block.outputs),
        "error_tags": _error_tag_array(block.error_tags),
        "explain": text_array(block.explain),
        "item_hash": pa.array(block.item_hashes, pa.string()),
    }
    columns |= {name: pa.array(block.details.get(name, empty), kind) for name, kind in _DETAILS.items()}
    columns |= {f"score.{name}": _float_array(block.scores.get(name), len(block)) for name in score_names}
    columns |= {f"tag.{key}": _tag_array(block.tags.get(key), len(block)) for key in tag_keys}
    return pa.table([columns[name] for name in schema.names], schema=schema)


def text_array(column: Sequence[str | None]) -> pa.Array:
    """Return a column of text for Parquet; a lone surrogate, which Parquet cannot hold, is kept spelled out."""
    if isinstance(column, TextColumn):
        column = list(column)
    try:
        return pa.array(column, pa.large_string())
    except UnicodeEncodeError:
        return pa.array([None if text is None else _spelled(text) for text in column], pa.large_string())


def _spelled(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def label_array(labels: Labels) -> pa.Array:
    """Return a categorical column as text."""
    codes = pa.array(labels.codes, mask=labels.codes < 0)
    return pa.DictionaryArray.from_arrays(codes, pa.array(labels.names, pa.string())).cast(pa.string())


def _tag_array(labels: Labels | None, length: int) -> pa.Array:
    return pa.nulls(length, pa.string()) if labels is None else label_array(labels)


def _float_array(values: Floats | None, length: int) -> pa.Array:
    return pa.nulls(length, pa.float64()) if values is None else pa.array(values, mask=np.isnan(values))


def _error_tag_array(tags: ErrorTags) -> pa.Array:
    return pa.array([list(entry) for entry in tags.sets], pa.list_(pa.string())).take(pa.array(tags.codes))


def read_items(path: Path, *, columns: Sequence[str] | None = None) -> Iterator[list[dict[str, Any]]]:
    """Yield the stored items as rows, a few thousand at a time."""
    try:
        file = pq.ParquetFile(path)
        for batch in file.iter_batches(batch_size=8192, columns=list(columns) if columns else None):
            yield batch.to_pylist()
    except (OSError, pa.ArrowInvalid) as error:
        raise InputError(
            Problem(
                code="run-damaged",
                message=f"the stored items cannot be read: {str(error).splitlines()[0]}",
                hint="`steelyard rescore RUN` derives them anew",
                file=str(path),
            )
        ) from error
