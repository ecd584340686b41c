"""Predictions beside their items, with memory that does not grow with either file.

The dataset drives. While predictions come in its order, the two files are read side by side; from the first id that
does not fit, the rest of the predictions goes to a file on disk, and items are looked up there.
"""

from __future__ import annotations

from array import array
from collections.abc import Container, Iterable, Iterator
from itertools import chain
from typing import Generic, TypeVar

import numpy as np

from steelyard.errors import LISTED_PROBLEMS, MachineError, Problem, Problems
from steelyard.items.shelves import Shelf, ShelfError
from steelyard.reading.ids import IdLedger, as_numbers, duplicate_id
from steelyard.reading.rows import Row

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
