"""Rows of CSV, TSV, Parquet and JSON files as lines of JSON, so that one scan and one path serve every format.

The strict reader of the format reads every row, and says what is wrong with it; what it gives is spelled again, with
the row's own number beside it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from steelyard.errors import Problems
from steelyard.items import scan
from steelyard.items.scan import RawBlock, read_raw_blocks
from steelyard.reading.limits import Limits
from steelyard.reading.rows import Rejected, Row, format_of, read_rows

LINE_FORMATS = (".jsonl", ".ndjson")

_encode = msgspec.json.Encoder().encode


def is_lines(path: Path) -> bool:
    """Return whether a file's rows are lines as they stand."""
    return format_of(path) in LINE_FORMATS


def read_blocks(
    path: Path,
    limits: Limits,
    problems: Problems,
    *,
    rejected: Rejected | None = None,
    wanted: Callable[[Row], bool] = lambda _: True,
) -> Iterator[RawBlock]:
    """Yield the rows of a file of any format, some megabytes at a time.

    Lines of JSONL come as they stand, bad ones too. Bad rows of other formats are added to `problems` or given to
    `rejected`, and those that are not `wanted` are left out.
    """
    if is_lines(path):
        yield from read_raw_blocks(path, limits)
        return
    lines: list[bytes] = []
    numbers: list[int] = []
    size = 0
    for row in read_rows(path, problems, limits=limits, rejected=rejected):
        if not wanted(row):
            continue
        lines.append(spelled(row.fields))
        numbers.append(row.line)
        size += len(lines[-1])
        if size >= scan.BLOCK_BYTES:
            yield RawBlock.spelled(lines, numbers)
            lines, numbers, size = [], [], 0
    if lines:
        yield RawBlock.spelled(lines, numbers)


def spelled(fields: dict[str, Any]) -> bytes:
    """Return a row as a line of JSON that is read as the same row; lone surrogates stay escaped.

    >>> spelled({"id": 7, "prediction": "é"}).decode()
    '{"id":7,"prediction":"é"}'
    """
    try:
        return _encode(fields)
    except UnicodeEncodeError:
        return json.dumps(fields).encode()
