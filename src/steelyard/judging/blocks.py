"""Columns of items and predictions to judged blocks, by block forms; rows that are not plain by the item form.

`BlockJudge` gives for a block of lines what `judging.items.Judge` gives for the same rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from steelyard.errors import Problems
from steelyard.items.journal import JournalForm
from steelyard.items.named_fields import Noticed
from steelyard.items.scan import BLANK, ODD, BlockScanner, RawBlock, ScannedBlock
from steelyard.items.shapes import TEXT
from steelyard.items.source import BLOCK_ITEMS, Source
from steelyard.judging.contents import Content, odd_rows
from steelyard.judging.distinct_pairs import texts_in_order, woven
from steelyard.judging.forms import BlockScoring, PlainItems
from steelyard.judging.items import Judge
from steelyard.judging.member_values import respelled
from steelyard.judging.plain_rows import PlainRows, ShapeRoles, nameless, tag_columns
from steelyard.judging.predictions import NOWHERE, PredictionIndex
from steelyard.judging.roles import RESPELLED, ItemRoles, PredictionRoles, item_roles, prediction_roles
from steelyard.kernels.labels import blank_rows, differing_rows, reasoning_rows, text_hashes
from steelyard.kernels.writing import json_lines
from steelyard.reading.limits import RowError
from steelyard.reading.references import item_id
from steelyard.records.blocks import ItemBlock, ScoredBlock, TextColumn
from steelyard.records.items import Item, Prediction
from steelyard.secrets import has_keys, places_of_keys

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class JudgedBlock:
    """Rows of a block, judged."""

    scored: ScoredBlock
    journal: TextColumn
    """The journal's lines; an item without a prediction has an empty one."""
    ids: TextColumn
    """Every id that was read, those of items with an unusable reference too."""
    lines: Integers
    """The line of each of those items."""

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True)
class Noted:
    """What judging a block brought to light beside its scores."""

    reading: Problems
    judging: Problems
    item_fields: Noticed
    answer_fields: Noticed
    taken: Integers
    """Which rows of predictions were asked for."""
    rows: int
    """Lines that are not blank."""
    by_columns: int
    """Rows that were judged by block forms."""
    accounted: int
    """Rows of predictions that were set aside and whose items were judged as `unparsed`."""


@dataclass(frozen=True, slots=True)
class JudgedContent:
    """A block of lines, judged, with what was noted."""

    block: JudgedBlock
    noted: Noted


@dataclass(frozen=True, slots=True)
class _Lines:
    """The lines of a dataset with the lines of their predictions: the same, or gathered ones."""

    items: ScannedBlock
    predictions: ScannedBlock
    hashes: Integers | None = None
    """Of each item's id; None where rows carry their predictions."""
    places: Integers = field(default_factory=lambda: np.empty(0, np.int64))
    """Which row of predictions each line has."""


class BlockJudge:
    """Judges the lines of a dataset with their predictions. Several can work side by side."""

    def __init__(
        self, judge: Judge, source: Source, journal: JournalForm | None, index: PredictionIndex | None
    ) -> None:
        self.judge = copy(judge)
        self.source = copy(source)
        self.source.quarantine = None if source.quarantine is None else source.quarantine.closed()
        self.journal = journal
        self.index = index
        self.scoring = BlockScoring(self.judge, self._strict_pair)
        self.kinds = (TEXT,) if self.scoring.typed is None else self.scoring.typed.kinds
        self.respelled = self.kinds if journal is None else (*self.kinds, *RESPELLED)
        self.scanner = BlockScanner(source.limits)
        self.others = self.scanner if index is None else BlockScanner(source.limits)
        self._items = ShapeRoles(lambda shape: item_roles(shape, source, judge.judgements, self.kinds))
        self._predictions = ShapeRoles(
            lambda shape: prediction_roles(shape, source, judge.judgements, journal, self.kinds)
        )
        self._lines = _Lines(*(ScannedBlock.empty(),) * 2)

    def __reduce__(self) -> tuple[type[BlockJudge], tuple[object, ...]]:
        """Another process makes its own scanners and meets its own shapes."""
        return BlockJudge, (self.judge, self.source, self.journal, self.index)

    def plain_share(self, content: Content) -> float:
        """Return how many of the rows of a block are plain."""
        self._read(content)
        items, predictions = self._plain_rows()
        share = self.scoring.share(PlainItems(items, predictions, {}))
        return share * len(items) / max(1, int((items.block.shapes != BLANK).sum()))

    def judged(self, content: Content) -> JudgedContent:
        """Return a block of lines, judged. Where its items stand in the dataset is the caller's to say."""
        self.source.problems, self.judge.problems = Problems(), Problems()
        if self.source.quarantine:
            self.source.quarantine.accounted = 0
        rest = self._read(content)
        rows = int((self._lines.items.shapes != BLANK).sum())
        plain, scored = self._by_columns()
        parts = [JudgedBlock(scored, self._journal(plain.predictions), plain.items.named("id"), plain.lines())]
        left = self._lines.items.shapes != BLANK
        left[plain.items.rows] = False
        parts += self._by_items(np.flatnonzero(left))
        self.source.problems.interleave(rest)
        return JudgedContent(_united(parts), self._noted(rows, len(plain.items)))

    def _noted(self, rows: int, by_columns: int) -> Noted:
        source = self.source
        return Noted(
            reading=source.problems,
            judging=self.judge.problems,
            item_fields=source.item_fields.noticed(),
            answer_fields=source.answer_fields.noticed(),
            taken=self._lines.places,
            rows=rows,
            by_columns=by_columns,
            accounted=source.quarantine.accounted if source.quarantine else 0,
        )

    def _read(self, content: Content) -> Problems:
        """Scan lines, and gather and scan those of their predictions; return what is wrong with lines left out."""
        block = self._scanned(content.items, self.scanner)
        rest = self._leave_out(block, content)
        if self.index is None:
            self._lines = _Lines(block, block)
            return rest
        hashes, has_id = self._hashes(block)
        places = np.full(len(block), NOWHERE, np.int64)
        places[has_id] = self.index.places(hashes[has_id])
        other = self._scanned(self.index.gathered(places), self.others)
        self._lines = _Lines(block, other, hashes, places)
        return rest

    def _scanned(self, content: RawBlock, scanner: BlockScanner) -> ScannedBlock:
        """Return the rows of a block; those that may hold a key are for the strict reader, who takes it out."""
        held = places_of_keys(content.data[: content.size].tobytes()) if has_keys() else []
        block = respelled(scanner.scan(content), scanner.shapes, self.respelled)
        if held:
            rows = np.unique(np.searchsorted(block.line_starts, np.array(held, np.int64), side="right") - 1)
            block.shapes[rows[block.shapes[rows] != BLANK]] = ODD
        return block

    def _leave_out(self, block: ScannedBlock, content: Content) -> Problems:
        problems = Problems()
        if content.chosen is None:
            return problems
        left = ~content.chosen & (block.shapes != BLANK)
        for row in odd_rows(block, self.scanner).tolist() if content.reads_rest else ():
            if left[row]:
                self._strict(block, row, problems)
        block.shapes[left] = BLANK
        return problems

    def _strict(self, block: ScannedBlock, row: int, problems: Problems) -> dict[str, object] | None:
        try:
            return block.strict_row(row, self.source.limits).fields
        except RowError as error:
            problems.add(error.at(self.source.dataset, block.raw.number_of(row)))
            return None

    def _hashes(self, block: ScannedBlock) -> tuple[Integers, Flags]:
        """Return the hash of the id of each line, and which lines have one."""
        roles = self._items.of(self.scanner.shapes, block.shapes)
        plain = _is_plain(roles)[block.shapes]
        hashes, has_id = np.zeros(len(block), np.int64), plain.copy()
        hashes[plain] = text_hashes(PlainRows(block, np.flatnonzero(plain), roles).named("id"))
        odd = np.flatnonzero(~plain & (block.shapes != BLANK)).tolist()
        fields = ((row, self._strict(block, row, Problems())) for row in odd)
        ids = {row: item_id(found, self.source.names) for row, found in fields if found is not None}
        known = {row: name for row, name in ids.items() if name is not None}
        rows = np.array([*known], np.int64)
        hashes[rows], has_id[rows] = text_hashes(TextColumn.of([*known.values()])), True
        return hashes, has_id

    def _plain_rows(self) -> tuple[PlainRows[ItemRoles], PlainRows[PredictionRoles]]:
        block, other = self._lines.items, self._lines.predictions
        items = self._items.of(self.scanner.shapes, block.shapes)
        predictions = self._predictions.of(self.others.shapes, other.shapes)
        rows = np.flatnonzero(_is_plain(items)[block.shapes] & _is_plain(predictions)[other.shapes])
        return PlainRows(block, rows, items), PlainRows(other, rows, predictions)

    def _by_columns(self) -> tuple[PlainItems, ScoredBlock]:
        """Judge the plain rows; return those that could be judged so."""
        items, predictions = self._plain_rows()
        tags, odd = tag_columns(items)
        ids = items.named("id")
        odd |= (ids.starts == ids.ends) | nameless(items)
        odd |= blank_rows(items.named("reference")) | reasoning_rows(predictions.named("output"))
        if self.index is not None:
            odd |= differing_rows(ids, predictions.named("id"))
        plain = PlainItems(items, predictions, tags)
        return self.scoring.scored(plain.kept(~odd) if odd.any() else plain)

    def _journal(self, predictions: PlainRows[PredictionRoles]) -> TextColumn:
        """Return the journal's line of each row."""
        block, shapes = predictions.block, predictions.shape_of_rows()
        if self.journal is None:
            return TextColumn.of([""] * len(predictions))
        columns = [TextColumn.of([])]
        for number in np.unique(shapes).tolist():
            role = predictions.roles[number]
            assert role is not None
            firsts = block.firsts[predictions.rows[shapes == number]]
            columns.append(json_lines(block.data, firsts, block.starts, block.ends, role.line))
        if len(columns) == 2:
            return columns[1]
        return texts_in_order(columns, np.argsort(np.argsort(shapes, kind="stable"), kind="stable"))

    def _by_items(self, rows: Integers) -> Iterator[JudgedBlock]:
        """Judge rows by the item form, a few thousand at a time."""
        for first in range(0, len(rows), BLOCK_ITEMS):
            pairs = self._strict_pairs(rows[first : first + BLOCK_ITEMS])
            if pairs:
                block = ItemBlock(0, [item for item, _ in pairs], [found for _, found in pairs])
                written = self.journal.lines(block) if self.journal else [b""] * len(block)
                ids, lines = TextColumn.of([item.id for item in block.items]), [item.line for item in block.items]
                scored = self.judge.judge(block)
                yield JudgedBlock(scored, TextColumn.of_bytes(written), ids, np.array(lines, np.int64))

    def _strict_pairs(self, rows: Integers) -> list[tuple[Item, Prediction | None]]:
        """Return items and predictions of rows as the strict reader reads them; other rows become problems."""
        pairs = []
        for row in rows.tolist():
            try:
                found = self._strict_pair(row)
            except RowError as error:
                self.source.problems.add(error.at(self.source.dataset, self._lines.items.raw.number_of(row)))
            else:
                if found is not None:
                    pairs.append(found)
        return pairs

    def _strict_pair(self, row: int) -> tuple[Item, Prediction | None] | None:
        lines, found = self._lines, self._lines.items.strict_row(row, self.source.limits)
        if self.index is None or lines.hashes is None:
            return self.source.pair_of(found)
        item = self.source.item_of(found)
        if item is None:
            return None
        prediction, lines.places[row] = self.index.row(item.id, int(lines.hashes[row]))
        return item, self.source.prediction_of(item, prediction)


def _is_plain(roles: Sequence[object | None]) -> Flags:
    return np.array([*(role is not None for role in roles), False, False], np.bool_)  # the last: BLANK and ODD


def _united(parts: Sequence[JudgedBlock]) -> JudgedBlock:
    """Return parts of a block as one, in the order of their lines."""
    found = [part for part in parts if len(part)] or parts[:1]
    if len(found) == 1:
        return found[0]
    order = _order([part.lines for part in found])
    return JudgedBlock(
        woven([part.scored for part in found], _order([part.scored.lines for part in found])),
        texts_in_order([part.journal for part in found], order),
        texts_in_order([part.ids for part in found], order),
        np.concatenate([part.lines for part in found])[order],
    )


def _order(lines: Sequence[Sequence[int] | Integers]) -> Integers:
    return np.argsort(np.concatenate([np.asarray(part, np.int64) for part in lines]), kind="stable")
