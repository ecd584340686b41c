"""A stream of JSONL in scanned blocks: whole lines, a few megabytes at a time, each line with its shape."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from steelyard.errors import MachineError, Problem
from steelyard.items.shapes import Shape
from steelyard.kernels.compiled import BYTES, INTEGER, INTEGERS, Loop
from steelyard.reading.limits import Limits
from steelyard.reading.lines import BOM, Line, line_of, longest_read, open_bytes, skip_line
from steelyard.reading.rows import Row, row_of

BLOCK_BYTES = 6 << 20
"""Bytes read at once; the last line is then completed."""

ODD, BLANK = -1, -2
_MEMBERS, _SHAPES, _SHAPE_BYTES = 48, 64, 4096
_PADDING = 128
_LINE_FEED = 0x0A
_REST = 1 << 16
"""Room for the rest of the last line; a longer one costs a copy of the block."""
_DEEPEST = 3
"""How deep a plain row may be nested: a list in an object in the row."""
_SHORTEST_MEMBER = 5
"""No value takes fewer bytes with its key: `"":1,`."""

scan_loop = Loop(
    "steelyard.kernels.loops.scanning",
    "scan",
    (
        *(BYTES, INTEGER, INTEGER),
        *(BYTES, INTEGERS, BYTES, INTEGERS),
        *(INTEGERS, INTEGERS, INTEGERS, INTEGERS, INTEGERS, INTEGERS),
    ),
)

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ScannedBlock:
    """Consecutive lines of a file. The texts of plain rows stand in `data` between `starts` and `ends`."""

    data: npt.NDArray[np.uint8]
    raw: RawBlock
    line_starts: Integers
    line_ends: Integers
    shapes: Integers
    """The number of each line's shape; ODD for the strict reader, BLANK for no row."""
    firsts: Integers
    starts: Integers
    ends: Integers

    @classmethod
    def empty(cls) -> ScannedBlock:
        """Return no lines at all."""
        nothing = np.empty(0, np.int64)
        return cls(np.empty(0, np.uint8), RawBlock.of(b"\n", 1, 1), *(nothing,) * 6)

    def __len__(self) -> int:
        return len(self.shapes)

    def line(self, row: int) -> bytes:
        """Return a line as it stands in the file, without its line end."""
        return self.data[self.line_starts[row] : self.line_ends[row]].tobytes()

    def strict_line(self, row: int, limits: Limits) -> Line | None:
        """Return a line as the strict reader takes it, too long a one cut as it cuts it; None where it is blank."""
        end = b"\n" if self.raw.ended or row < len(self) - 1 else b""
        offset, number = self.raw.first_offset + int(self.line_starts[row]), self.raw.number_of(row)
        content = (self.line(row) + end)[: longest_read(limits) - (self.raw.start if row == 0 else 0)]
        return line_of(number, offset, content, limits)

    def strict_row(self, row: int, limits: Limits) -> Row:
        """Return the row of a line that is not blank as the strict reader reads it, or raise a RowError."""
        if self.raw.is_spelled:
            return spelled_row(self.line(row), self.raw.number_of(row))
        line = self.strict_line(row, limits)
        assert line is not None
        return row_of(line, limits)


def spelled_row(content: bytes, number: int) -> Row:
    """Return the row of another format that was spelled as a line of JSON: as its own strict reader gave it."""
    return Row(number, json.loads(content), None)


class BlockScanner:
    """Scans streams block by block and knows every shape that it has met."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._shapes = np.zeros(_SHAPES * _SHAPE_BYTES, np.uint8)
        self._sizes = np.zeros(_SHAPES, np.int64)
        self._shape = np.zeros(_SHAPE_BYTES + 64, np.uint8)
        self._known: list[Shape] = []

    @property
    def shapes(self) -> list[Shape]:
        """The shapes met so far, by their numbers."""
        return self._known

    def scan(self, content: RawBlock) -> ScannedBlock:
        """Return the lines of a block of bytes."""
        state = np.array([content.start, content.size + _PADDING // 2, len(self._known)], np.int64)
        line_starts, line_ends, row_shapes, firsts = (np.empty(content.lines, np.int64) for _ in range(4))
        # Memory that is never written is never taken, so the most that the block could hold costs nothing.
        members = content.size // _SHORTEST_MEMBER + _MEMBERS
        starts, ends = np.empty(members, np.int64), np.empty(members, np.int64)
        scan_loop(
            *(content.data, content.size, self.limits.max_line_bytes),
            *(self._shapes, self._sizes, self._shape, state),
            *(line_starts, line_ends, row_shapes, firsts, starts, ends),
        )
        for number in range(len(self._known), int(state[2])):
            first = number * _SHAPE_BYTES
            self._known.append(Shape.decoded(self._shapes[first : first + int(self._sizes[number])].tobytes()))
        if self.limits.max_depth < _DEEPEST:
            row_shapes[row_shapes >= 0] = ODD
        return ScannedBlock(content.data, content, line_starts, line_ends, row_shapes, firsts, starts, ends)


@dataclass(frozen=True, slots=True)
class RawBlock:
    """Whole lines of a file as bytes, with a line feed behind the last and room for unescaped texts after that."""

    data: npt.NDArray[np.uint8]
    size: int
    """Bytes up to and with the last line feed."""
    start: int
    """Where the first line begins: after a byte-order mark."""
    first_line: int
    first_offset: int
    """Where the block begins in the file."""
    ended: bool
    """Whether the last line has a line end in the file."""
    lines: int
    numbers: Integers | None = None
    """The number of each line in its file, where lines are not numbered one after the other."""
    is_spelled: bool = False
    """Whether rows of another format than JSONL were spelled as these lines."""

    def number_of(self, row: int) -> int:
        """Return the number of a line in its file, from 1."""
        return self.first_line + row if self.numbers is None else int(self.numbers[row])

    def numbers_of(self, rows: Integers) -> Integers:
        """Return the numbers of some lines."""
        return self.first_line + rows if self.numbers is None else self.numbers[rows]

    @classmethod
    def spelled(cls, lines: Sequence[bytes], numbers: Sequence[int]) -> RawBlock:
        """Return rows of another format, each spelled as a line of JSON."""
        block = cls.of(b"\n".join(lines), 1, 1)
        return replace(block, numbers=np.array(numbers, np.int64), is_spelled=True)

    @classmethod
    def of(cls, data: bytes, first_line: int, first_offset: int) -> RawBlock:
        """Return whole lines that are held as bytes."""
        target = cls.room(len(data))
        target[: len(data)] = np.frombuffer(data, np.uint8)
        return cls.filled(target, len(data), first_line, first_offset)

    @staticmethod
    def room(size: int) -> npt.NDArray[np.uint8]:
        """Return memory for so many bytes of lines, and for their texts once more without escapes."""
        return np.empty(2 * size + _PADDING, np.uint8)

    @classmethod
    def filled(cls, data: npt.NDArray[np.uint8], end: int, first_line: int, first_offset: int) -> RawBlock:
        """Return the lines in `data[:end]`, behind which there is as much room again."""
        ended = bool(data[end - 1] == _LINE_FEED)
        size = end + (not ended)
        data[end : size + _PADDING // 2] = _LINE_FEED
        start = len(BOM) if first_offset == 0 and data[:3].tobytes() == BOM else 0
        lines = int(np.count_nonzero(data[:size] == _LINE_FEED))
        return cls(data, size, start, first_line, first_offset, ended, lines)


def read_raw_blocks(path: Path, limits: Limits) -> Iterator[RawBlock]:
    """Yield the lines of a file, some megabytes at a time."""
    try:
        with open_bytes(path, limits) as stream:
            yield from raw_blocks(stream, limits, BLOCK_BYTES)
    except OSError as error:
        message = f"reading stopped: {error.strerror or error}"
        raise MachineError(Problem("machine", message, hint="check the disk and try again", file=str(path))) from None


def raw_blocks(stream: BinaryIO, limits: Limits, size: int) -> Iterator[RawBlock]:
    """Yield the lines of a stream, some megabytes at a time; of a line over the limit only the beginning."""
    line, offset = 1, 0
    while True:
        data = np.empty(2 * (size + _REST) + _PADDING, np.uint8)
        found = _read_into(stream, data.data[:size])
        if not found:
            return
        rest = b"" if data[found - 1] == _LINE_FEED else stream.readline(longest_read(limits))
        if len(rest) > _REST:
            data = np.concatenate([data[:found], np.empty(found + 2 * len(rest) + _PADDING, np.uint8)])
        data[found : found + len(rest)] = np.frombuffer(rest, np.uint8)
        end = found + len(rest)
        block = RawBlock.filled(data, end, line, offset)
        skipped = 0 if block.ended else skip_line(stream)
        yield block
        line += block.lines
        offset += end + skipped


def _read_into(stream: BinaryIO, target: memoryview) -> int:
    filled = 0
    while filled < len(target) and (found := stream.readinto(target[filled:])):  # type: ignore[attr-defined]
        filled += found
    return filled
