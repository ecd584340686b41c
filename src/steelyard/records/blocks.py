"""Columns over consecutive items: what streams from room to room.

A block holds a few thousand items in dataset order. A column of text is any sequence of strings; a reader that can
do so hands over a `TextColumn`, which keeps the bytes as read, so that block forms never make a Python string.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from steelyard.records.items import Item, Prediction

Floats: TypeAlias = npt.NDArray[np.float64]
"""NaN stands for null: no metric value is ever NaN."""
Counts: TypeAlias = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TextColumn(Sequence[str]):
    """UTF-8 text of many rows in one buffer: row `i` is `data[starts[i]:ends[i]]`."""

    data: npt.NDArray[np.uint8]
    starts: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]

    @classmethod
    def of(cls, texts: Sequence[str]) -> TextColumn:
        """Return a column of texts; lone surrogates are kept in their three-byte form."""
        return cls.of_bytes([text.encode("utf-8", "surrogatepass") for text in texts])

    @classmethod
    def of_bytes(cls, parts: Sequence[bytes]) -> TextColumn:
        """Return a column of texts that are encoded already."""
        ends = np.cumsum(np.fromiter(map(len, parts), np.int64, len(parts)))
        starts = np.zeros_like(ends)
        starts[1:] = ends[:-1]
        return cls(np.frombuffer(b"".join(parts), np.uint8), starts, ends)

    def __len__(self) -> int:
        return len(self.starts)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> TextColumn: ...
    def __getitem__(self, index: int | slice) -> str | TextColumn:
        if isinstance(index, slice):
            return TextColumn(self.data, self.starts[index], self.ends[index])
        return self.data[self.starts[index] : self.ends[index]].tobytes().decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        whole = self.data.tobytes()
        for start, end in zip(self.starts.tolist(), self.ends.tolist(), strict=True):
            yield whole[start:end].decode("utf-8", "surrogatepass")


def replaced(column: TextColumn, rows: npt.NDArray[np.int64], texts: Sequence[str]) -> TextColumn:
    """Return a column with other texts in some of its rows."""
    others = TextColumn.of(texts)
    starts, ends = column.starts.copy(), column.ends.copy()
    starts[rows], ends[rows] = others.starts + len(column.data), others.ends + len(column.data)
    return TextColumn(np.concatenate([column.data, others.data]), starts, ends)


@dataclass(frozen=True, slots=True)
class ItemBlock:
    """Consecutive items of a dataset, each with its prediction or None where there is none."""

    start: int
    """The index of the first item in the dataset."""
    items: Sequence[Item]
    predictions: Sequence[Prediction | None]

    def __len__(self) -> int:
        return len(self.items)


@dataclass(frozen=True, slots=True)
class ErrorTags:
    """The error tags of many items: `sets[codes[i]]` are those of item `i`."""

    sets: Sequence[tuple[str, ...]]
    codes: npt.NDArray[np.int32]

    @classmethod
    def of(cls, rows: Sequence[tuple[str, ...]]) -> ErrorTags:
        """Return the tags of rows, each distinct set stored once."""
        known: dict[tuple[str, ...], int] = {}
        codes = np.fromiter((known.setdefault(row, len(known)) for row in rows), np.int32, len(rows))
        return cls(list(known), codes)

    def __getitem__(self, index: int) -> tuple[str, ...]:
        return self.sets[int(self.codes[index])]


@dataclass(frozen=True, slots=True)
class Labels:
    """A categorical column: `names[codes[i]]` is the value of item `i`; code -1 is none."""

    names: Sequence[str]
    codes: npt.NDArray[np.int32]

    @classmethod
    def of(cls, values: Sequence[str | None]) -> Labels:
        """Return values as codes into their distinct names, in order of first appearance."""
        known: dict[str, int] = {}
        codes = np.fromiter(
            (-1 if value is None else known.setdefault(value, len(known)) for value in values), np.int32, len(values)
        )
        return cls(list(known), codes)

    def value(self, index: int) -> str | None:
        """Return the value of one item."""
        code = int(self.codes[index])
        return None if code < 0 else self.names[code]


@dataclass(frozen=True, slots=True)
class ScoredBlock:
    """Consecutive items, judged. All columns have one length."""

    start: int
    ids: Sequence[str]
    lines: Sequence[int]
    inputs: Sequence[str]
    item_hashes: Sequence[str]
    states: Labels
    expected: Sequence[str]
    """The reference as a person reads it."""
    predicted: Sequence[str | None]
    """The answer that was judged, or None where there was none."""
    outputs: Sequence[str | None]
    """The raw output, or None where there was none."""
    primary: Floats
    passed: npt.NDArray[np.bool_]
    scores: dict[str, Floats]
    """Every further number per item by its name: other scorers, sub-scores, metrics. NaN is null."""
    error_tags: ErrorTags
    explain: Sequence[str]
    tags: dict[str, Labels]
    truth: Labels | None = None
    """For classification: the true label."""
    guess: Labels | None = None
    """For classification: the predicted label; none where there was no answer."""
    confidence: Floats | None = None
    """For classification: the probability given to the true label, as far as it is known."""
    confidence_kind: Labels | None = None
    """For classification: what `confidence` is, `true_label_probability` or `confidence`; none where it is unknown."""
    clusters: Labels | None = None
    counts: dict[str, Counts] = field(default_factory=dict)
    """Whole numbers per item by corpus metric, one row each; their sums make the metric."""
    details: dict[str, Sequence[Any]] = field(default_factory=dict)
    """Columns that are stored and not aggregated: tokens, time, conversation, turn."""

    def __len__(self) -> int:
        return len(self.primary)
