"""The one way of rows: lines are read, gathered with those of their predictions, judged, and counted.

Being plain is a fact of a row. Whatever a file holds and whatever is asked of it, its rows come this way; only small
files do not, for which the loops would have to be loaded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np
import numpy.typing as npt

from steelyard.errors import Problems
from steelyard.items.journal import StoredJournal
from steelyard.items.pieces import is_lines
from steelyard.items.scan import scan_loop
from steelyard.items.source import SMALLEST_FILE, Source
from steelyard.judging.blocks import BlockJudge, JudgedContent
from steelyard.judging.contents import Content, contents_of
from steelyard.judging.items import Judge
from steelyard.judging.predictions import PredictionIndex
from steelyard.judging.workers import judged_in_order
from steelyard.kernels.labels import text_hashes
from steelyard.kernels.writing import gathered
from steelyard.reading.packed import SUFFIXES
from steelyard.reading.rows import empty_file
from steelyard.records.blocks import ScoredBlock, TextColumn

SMALLEST_COLD_FILE = 64 << 20
"""The same where this machine has not compiled the loops yet, which takes about as long as the item form takes here."""
PACKED = 8
"""Rows take about so many times as much in JSONL as in Parquet or compressed; either path gives the same bytes."""
PLAIN_SHARE = 0.5
"""Where fewer rows than this are plain, several workers are processes: the item form holds the interpreter's lock."""


def block_path(
    judge: Judge, source: Source, journal: StoredJournal | None, *, smallest: int = SMALLEST_FILE
) -> Iterator[ScoredBlock] | None:
    """Return the judged blocks of a dataset, or None where it is too small for them."""
    size = _size_of_rows(source.dataset)
    if size < smallest or (smallest > 0 and size < SMALLEST_COLD_FILE and not scan_loop.is_kept()):
        return None
    return _judged(judge, source, journal)


def _size_of_rows(path: Path) -> int:
    """Return about how many bytes the rows of a file take as lines."""
    size = path.stat().st_size
    return size * PACKED if path.suffix.lower() in (".parquet", *SUFFIXES) else size


def _judged(judge: Judge, source: Source, journal: StoredJournal | None) -> Iterator[ScoredBlock]:
    index = None if source.predictions is None else PredictionIndex(source)
    counted = _Counted(judge, source, index)
    for content in _judged_contents(judge, source, journal, index, contents_of(source, counted.file_problems)):
        counted.count(content)
        if journal is not None:
            journal.append(gathered(content.block.journal).data.tobytes())
        yield replace(content.block.scored, start=source.n_items)
        source.n_items += len(content.block)
    counted.close()


def _judged_contents(
    judge: Judge,
    source: Source,
    journal: StoredJournal | None,
    index: PredictionIndex | None,
    contents: Iterable[Content],
) -> Iterator[JudgedContent]:
    def make() -> BlockJudge:
        return BlockJudge(judge, source, None if journal is None else journal.form, index)

    by_threads = True
    if source.workers > 1:
        contents = iter(contents)
        first = list(next(([content] for content in contents), []))
        by_threads = not first or make().plain_share(first[0]) >= PLAIN_SHARE
        contents = chain(first, contents)
    return judged_in_order(make, contents, source.workers, by_threads=by_threads)


class _Counted:
    """What the judged blocks of a source leave with it."""

    def __init__(self, judge: Judge, source: Source, index: PredictionIndex | None) -> None:
        self.judge, self.source, self.index = judge, source, index
        self.file_problems = Problems()
        """What is wrong with rows that never came into a block."""
        self._rows = 0
        self._hashes = [np.empty(0, np.int64)]
        self._elsewhere = text_hashes(TextColumn.of(sorted(source.elsewhere))) if source.elsewhere else None

    def count(self, content: JudgedContent) -> None:
        """Take up what was noted about one block."""
        source, noted, hashes = self.source, content.noted, text_hashes(content.block.ids)
        source.problems.merge(noted.reading)
        self.judge.problems.merge(noted.judging)
        source.item_fields.learn(noted.item_fields)
        source.answer_fields.learn(noted.answer_fields)
        source.by_columns += noted.by_columns
        self._rows += noted.rows
        self._hashes.append(hashes)
        if source.quarantine is not None:
            source.quarantine.accounted += noted.accounted
        if self.index is not None:
            self.index.take(noted.taken)
        if self._elsewhere is not None:
            near = np.flatnonzero(np.isin(hashes, self._elsewhere)).tolist()
            source.note_shared(content.block.ids[row] for row in near)

    def close(self) -> None:
        """Take up what is known after the last block."""
        source, index = self.source, self.index
        source.problems.interleave(self.file_problems)
        if not self._rows and is_lines(source.dataset) and source.selection.is_whole:
            raise empty_file(source.dataset)
        if _has_repeats(self._hashes):
            source.report_duplicates()
        if index is None:
            return
        if index.has_repeats():
            source.report_repeats(index.problems)
        source.problems.merge(index.problems)
        source.unknown_ids, source.unknown_total = index.unknown(source.elsewhere)
        source.known_rows = index.row_of


def _has_repeats(hashes: list[npt.NDArray[np.int64]]) -> bool:
    ordered = np.sort(np.concatenate(hashes))
    return bool((ordered[1:] == ordered[:-1]).any())
