"""Files as lines of UTF-8: opened by their name, split at line feeds only, each with its number and its faults."""

from __future__ import annotations

import errno
import io
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from steelyard.errors import InputError, MachineError, Problem
from steelyard.reading.json_values import not_utf8
from steelyard.reading.limits import Limits, RowError, bad_file
from steelyard.reading.packed import SUFFIXES, unpack

BOM = b"\xef\xbb\xbf"
_BUFFER = 1 << 20
_NOT_THERE = {errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.ELOOP}


class Line(NamedTuple):
    """One line of a file that is not blank."""

    number: int
    data: bytes
    """Without its line end; the beginning only where the line is too long."""
    ended: bool = True
    """Whether a line end follows. Only the last line can lack it."""
    fault: RowError | None = None


def open_bytes(path: Path, limits: Limits) -> BinaryIO:
    """Return the bytes of a file, unpacked where its name ends in `.gz` or `.zst`."""
    stream = open_plain(path)
    suffix = path.suffix.lower()
    try:
        _check_magic(path, suffix, stream.peek(4)[:4])
    except BaseException:
        stream.close()
        raise
    return unpack(stream, path, suffix, limits) if suffix in SUFFIXES else stream


def open_plain(path: Path) -> io.BufferedReader:
    """Return the bytes of a regular file as they stand on disk."""
    try:
        if path.exists() and not path.is_file():
            kind = "a folder" if path.is_dir() else "no regular file"
            raise bad_file(path, "missing-file", f"the path is {kind}, expected a file", hint="give the path of a file")
        return io.BufferedReader(io.FileIO(path), _BUFFER)
    except ValueError:
        raise _missing(path) from None
    except OSError as error:
        if error.errno in _NOT_THERE:
            raise _missing(path) from None
        message = f"the file cannot be read: {error.strerror or error}"
        raise MachineError(Problem("machine", message, hint="check its permissions", file=str(path))) from None


def _missing(path: Path) -> InputError:
    return bad_file(path, "missing-file", "no file is there, expected one", hint="check the path")


def _check_magic(path: Path, suffix: str, start: bytes) -> None:
    expected = SUFFIXES.get(suffix)
    if expected is not None and start and not start.startswith(expected):
        message = f"the name ends in {suffix}, but the first bytes are {start!r}, expected {expected!r}"
        raise bad_file(path, "corrupt-file", message, hint=f"compress the file, or take {suffix} off its name")
    for other, magic in SUFFIXES.items():
        if expected is None and start.startswith(magic):
            message = f"the file is compressed, but its name does not end in {other}"
            raise bad_file(path, "corrupt-file", message, hint=f"add {other} to the name")


def read_lines(stream: BinaryIO, limits: Limits) -> Iterator[tuple[int, bytes]]:
    """Yield number and bytes of each line that is not blank; the first line that cannot be used raises InputError."""
    for line in scan_lines(stream, limits):
        if line.fault:
            raise InputError(line.fault.at(str(getattr(stream, "name", "the stream")), line.number))
        yield line.number, line.data


def scan_lines(stream: BinaryIO, limits: Limits) -> Iterator[Line]:
    """Yield each line that is not blank, with its fault where it has one."""
    for number, offset, data in physical_lines(stream, limits):
        line = line_of(number, offset, data, limits)
        if line is not None:
            yield line


def line_of(number: int, offset: int, data: bytes, limits: Limits) -> Line | None:
    """Return a line of a file, given with its line end, and its fault where it has one; None where it is blank."""
    stripped = data.rstrip(b"\r\n")
    if not stripped.strip(b" \t\r"):
        return None
    return Line(number, stripped, data.endswith(b"\n"), _fault(data, stripped, offset, limits))


def physical_lines(stream: BinaryIO, limits: Limits) -> Iterator[tuple[int, int, bytes]]:
    """Yield number, byte offset and bytes of every line with its line end, a byte-order mark taken off.

    Of a line over the limit only the beginning is yielded, and the rest is passed over without being held.
    """
    enough = longest_read(limits)
    offset = number = 0
    while data := stream.readline(enough):
        number += 1
        start, size = offset, len(data)
        if len(data) == enough and not data.endswith(b"\n"):
            size += skip_line(stream)
        offset += size
        if number == 1 and data.startswith(BOM):
            start, data = len(BOM), data[len(BOM) :]
        yield number, start, data


def longest_read(limits: Limits) -> int:
    """Return how many bytes of a line are read: enough to know that it is too long."""
    return limits.max_line_bytes + len(BOM) + 2


def skip_line(stream: BinaryIO) -> int:
    """Pass over the rest of a line without holding it; return how many bytes it has."""
    skipped = 0
    while data := stream.readline(_BUFFER):
        skipped += len(data)
        if data.endswith(b"\n"):
            break
    return skipped


def _fault(data: bytes, stripped: bytes, offset: int, limits: Limits) -> RowError | None:
    if len(stripped) > limits.max_line_bytes:
        return line_too_long("line", limits)
    if data.isascii():
        return None
    try:
        stripped.decode()
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data" and not data.endswith(b"\n"):
            return truncated()
        return not_utf8(error, offset)
    return None


def line_too_long(what: str, limits: Limits) -> RowError:
    """Return the fault of a line or record over `--max-line-bytes`."""
    message = f"the {what} is longer than {limits.max_line_bytes} bytes, which is the limit"
    return RowError("line-too-long", message, None, "split the row, or raise --max-line-bytes")


def truncated(column: int | None = None) -> RowError:
    """Return the fault of a last line that stops in the middle."""
    message = "the last line ends in the middle of a row, expected a whole row and a line end"
    return RowError("truncated-line", message, column, "the file was cut while being written: write it again")
