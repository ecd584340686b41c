"""What of a dataset is evaluated, block by block: every line, the first of them, or a sample."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from steelyard.errors import Problems
from steelyard.items.pieces import read_blocks
from steelyard.items.scan import BLANK, ODD, BlockScanner, RawBlock, ScannedBlock
from steelyard.items.source import Source
from steelyard.reading.limits import Limits, RowError

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Content:
    """Lines of a dataset."""

    items: RawBlock
    chosen: Flags | None = None
    """Which lines are evaluated; None for all of them."""
    reads_rest: bool = False
    """Whether the other lines are read all the same, so that what is wrong with them is told."""


def contents_of(source: Source, problems: Problems) -> Iterator[Content]:
    """Yield the blocks of a dataset, with the lines that are evaluated; bad rows of other formats are `problems`."""
    blocks = read_blocks(source.dataset, source.limits, problems)
    if source.selection.sample_size is not None:
        return _sampled(source, blocks)
    return map(Content, blocks) if source.selection.limit is None else _limited(source.limits, blocks, source)


def _limited(limits: Limits, blocks: Iterator[RawBlock], source: Source) -> Iterator[Content]:
    scanner, left = BlockScanner(limits), source.selection.limit or 0
    while left > 0 and (block := next(blocks, None)) is not None:
        readable = np.flatnonzero(_readable(scanner.scan(block), scanner, limits))
        end = block.lines if len(readable) < left else int(readable[left - 1]) + 1
        yield Content(block, np.arange(block.lines) < end)
        left -= len(readable)


def _sampled(source: Source, blocks: Iterator[RawBlock]) -> Iterator[Content]:
    chosen = np.array(sorted(source.selection.sample(_lines(source)))[: source.selection.limit], np.int64)
    ends_early = len(chosen) == source.selection.limit
    for block in blocks:
        numbers = block.numbers_of(np.arange(block.lines))
        yield Content(block, np.isin(numbers, chosen), reads_rest=not ends_early)
        if ends_early and (not len(chosen) or numbers[-1] >= chosen[-1]):
            return


def _lines(source: Source) -> Iterator[int]:
    """Yield the numbers of the lines that can be read."""
    scanner = BlockScanner(source.limits)
    for block in read_blocks(source.dataset, source.limits, Problems()):
        yield from block.numbers_of(np.flatnonzero(_readable(scanner.scan(block), scanner, source.limits))).tolist()


def _readable(block: ScannedBlock, scanner: BlockScanner, limits: Limits) -> Flags:
    """Return which lines are rows that can be read."""
    found: Flags = block.shapes != BLANK
    for row in odd_rows(block, scanner).tolist():
        try:
            block.strict_row(row, limits)
        except RowError:
            found[row] = False
    return found


def odd_rows(block: ScannedBlock, scanner: BlockScanner) -> npt.NDArray[np.int64]:
    """Return the lines of which only the strict reader knows whether they are rows."""
    odd = np.array([*(shape.has_duplicates for shape in scanner.shapes), False, True], np.bool_)
    return np.flatnonzero(odd[block.shapes])


assert (ODD, BLANK) == (-1, -2), "the last two flags above stand for these"
