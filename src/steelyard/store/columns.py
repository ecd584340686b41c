"""`eval/items.parquet` as columns: each is read when it is asked for, so a million items need no million rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from steelyard.errors import InputError, Problem
from steelyard.records.blocks import Counts, Floats, Labels
from steelyard.records.columns import WEIGHT, Rows
from steelyard.store.item_arrays import KeptColumns
from steelyard.store.item_checks import check_column, check_kinds
from steelyard.store.items import COUNTS_PREFIX, SCORE_PREFIX, TAG_PREFIX

ROWS_IN_BATCH = 65_536
RECORD = ("item_id", "expected", "predicted", "correctness", "eval_time_ms")
"""Seed 000's record of an item, in its order."""
SCORECARD = ("state", "expected", "predicted", "correctness", "pass", "input", "output", "error_tags", "explain")


class StoredColumns:
    """The items of one stored run."""

    def __init__(self, path: Path, *, primary: str, labels: Sequence[str] | None = None) -> None:
        self.path = path
        self.primary = primary
        self._labels = None if labels is None else frozenset(labels)
        """The labels of a classification; a guess outside them is no label."""
        self._kept = KeptColumns()

    @cached_property
    def _file(self) -> pq.ParquetFile:
        with damage(self.path):
            found = pq.ParquetFile(self.path, memory_map=True)
            check_kinds(found.schema_arrow)
        return found

    @cached_property
    def _names(self) -> list[str]:
        return list(self._file.schema_arrow.names)

    def __len__(self) -> int:
        return int(self._file.metadata.num_rows)

    def _read(self, name: str) -> pa.Array:
        with damage(self.path):
            found = self._file.read(columns=[name]).column(0)
            check_column(name, found)
            column = found.combine_chunks()
        return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column

    @property
    def column_names(self) -> list[str]:
        """The names of all columns, as the file has them."""
        return self._names

    def column(self, name: str) -> pa.Array:
        """Return a column as it is stored."""
        return self._read(name)

    @property
    def repeats(self) -> int:
        """How many answers of each item the run has."""
        return 1

    def answers(self) -> Labels:
        """Return what was extracted from each output; code -1 where nothing could be."""
        return self._label_column("predicted")

    @property
    def number_names(self) -> list[str]:
        """The names of all per-item numbers, the primary first; weights are no numbers of their own."""
        scores = [name.removeprefix(SCORE_PREFIX) for name in self._names if name.startswith(SCORE_PREFIX)]
        return [self.primary, *(name for name in scores if name != self.primary and not name.endswith(WEIGHT))]

    @property
    def tag_keys(self) -> list[str]:
        """The keys of all tags."""
        return [name.removeprefix(TAG_PREFIX) for name in self._names if name.startswith(TAG_PREFIX)]

    def ids(self) -> pa.Array:
        """Return the item ids."""
        return self._read("item_id")

    def hashes(self) -> pa.Array:
        """Return the content hashes."""
        return self._read("item_hash")

    def key_batches(self) -> Iterator[tuple[pa.Array, pa.Array]]:
        """Yield ids and content hashes, a fixed number of items at a time."""
        with damage(self.path):
            for batch in self._file.iter_batches(batch_size=ROWS_IN_BATCH, columns=["item_id", "item_hash"]):
                for name in ("item_id", "item_hash"):
                    check_column(name, batch.column(name))
                yield batch.column("item_id"), batch.column("item_hash")

    def inputs(self) -> pa.Array:
        """Return the inputs."""
        return self._read("input")

    def number(self, name: str) -> Floats | None:
        """Return a per-item number, NaN where it is null; None where the run does not have it."""
        column = "correctness" if name == self.primary else SCORE_PREFIX + name
        return self._floats(column) if column in self._names else None

    def _floats(self, column: str) -> Floats:
        return self._kept.get(column, lambda: _floats(self._read(column)))

    def _label_column(self, column: str) -> Labels:
        return self._kept.get(column, lambda: _labels(self._read(column)))

    def counts(self, name: str) -> Counts | None:
        """Return the whole numbers of each item for a corpus metric, one row each; None where they are not stored."""
        if COUNTS_PREFIX + name not in self._names:
            return None
        return self._kept.get(COUNTS_PREFIX + name, lambda: self._read_counts(COUNTS_PREFIX + name))

    def _read_counts(self, name: str) -> Counts:
        column = self._read(name)
        numbers: Counts = column.flatten().to_numpy(zero_copy_only=False)
        return numbers.reshape(len(column), -1 if len(column) else 0)

    def tag(self, key: str) -> Labels:
        """Return a tag; code -1 where an item lacks it."""
        if TAG_PREFIX + key not in self._names:
            return Labels((), np.full(len(self), -1, np.int32))
        return self._label_column(TAG_PREFIX + key)

    def states(self) -> Labels:
        """Return the state of each item."""
        return self._label_column("state")

    def passed(self) -> npt.NDArray[np.bool_]:
        """Return whether each item passed."""
        return self._kept.get("pass", lambda: self._read("pass").to_numpy(zero_copy_only=False))

    def clusters(self) -> Labels | None:
        """Return the conversation of each item; None where there are none."""
        found = self._label_column("conversation")
        return found if found.names else None

    def classes(self) -> tuple[Labels, Labels] | None:
        """Return the true and the guessed label of each item; None where the task is no classification."""
        if "truth" not in self._names or "guess" not in self._names:
            return None
        return self._label_column("truth"), self._kept.get("guess", self._guesses)

    def _guesses(self) -> Labels:
        found = _labels(self._read("guess"))
        if self._labels is None:
            return found
        kept = np.array(
            [*(code if name in self._labels else -1 for code, name in enumerate(found.names)), -1], np.int32
        )
        return Labels(found.names, kept[found.codes])

    def losses(self) -> tuple[Floats, Floats] | None:
        """Return the loss and the number of tokens of each item; None where there are none."""
        if "loss" not in self._names:
            return None
        losses = self._floats("loss")
        return None if np.isnan(losses).all() else (losses, self._floats("n_tokens"))

    def error_tags(self) -> dict[str, int]:
        """Return how many items have each error tag."""
        counts = pc.value_counts(pc.list_flatten(self._read("error_tags")))
        return {entry["values"]: entry["counts"] for entry in counts.to_pylist()}

    def details(self, rows: Rows) -> list[dict[str, Any]]:
        """Return a few items whole: input, reference, output and scorecard."""
        scores = [name for name in self._names if name.startswith((SCORE_PREFIX, TAG_PREFIX))]
        found = self._take(["item_id", *SCORECARD, *scores], rows)
        return [_detail(entry) for entry in found]

    def records(self, rows: Rows) -> list[dict[str, Any]]:
        """Return items as seed 000's records: a time in whole milliseconds, and null where there is no number."""
        return [_record(entry) for entry in self._take(RECORD, rows)]

    def _take(self, names: Sequence[str], rows: Rows) -> list[dict[str, Any]]:
        """Return some rows, reading only the row groups that hold them."""
        metadata = self._file.metadata
        sizes = [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]
        starts = np.cumsum([0, *sizes])
        groups = np.searchsorted(starts, rows, side="right") - 1
        found: dict[int, dict[str, Any]] = {}
        for group in np.unique(groups).tolist():
            wanted = rows[groups == group]
            with damage(self.path):
                table = self._file.read_row_group(group, columns=list(names))
                for name in table.column_names:
                    check_column(name, table.column(name))
            listed = table.take(pa.array(wanted - starts[group])).to_pylist()
            found |= dict(zip(wanted.tolist(), listed, strict=True))
        return [found[row] for row in rows.tolist()]


def _record(entry: dict[str, Any]) -> dict[str, Any]:
    time = _number(entry["eval_time_ms"])
    ready = {"correctness": _number(entry["correctness"]), "eval_time_ms": None if time is None else round(time)}
    return {**{name: entry[name] for name in RECORD}, **ready}


def _number(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else value


def _detail(entry: dict[str, Any]) -> dict[str, Any]:
    named = ("item_id", "state", "input", "expected", "predicted", "output")
    tags = {name.removeprefix(TAG_PREFIX): value for name, value in entry.items() if name.startswith(TAG_PREFIX)}
    parts = {name.removeprefix(SCORE_PREFIX): value for name, value in entry.items() if name.startswith(SCORE_PREFIX)}
    return {
        **{name: entry[name] for name in named},
        "tags": {key: value for key, value in tags.items() if value is not None},
        "scorecard": {
            "primary_score": _number(entry["correctness"]),
            "pass": entry["pass"],
            "sub_scores": parts,
            "error_tags": entry["error_tags"],
            "explain": entry["explain"],
        },
    }


def _floats(column: pa.Array) -> Floats:
    found: Floats = pc.cast(column, pa.float64()).to_numpy(zero_copy_only=False)
    return found


def _labels(column: pa.Array) -> Labels:
    encoded = column.dictionary_encode()
    codes = pc.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False).astype(np.int32)
    return Labels(encoded.dictionary.to_pylist(), codes)


@contextmanager
def damage(path: Path) -> Iterator[None]:
    """Give a file that cannot be read, or lacks what it must have, its type and a way out."""
    try:
        yield
    except (OSError, pa.ArrowException) as error:
        raise InputError(
            Problem(
                code="run-damaged",
                message=f"the stored items cannot be read: {str(error).splitlines()[0]}",
                hint="`steelyard rescore RUN` derives them anew",
                file=str(path),
            )
        ) from error
