"""Predictions beside their items, with memory that does not grow with either file.

The dataset drives. While predictions come in its order, the two files are read side by side; from the first id that
does not fit, the rest of the predictions goes to an index on disk, and items are looked up there.
"""

from __future__ import annotations

import json
import sqlite3
from array import array
from collections.abc import Iterable, Iterator
from contextlib import closing
from itertools import chain
from typing import Generic, TypeVar

import numpy as np

from steelyard.errors import LISTED_PROBLEMS, MachineError, Problem, Problems
from steelyard.reading.ids import IdLedger, as_numbers, duplicate_id
from steelyard.reading.rows import Row

__all__ = ["IdLedger", "JoinedPredictions", "join_predictions"]

T = TypeVar("T")


def join_predictions(
    items: Iterable[tuple[str, T]], predictions: Iterable[tuple[str, Row]], *, problems: Problems, file: str
) -> JoinedPredictions[T]:
    """Return the pairs of item and prediction (or None) in the order of the items.

    `file` names the predictions in problems. What the pairs leave over (`unknown`) is known once they are read.
    """
    return JoinedPredictions(items, predictions, problems, file)


class JoinedPredictions(Generic[T]):
    """An iterator of `(item, row or None)`, and what is known after its end."""

    def __init__(
        self, items: Iterable[tuple[str, T]], predictions: Iterable[tuple[str, Row]], problems: Problems, file: str
    ) -> None:
        self.unknown: list[tuple[str, int]] = []
        """The first twenty predictions for ids that are not in the dataset, with their lines."""
        self.unknown_total = 0
        self._items = iter(items)
        self._predictions = iter(predictions)
        self._problems = problems
        self._file = file
        self._hashes = array("q")
        self._lines = array("q")

    def __iter__(self) -> Iterator[tuple[T, Row | None]]:
        """Yield each item with its prediction; can be called once."""
        for item_id, item in self._items:
            found = next(self._predictions, None)
            if found is None or found[0] != item_id:
                yield from self._from_index(found, (item_id, item))
                return
            self._hashes.append(hash(item_id))
            self._lines.append(found[1].line)
            yield item, found[1]
        yield from self._from_index(next(self._predictions, None), None)

    def _from_index(
        self, prediction: tuple[str, Row] | None, item: tuple[str, T] | None
    ) -> Iterator[tuple[T, Row | None]]:
        """Go on from a prediction and an item that do not fit each other."""
        items = chain([item] if item else [], self._items)
        if prediction is None:
            yield from ((value, None) for _, value in items)
            return
        try:
            with closing(_Index()) as index:
                index.fill(chain([prediction], self._predictions))
                for item_id, value in items:
                    yield value, index.take(item_id)
                self._account(index)
        except sqlite3.Error as error:
            message = f"the temporary index of predictions cannot be used: {error}"
            hint = "free space in the temporary folder, or sort the predictions like the dataset"
            raise MachineError(Problem("machine", message, hint=hint)) from None

    def _account(self, index: _Index) -> None:
        """Sort out what is left: ids that stand twice, and ids that the dataset does not know."""
        for item_id, first, line in index.duplicates():
            self._problems.add(duplicate_id(item_id, first, line, self._file))
        order = np.argsort(as_numbers(self._hashes), kind="stable")
        ordered = as_numbers(self._hashes)[order]
        for item_id, line in index.left_over():
            place = int(np.searchsorted(ordered, hash(item_id)))
            if place < len(ordered) and ordered[place] == hash(item_id):
                self._problems.add(duplicate_id(item_id, self._lines[int(order[place])], line, self._file))
            else:
                self._add_unknown(item_id, line)

    def _add_unknown(self, item_id: str, line: int) -> None:
        self.unknown_total += 1
        if len(self.unknown) < LISTED_PROBLEMS:
            self.unknown.append((item_id, line))


class _Index:
    """Rows by id in a temporary database, which SQLite keeps in a file of its own and deletes when it is closed."""

    def __init__(self) -> None:
        self._database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        self._taken = bytearray()

    def fill(self, rows: Iterable[tuple[str, Row]]) -> None:
        """Take in every row."""
        self._database.execute("PRAGMA journal_mode = OFF")
        self._database.execute(
            "CREATE TABLE rows (number INTEGER PRIMARY KEY, id BLOB, line INTEGER, data BLOB, is_raw INTEGER)"
        )
        self._database.execute("BEGIN")
        self._database.executemany(
            "INSERT INTO rows (id, line, data, is_raw) VALUES (?, ?, ?, ?)",
            ((_key(item_id), row.line, _packed(row), row.raw is not None) for item_id, row in rows),
        )
        self._database.execute("CREATE INDEX rows_by_id ON rows (id, number)")
        self._database.execute("COMMIT")
        self._taken = bytearray(1 + int(self._database.execute("SELECT max(number) FROM rows").fetchone()[0]))

    def take(self, item_id: str) -> Row | None:
        """Return the first row of an id and remember that it was asked for."""
        query = "SELECT number, line, data, is_raw FROM rows WHERE id = ? ORDER BY number LIMIT 1"
        found = self._database.execute(query, (_key(item_id),)).fetchone()
        if found is None:
            return None
        number, line, data, is_raw = found
        self._taken[number] = 1
        return Row(line, json.loads(data), data if is_raw else None)

    def duplicates(self) -> Iterator[tuple[str, int, int]]:
        """Yield each id that stands again, with the first line and the later one."""
        query = """
            SELECT rows.id, firsts.line, rows.line FROM rows
            JOIN (SELECT id, min(number) AS number FROM rows GROUP BY id HAVING count(*) > 1) AS twice USING (id)
            JOIN rows AS firsts ON firsts.number = twice.number
            WHERE rows.number > twice.number ORDER BY rows.number
        """
        for key, first, line in self._database.execute(query):
            yield _text(key), first, line

    def left_over(self) -> Iterator[tuple[str, int]]:
        """Yield id and line of each id that was never asked for, once."""
        query = "SELECT min(number), id, line FROM rows GROUP BY id ORDER BY min(number)"
        for number, key, line in self._database.execute(query):
            if not self._taken[number]:
                yield _text(key), line

    def close(self) -> None:
        """Let go of the temporary file."""
        self._database.close()


def _key(item_id: str) -> bytes:
    return item_id.encode("utf-8", "surrogatepass")


def _text(key: bytes) -> str:
    return key.decode("utf-8", "surrogatepass")


def _packed(row: Row) -> bytes:
    """Return a row's fields as JSON, escaped beyond ASCII so that lone surrogates survive."""
    return row.raw if row.raw is not None else json.dumps(row.fields).encode()
