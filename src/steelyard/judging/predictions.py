"""A file of predictions as an index: where the row of each id stands, so that every block gathers its own rows.

The file is scanned once, in its order. Of each row a 64-bit hash of its id, its place and its line are kept; the id
itself is compared when the row is judged, so no answer depends on a hash. Rows are then read where they stand, and the
order of the file decides only in how many pieces.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.errors import LISTED_PROBLEMS, Problems
from steelyard.items.pieces import LineFile, is_lines, read_blocks
from steelyard.items.scan import BLANK, BlockScanner, RawBlock, ScannedBlock, spelled_row
from steelyard.items.source import Source
from steelyard.judging.plain_rows import PlainRows, ShapeRoles
from steelyard.judging.roles import id_member
from steelyard.kernels.labels import text_hashes
from steelyard.reading.json_values import parse_object
from steelyard.reading.limits import RowError
from steelyard.reading.packed import SUFFIXES
from steelyard.reading.rows import Row, empty_file
from steelyard.records.blocks import TextColumn, replaced

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

NOWHERE = -1
"""The place of a row that is not there."""


class PredictionIndex:
    """The rows of a predictions file by the ids of their items."""

    def __init__(self, source: Source) -> None:
        assert source.predictions is not None
        path = source.predictions
        self.problems = Problems()
        """What is wrong with rows of the file."""
        self._source, self._is_spelled = source, not is_lines(path)
        self._file = LineFile(path, is_copied=self._is_spelled or path.suffix.lower() in SUFFIXES)
        self._hashes, self._starts, self._sizes, self._lines = _columns(source, self._file, self.problems)
        self._taken = np.zeros(len(self._hashes), np.bool_)
        self._sorted: tuple[Integers, Integers] | None = None
        self._next = 0

    def __getstate__(self) -> dict[str, Any]:
        """Another process sets no row aside."""
        return self.__dict__ | {"_source": replace(self._source, quarantine=None)}

    def places(self, wanted: Integers) -> Integers:
        """Return for each hash of an id the first row that has it, NOWHERE where none has."""
        found = np.full(len(wanted), NOWHERE, np.int64)
        if not len(wanted) or not len(self._hashes):
            return found
        # Where this block most likely goes on: a guess that threads may share, because every hash is compared.
        first = self._next
        if first >= len(self._hashes) or self._hashes[first] != wanted[0]:
            first = max(0, int(self._searched(wanted[:1])[0]))
        ahead = self._hashes[first : first + len(wanted)]
        in_step = np.flatnonzero(ahead == wanted[: len(ahead)])
        found[in_step] = first + in_step
        rest = np.flatnonzero(found == NOWHERE)
        if len(rest):
            found[rest] = self._searched(wanted[rest])
        self._next = first + len(wanted)
        return found

    def gathered(self, places: Integers) -> RawBlock:
        """Return rows as lines in any order, a blank one for a row that is not there."""
        starts, sizes = np.full(len(places), NOWHERE, np.int64), np.zeros(len(places), np.int64)
        there = places != NOWHERE
        starts[there], sizes[there] = self._starts[places[there]], self._sizes[places[there]]
        return self._file.lines(starts, sizes)

    def row(self, item_id: str, hashed: int) -> tuple[Row | None, int]:
        """Return the first row of an item with its place; None and NOWHERE where it has none."""
        for place in self._candidates(hashed):
            row = self._row(place)
            if self._source.prediction_id(row.fields) == item_id:
                return row, place
        return None, NOWHERE

    def row_of(self, item_id: str) -> Row | None:
        """Return the first row of an item; None where it has none."""
        return self.row(item_id, int(text_hashes(TextColumn.of([item_id]))[0]))[0]

    def take(self, places: Integers) -> None:
        """Remember that rows were asked for."""
        self._taken[places[places != NOWHERE]] = True

    def unknown(self, elsewhere: Collection[str]) -> tuple[list[tuple[str, int]], int]:
        """Return the first rows that nobody asked for, and how many there are; ids known `elsewhere` do not count."""
        left = np.flatnonzero(~self._taken)
        near = np.isin(self._hashes[left], text_hashes(TextColumn.of(sorted(elsewhere))))
        known = [place for place in left[near].tolist() if self._id(place) in elsewhere]
        left = left[~np.isin(left, known)]
        return [(self._id(place), int(self._lines[place])) for place in left[:LISTED_PROBLEMS].tolist()], len(left)

    def has_repeats(self) -> bool:
        """Return whether an id stands twice."""
        ordered = np.sort(self._hashes)
        again = np.unique(ordered[1:][ordered[1:] == ordered[:-1]]).tolist()
        groups = ([self._id(place) for place in self._candidates(hashed)] for hashed in again)
        return any(len(set(group)) < len(group) for group in groups)

    def _id(self, place: int) -> str:
        return self._source.prediction_id(self._row(place).fields) or ""

    def _row(self, place: int) -> Row:
        content, line = self._file.line(int(self._starts[place]), int(self._sizes[place])), int(self._lines[place])
        if self._is_spelled:
            return spelled_row(content, line)
        return Row(line, parse_object(content, limits=self._source.limits), content)

    def _candidates(self, hashed: int) -> list[int]:
        hashes, order = self._by_hash()
        start, end = np.searchsorted(hashes, hashed, "left"), np.searchsorted(hashes, hashed, "right")
        return [int(place) for place in order[start:end]]

    def _searched(self, wanted: Integers) -> Integers:
        hashes, order = self._by_hash()
        at = np.minimum(np.searchsorted(hashes, wanted), len(hashes) - 1)
        return np.where(hashes[at] == wanted, order[at], NOWHERE)

    def _by_hash(self) -> tuple[Integers, Integers]:
        if self._sorted is None:
            order = np.argsort(self._hashes, kind="stable")
            self._sorted = self._hashes[order], order
        return self._sorted


def _columns(source: Source, file: LineFile, problems: Problems) -> tuple[Integers, ...]:
    """Read the predictions once; return hash of the id, start, size and line of every row that has an id."""
    ids, found, n_rows = IdColumn(source, problems), [], 0
    for content in _contents(source, problems):
        block, column, has_id = ids.of(content)
        n_rows += int((block.shapes != BLANK).sum())
        rows = np.flatnonzero(has_id)
        starts = block.line_starts[rows]
        hashes = text_hashes(TextColumn(column.data, column.starts[rows], column.ends[rows]))
        places = starts + file.keep(content), block.line_ends[rows] - starts, content.numbers_of(rows)
        found.append((hashes, *places))
    if not n_rows and is_lines(file.path):
        raise empty_file(file.path)
    empty = (np.empty(0, np.int64),) * 4
    return tuple(np.concatenate(parts) for parts in zip(empty, *found, strict=True))


def _contents(source: Source, problems: Problems) -> Iterator[RawBlock]:
    assert source.predictions is not None
    rejected = source.quarantine.reject if source.quarantine else None
    return read_blocks(
        source.predictions,
        source.limits,
        problems,
        rejected=rejected,
        wanted=lambda row: source.known_prediction(row, problems) is not None,
    )


class IdColumn:
    """The ids of the lines of a predictions file; lines without one are set aside or problems."""

    def __init__(self, source: Source, problems: Problems) -> None:
        self._source, self._problems = source, problems
        self._scanner = BlockScanner(source.limits)
        self._members = ShapeRoles(lambda shape: id_member(shape, source))

    def of(self, content: RawBlock) -> tuple[ScannedBlock, TextColumn, Flags]:
        """Return the lines of a block, the id of each, and which lines have one."""
        block = self._scanner.scan(content)
        members = self._members.of(self._scanner.shapes, block.shapes)
        plain = np.array([*(member is not None for member in members), False, False], np.bool_)[block.shapes]
        rows = np.flatnonzero(plain)
        found = PlainRows(block, rows, members).column(lambda member: member) if len(rows) else TextColumn.of([])
        starts, ends = np.zeros(len(block), np.int64), np.zeros(len(block), np.int64)
        starts[rows], ends[rows] = found.starts, found.ends
        odd = np.flatnonzero((starts == ends) & (block.shapes != BLANK))
        strict = [(row, name) for row in odd.tolist() if (name := self._strict(block, row)) is not None]
        column = TextColumn(block.data, starts, ends)
        if strict:
            column = replaced(column, np.array([row for row, _ in strict]), [name for _, name in strict])
        return block, column, column.starts != column.ends

    def _strict(self, block: ScannedBlock, row: int) -> str | None:
        try:
            found = block.strict_row(row, self._source.limits)
        except RowError as error:
            self._reject(block, row, error)
            return None
        return self._source.known_prediction(found, self._problems)

    def _reject(self, block: ScannedBlock, row: int, error: RowError) -> None:
        line, number = block.strict_line(row, self._source.limits), block.raw.number_of(row)
        if self._source.quarantine is None:
            self._problems.add(error.at(str(self._source.predictions), number))
        else:
            raw = b"" if line is None else line.data
            self._source.quarantine.reject(number, f"{error.code}: {error.message}", raw)
