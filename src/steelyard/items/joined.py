"""Predictions beside their items, with memory that does not grow with either file.

The dataset drives. While predictions come in its order, the two files are read side by side; from the first id that
does not fit, the rest of the predictions goes to a file on disk, and items are looked up there.
"""

from __future__ import annotations

import json
import os
import struct
import tempfile
from array import array
from collections.abc import Container, Iterable, Iterator
from itertools import chain
from types import TracebackType
from typing import Any, Generic, Self, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from steelyard.errors import LISTED_PROBLEMS, MachineError, Problem, Problems
from steelyard.reading.ids import IdLedger, as_numbers, duplicate_id
from steelyard.reading.rows import Row

# Rows put away in a temporary file and taken out by id: on disk what is large, in memory some bytes a row.


_HEAD = struct.Struct("<Iq?")
"""Before each row: how many bytes its id takes, its line, and whether its data is the line as it was read."""


Places: TypeAlias = npt.NDArray[np.integer[Any]]


class ShelfError(Exception):
    """The temporary file cannot be written or read."""


class Shelf:
    """Rows by id. First every row is put away, then rows are taken.

    Where a row stands is known by a 64-bit hash of its id, which is keyed per process; the id itself stands before the
    row on disk and decides.
    """

    def __init__(self) -> None:
        self._hashes = array("q")
        self._ends = array("q", [0])
        self._taken = bytearray()
        self._sorted: tuple[npt.NDArray[np.int64], Places] | None = None
        self._stream = tempfile.TemporaryFile(buffering=1 << 20)  # noqa: SIM115  closed on exit

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.close()

    def put(self, item_id: str, row: Row) -> None:
        """Put one row away."""
        key = item_id.encode("utf-8", "surrogatepass")
        # Escaped beyond ASCII, so that lone surrogates survive.
        data = row.raw if row.raw is not None else json.dumps(row.fields).encode()
        try:
            self._stream.write(_HEAD.pack(len(key), row.line, row.raw is not None) + key + data)
        except OSError as error:
            raise ShelfError(error.strerror or str(error)) from error
        self._hashes.append(hash(item_id))
        self._ends.append(self._ends[-1] + _HEAD.size + len(key) + len(data))

    def take(self, item_id: str) -> Row | None:
        """Return the first row of an id and remember that it was asked for."""
        for number in self._numbers(hash(item_id)):
            found, line, is_raw, data = self._record(number)
            if found == item_id:
                self._taken[number] = 1
                return Row(line, json.loads(data), data if is_raw else None)
        return None

    def duplicates(self) -> Iterator[tuple[str, int, int]]:
        """Yield each id that stands again, with the first line and the later one."""
        hashes, order = self._by_hash()
        again = np.flatnonzero(hashes[1:] == hashes[:-1]) + 1 if len(hashes) else hashes
        first: dict[str, int] = {}
        for number in sorted({int(order[place]) for near in again.tolist() for place in (near - 1, near)}):
            item_id, line = self._record(number)[:2]
            if first.setdefault(item_id, line) != line:
                yield item_id, first[item_id], line

    def left_over(self) -> Iterator[tuple[str, int]]:
        """Yield id and line of each id that was never asked for, once, in the order of the file."""
        self._by_hash()
        seen: set[str] = set()
        for number, taken in enumerate(self._taken):
            if taken:
                continue
            item_id, line = self._record(number)[:2]
            same = self._numbers(hash(item_id))
            if len(same) > 1:
                if item_id in seen or self._is_taken(item_id, same):
                    continue
                seen.add(item_id)
            yield item_id, line

    def _is_taken(self, item_id: str, numbers: list[int]) -> bool:
        """Return whether one of some rows was taken and has an id."""
        return any(self._taken[number] and self._record(number)[0] == item_id for number in numbers)

    def _numbers(self, wanted: int) -> list[int]:
        """Return the numbers of the rows whose id has a hash, in the order of the file."""
        hashes, order = self._by_hash()
        start, end = (int(np.searchsorted(hashes, wanted, side)) for side in ("left", "right"))
        return [int(number) for number in order[start:end]]

    def _by_hash(self) -> tuple[npt.NDArray[np.int64], Places]:
        if self._sorted is None:
            try:
                self._stream.flush()
            except OSError as error:
                raise ShelfError(error.strerror or str(error)) from error
            order = np.argsort(as_numbers(self._hashes), kind="stable")
            narrow: Places = order.astype(np.int32 if len(order) < 1 << 31 else np.int64)
            self._sorted = as_numbers(self._hashes)[order], narrow
            self._taken = bytearray(len(order))
            self._hashes = array("q")
        return self._sorted

    def _record(self, number: int) -> tuple[str, int, bool, bytes]:
        """Return a row as it stands on disk: its id, its line, whether its data is the line as read, its data."""
        start, end = self._ends[number], self._ends[number + 1]
        try:
            record = os.pread(self._stream.fileno(), end - start, start)
        except OSError as error:
            raise ShelfError(error.strerror or str(error)) from error
        size, line, is_raw = _HEAD.unpack_from(record)
        data = record[_HEAD.size + size :]
        return record[_HEAD.size : _HEAD.size + size].decode("utf-8", "surrogatepass"), line, is_raw, data


__all__ = ["IdLedger", "JoinedPredictions", "join_predictions"]

T = TypeVar("T")


def join_predictions(
    items: Iterable[tuple[str, T]],
    predictions: Iterable[tuple[str, Row]],
    *,
    problems: Problems,
    file: str,
    elsewhere: Container[str] = (),
) -> JoinedPredictions[T]:
    """Return the pairs of item and prediction (or None) in the order of the items.

    `file` names the predictions in problems. What the pairs leave over (`unknown`) is known once they are read; ids
    that are known `elsewhere`, such as those of a gold set, do not count as left over.
    """
    return JoinedPredictions(items, predictions, problems, file, elsewhere)


class JoinedPredictions(Generic[T]):
    """An iterator of `(item, row or None)`, and what is known after its end."""

    def __init__(
        self,
        items: Iterable[tuple[str, T]],
        predictions: Iterable[tuple[str, Row]],
        problems: Problems,
        file: str,
        elsewhere: Container[str] = (),
    ) -> None:
        self.unknown: list[tuple[str, int]] = []
        """The first twenty predictions for ids that are not in the dataset, with their lines."""
        self.unknown_total = 0
        self._items = iter(items)
        self._predictions = iter(predictions)
        self._problems = problems
        self._file = file
        self._elsewhere = elsewhere
        self._hashes = array("q")
        self._lines = array("q")

    def __iter__(self) -> Iterator[tuple[T, Row | None]]:
        """Yield each item with its prediction; can be called once."""
        for item_id, item in self._items:
            found = next(self._predictions, None)
            if found is None or found[0] != item_id:
                yield from self._from_shelf(found, (item_id, item))
                return
            self._hashes.append(hash(item_id))
            self._lines.append(found[1].line)
            yield item, found[1]
        yield from self._from_shelf(next(self._predictions, None), None)

    def _from_shelf(
        self, prediction: tuple[str, Row] | None, item: tuple[str, T] | None
    ) -> Iterator[tuple[T, Row | None]]:
        """Go on from a prediction and an item that do not fit each other."""
        items = chain([item] if item else [], self._items)
        if prediction is None:
            yield from ((value, None) for _, value in items)
            return
        try:
            with Shelf() as shelf:
                for item_id, row in chain([prediction], self._predictions):
                    shelf.put(item_id, row)
                for item_id, value in items:
                    yield value, shelf.take(item_id)
                self._account(shelf)
        except ShelfError as error:
            message = f"the temporary file of predictions cannot be used: {error}"
            hint = "free space in the temporary folder, or sort the predictions like the dataset"
            raise MachineError(Problem("machine", message, hint=hint)) from None

    def _account(self, shelf: Shelf) -> None:
        """Sort out what is left: ids that stand twice, and ids that the dataset does not know."""
        for item_id, first, line in shelf.duplicates():
            self._problems.add(duplicate_id(item_id, first, line, self._file))
        order = np.argsort(as_numbers(self._hashes), kind="stable")
        ordered = as_numbers(self._hashes)[order]
        for item_id, line in shelf.left_over():
            place = int(np.searchsorted(ordered, hash(item_id)))
            if place < len(ordered) and ordered[place] == hash(item_id):
                self._problems.add(duplicate_id(item_id, self._lines[int(order[place])], line, self._file))
            elif item_id not in self._elsewhere:
                self._add_unknown(item_id, line)

    def _add_unknown(self, item_id: str, line: int) -> None:
        self.unknown_total += 1
        if len(self.unknown) < LISTED_PROBLEMS:
            self.unknown.append((item_id, line))
