"""Lines of a file read where they stand, in any order: near ones in one piece, and nothing is held.

Beside them rows of other formats, spelled as lines.
"""

from __future__ import annotations

import json
import os
import tempfile
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from steelyard.errors import MachineError, Problem, Problems
from steelyard.items import scan
from steelyard.items.scan import RawBlock, read_raw_blocks
from steelyard.kernels.labels import picked_lines
from steelyard.reading.limits import Limits
from steelyard.reading.rows import Rejected, Row, format_of, read_rows

Integers = npt.NDArray[np.int64]

_GAP = 512
"""Bytes between two lines up to which they are read in one piece."""
_PADDING = 64


class LineFile:
    """A file whose lines are read by their places; of a packed or spelled one, a copy of its lines on disk."""

    def __init__(self, path: Path, *, is_copied: bool) -> None:
        self.path = path
        self._copied = 0
        with machine_faults(path):
            if is_copied:
                with tempfile.TemporaryFile() as stream:
                    self._handle = os.dup(stream.fileno())
            else:
                self._handle = os.open(path, os.O_RDONLY)
        self._is_copied = is_copied
        weakref.finalize(self, os.close, self._handle)

    def __reduce__(self) -> tuple[partial[LineFile], tuple[Path]]:
        """Another process opens the file itself; a copy has no name by which it could."""
        if self._is_copied:
            raise TypeError(f"the lines of {self.path} are a copy that only this process can read")
        return partial(LineFile, is_copied=False), (self.path,)

    def keep(self, content: RawBlock) -> int:
        """Return where a block of the file begins here, which for a copy is where it is now written."""
        if not self._is_copied:
            return content.first_offset
        start, left = self._copied, content.data[: content.size].data
        with machine_faults(self.path):
            while left:
                written = os.write(self._handle, left)
                left = left[written:]
        self._copied += content.size
        return start

    def line(self, start: int, size: int) -> bytes:
        """Return one line."""
        with machine_faults(self.path):
            return os.pread(self._handle, size, start)

    def lines(self, starts: Integers, sizes: Integers) -> RawBlock:
        """Return lines in the given order; a start below 0 is a blank line."""
        present = starts >= 0
        content, where = self._pieces(starts[present], sizes[present])
        begins, lengths = np.zeros(len(starts), np.int64), np.zeros(len(starts), np.int64)
        begins[present], lengths[present] = where, sizes[present]
        target = RawBlock.room(int(lengths.sum()) + len(starts))
        return RawBlock.filled(target, picked_lines(content, begins, lengths, target), 1, 1)

    def _pieces(self, starts: Integers, sizes: Integers) -> tuple[npt.NDArray[np.uint8], Integers]:
        """Return bytes that hold some lines, and where each begins among them."""
        order = np.argsort(starts, kind="stable")
        begins, ends = starts[order], (starts + sizes)[order]
        is_first = np.ones(len(order), np.bool_)
        is_first[1:] = begins[1:] > ends[:-1] + _GAP
        firsts = np.flatnonzero(is_first)
        lasts = np.append(firsts[1:], len(order)) - 1
        lengths = ends[lasts] - begins[firsts] if len(order) else np.empty(0, np.int64)
        content = np.empty(int(lengths.sum()) + _PADDING, np.uint8)
        offsets = np.cumsum(lengths) - lengths
        with machine_faults(self.path):
            for start, size, offset in zip(begins[firsts].tolist(), lengths.tolist(), offsets.tolist(), strict=True):
                self._read(content.data[offset : offset + size], start)
        where = np.empty(len(order), np.int64)
        where[order] = begins + np.repeat(offsets - begins[firsts], np.diff(np.append(firsts, len(order))))
        return content, where

    def _read(self, target: memoryview, start: int) -> None:
        while target:
            found = os.preadv(self._handle, [target], start)
            if not found:
                raise OSError("it has become shorter while it was read")
            target, start = target[found:], start + found


@contextmanager
def machine_faults(path: Path) -> Iterator[None]:
    """Give faults of the machine while a file is read again their type and exit code."""
    try:
        yield
    except OSError as error:
        message = f"reading the file again stopped: {error.strerror or error}"
        hint = "check the disk and free space in the temporary folder, then try again"
        raise MachineError(Problem("machine", message, hint=hint, file=str(path))) from None


# Rows of CSV, TSV, Parquet and JSON files as lines of JSON, so that one scan and one path serve every format.
#
# The strict reader of the format reads every row, and says what is wrong with it; what it gives is spelled again,
# with the row's own number beside it.


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
