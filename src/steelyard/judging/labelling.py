"""The references of a whole dataset, as few times each as reading allows: the labels of a classification."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from steelyard.canonical.references import BadReference
from steelyard.errors import Problems
from steelyard.items.scan import BLANK, BlockScanner, ScannedBlock, read_raw_blocks
from steelyard.items.source import SMALLEST_FILE, Source
from steelyard.judging.items import Judgement
from steelyard.judging.plain_rows import PlainRows, ShapeRoles
from steelyard.judging.roles import reference_member
from steelyard.kernels.labels import labels_block
from steelyard.reading.limits import RowError
from steelyard.reading.rows import format_of, read_rows


def raw_references(judgement: Judgement, source: Source, *, smallest: int = SMALLEST_FILE) -> Iterator[Any]:
    """Yield every raw reference of a dataset at least once; rows that cannot be read or have none are passed over."""
    by_columns = format_of(source.dataset) in (".jsonl", ".ndjson") and not judgement.extracts_reference
    if by_columns and source.limits.max_depth >= 3 and source.dataset.stat().st_size >= smallest:
        yield from _by_columns(judgement, source)
        return
    for row in read_rows(source.dataset, Problems(), limits=source.limits):
        yield from _reference(judgement, row.fields)


def _by_columns(judgement: Judgement, source: Source) -> Iterator[Any]:
    scanner = BlockScanner(source.limits)
    members = ShapeRoles(lambda shape: reference_member(shape, judgement))
    for content in read_raw_blocks(source.dataset, source.limits):
        block = scanner.scan(content)
        found = members.of(scanner.shapes, block.shapes)
        plain = np.array([*(member is not None for member in found), False, False], np.bool_)[block.shapes]
        rows = PlainRows(block, np.flatnonzero(plain), found)
        if len(rows):
            yield from labels_block(rows.column(lambda member: member)).names
        for row in np.flatnonzero(~plain & (block.shapes != BLANK)).tolist():
            yield from _strict_reference(judgement, source, block, row)


def _strict_reference(judgement: Judgement, source: Source, block: ScannedBlock, row: int) -> Iterator[Any]:
    try:
        fields = block.strict_row(row, source.limits).fields
    except RowError:
        return
    yield from _reference(judgement, fields)


def _reference(judgement: Judgement, fields: dict[str, Any]) -> Iterator[Any]:
    try:
        yield judgement.reference(fields)
    except (KeyError, BadReference):
        return
