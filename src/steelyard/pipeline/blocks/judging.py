"""Columns of items and predictions to judged blocks, by block forms; rows that are not plain by the item form.

`BlockJudge` gives for a block of lines what `pipeline.judging.items.Judge` gives for the same rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from steelyard.errors import Problems
from steelyard.pipeline.blocks.columns import PlainRows, ShapeRoles, tag_columns
from steelyard.pipeline.blocks.merging import texts_in_order, woven
from steelyard.pipeline.blocks.roles import ItemRoles, PredictionRoles, item_roles, prediction_roles
from steelyard.pipeline.blocks.scoring import BlockScoring, PlainItems
from steelyard.pipeline.blocks.values import respelled
from steelyard.pipeline.items.reading import Source
from steelyard.pipeline.judging.items import Judge
from steelyard.pipeline.recording.journal import StoredJournal
from steelyard.reading.columns.scan import BLANK, ODD, BlockScanner, RawBlock, ScannedBlock
from steelyard.reading.columns.shapes import TEXT
from steelyard.reading.faults import RowError
from steelyard.records.blocks import ItemBlock, ScoredBlock, TextColumn
from steelyard.records.items import Item, Prediction
from steelyard.records.secrets import has_keys, places_of_keys
from steelyard.text.kernels.checks import blank_rows, reasoning_rows
from steelyard.text.kernels.writing import json_lines

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Content:
    """Lines of a dataset, and as many lines of predictions where those have a file of their own."""

    items: RawBlock
    predictions: RawBlock | None = None


@dataclass(frozen=True, slots=True)
class JudgedBlock:
    """A block of lines, judged."""

    scored: ScoredBlock
    journal: TextColumn
    """The journal's lines; an item without a prediction has an empty one."""
    ids: TextColumn
    """Every id that was read, those of items with an unusable reference too."""

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True)
class JudgedContent:
    """A block of bytes, judged, with what was wrong with its rows."""

    block: JudgedBlock
    reading: Problems
    judging: Problems


class BlockJudge:
    """Judges the lines of a dataset whose rows carry their predictions. Several can work side by side."""

    def __init__(self, judge: Judge, source: Source, journal: StoredJournal | None) -> None:
        self.judge = copy(judge)
        self.source = copy(source)
        self.journal = journal
        self.scoring = BlockScoring(self.judge, self._strict_pair)
        self.kinds = (TEXT,) if self.scoring.typed is None else self.scoring.typed.kinds
        self.scanner = BlockScanner(source.limits)
        self.others = self.scanner if source.predictions is None else BlockScanner(source.limits)
        self._items = ShapeRoles(lambda shape: item_roles(shape, source, judge.judgements, self.kinds))
        self._predictions = ShapeRoles(
            lambda shape: prediction_roles(shape, source, judge.judgements, journal, self.kinds)
        )

    def plain_share(self, content: Content) -> float:
        """Return how many of the rows of a block are plain."""
        items, predictions = self._plain_rows(*self._scanned(content))
        share = self.scoring.share(PlainItems(items, predictions, {}))
        return share * len(items) / max(1, int((items.block.shapes != BLANK).sum()))

    def judged(self, content: Content) -> JudgedContent:
        """Return a block of bytes, judged. Where its items stand in the dataset is the caller's to say."""
        self.source.problems, self.judge.problems = Problems(), Problems()
        judged = self._judge(*self._scanned(content))
        return JudgedContent(judged, self.source.problems, self.judge.problems)

    def _scanned(self, content: Content) -> tuple[ScannedBlock, ScannedBlock]:
        """Return the rows of the dataset and the rows of predictions: the same rows, or as many of another file."""
        block = _scanned(content.items, self.scanner, self.kinds)
        if content.predictions is None:
            return block, block
        return block, _scanned(content.predictions, self.others, self.kinds)

    def _plain_rows(
        self, block: ScannedBlock, other: ScannedBlock
    ) -> tuple[PlainRows[ItemRoles], PlainRows[PredictionRoles]]:
        items, predictions = self._items.of(self.scanner.shapes), self._predictions.of(self.others.shapes)
        rows = np.flatnonzero(_is_plain(items)[block.shapes] & _is_plain(predictions)[other.shapes])
        return PlainRows(block, rows, items), PlainRows(other, rows, predictions)

    def _judge(self, block: ScannedBlock, other: ScannedBlock) -> JudgedBlock:
        items, predictions = self._plain_rows(block, other)
        tags, odd = tag_columns(items)
        ids = items.named("id")
        odd |= ids.starts == ids.ends
        odd |= blank_rows(items.named("reference")) | reasoning_rows(predictions.named("output"))
        plain = PlainItems(items, predictions, tags)
        plain, scored = self.scoring.scored(plain.kept(~odd) if odd.any() else plain)
        judged = JudgedBlock(scored, self._lines(plain.predictions), plain.items.named("id"))
        left = block.shapes != BLANK
        left[plain.items.rows] = False
        rows = np.flatnonzero(left)
        return self._with_odd_rows(judged, self._strict_pairs(block, other, rows)) if len(rows) else judged

    def _lines(self, predictions: PlainRows[PredictionRoles]) -> TextColumn:
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

    def _strict_pairs(
        self, block: ScannedBlock, other: ScannedBlock, rows: Integers
    ) -> list[tuple[Item, Prediction | None]]:
        """Return items and predictions of rows as the strict reader reads them; other rows become problems."""
        pairs = []
        for row in rows.tolist():
            try:
                found = self._strict_pair(block, other, row)
            except RowError as error:
                self.source.problems.add(error.at(self.source.dataset, block.first_line + row))
            else:
                if found is not None:
                    pairs.append(found)
        return pairs

    def _strict_pair(self, block: ScannedBlock, other: ScannedBlock, row: int) -> tuple[Item, Prediction | None] | None:
        limits = self.source.limits
        if other is block:
            return self.source.pair_of(block.strict_row(row, limits))
        item = self.source.item_of(block.strict_row(row, limits))
        return None if item is None else (item, self.source.prediction_of(other.strict_row(row, limits)))

    def _with_odd_rows(self, plain: JudgedBlock, pairs: Sequence[tuple[Item, Prediction | None]]) -> JudgedBlock:
        if not pairs:
            return plain
        block = ItemBlock(plain.scored.start, [item for item, _ in pairs], [found for _, found in pairs])
        judged = self.judge.judge(block)
        ids = TextColumn.of([item.id for item in block.items])
        order = _order(plain.scored.lines, [item.line for item in block.items])
        written = TextColumn.of_bytes(self.journal.lines(block) if self.journal else [b""] * len(block))
        scored = woven(plain.scored, judged, _order(plain.scored.lines, judged.lines))
        return JudgedBlock(
            scored, texts_in_order([plain.journal, written], order), texts_in_order([plain.ids, ids], order)
        )


def _scanned(content: RawBlock, scanner: BlockScanner, kinds: Sequence[int]) -> ScannedBlock:
    """Return the rows of a block; those that may hold a key are for the strict reader, who takes it out."""
    held = places_of_keys(content.data[: content.size].tobytes()) if has_keys() else []
    block = respelled(scanner.scan(content), scanner.shapes, kinds)
    if held:
        rows = np.unique(np.searchsorted(block.line_starts, np.array(held, np.int64), side="right") - 1)
        block.shapes[rows[block.shapes[rows] != BLANK]] = ODD
    return block


def _is_plain(roles: Sequence[object | None]) -> npt.NDArray[np.bool_]:
    return np.array([*(role is not None for role in roles), False, False], np.bool_)  # the last: BLANK and ODD


def _order(lines: Sequence[int], others: Sequence[int]) -> Integers:
    return np.argsort(np.concatenate([np.asarray(lines, np.int64), np.asarray(others, np.int64)]), kind="stable")
