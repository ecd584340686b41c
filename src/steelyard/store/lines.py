"""Files of lines beside the runs: a line is added in one write that is on disk, and what is damaged is read past."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from steelyard.errors import Problem
from steelyard.store.files import sync_folder


def parsed(content: bytes) -> Any:
    """Return the value that JSON holds; whatever is wrong with it is a ValueError.

    >>> parsed(b"[" * 100_000)
    Traceback (most recent call last):
    ValueError: it is nested too deeply
    """
    try:
        return json.loads(content)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def append_line(file: Path, line: bytes) -> int:
    """Add a line in one write that is on disk when this returns; return where the file ended before.

    Where the disk takes a part of it, that is taken back. What a killed process left of its own line is cut first.
    """
    handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
    try:
        size, missing = _whole(handle)
        try:
            written = os.write(handle, missing + line)
            while written < len(missing + line):
                written += os.write(handle, (missing + line)[written:])
            os.fsync(handle)
            sync_folder(file.parent)
        except OSError:
            os.ftruncate(handle, size)
            raise
    finally:
        os.close(handle)
    return size


def take_back(file: Path, size: int) -> None:
    """Cut a file to where it ended before a line was added: what the line tells of did not come about."""
    with suppress(OSError):
        os.truncate(file, size)


def _whole(handle: int) -> tuple[int, bytes]:
    """Cut a torn last line; return the size of the file, and the newline that a last line lacks which is whole."""
    size = os.fstat(handle).st_size
    if not size or os.pread(handle, 1, size - 1) == b"\n":
        return size, b""
    content = os.pread(handle, size, 0)
    start = content.rfind(b"\n") + 1
    if line_object(content[start:]) is not None:
        return size, b"\n"
    os.ftruncate(handle, start)
    return start, b""


def read_objects(file: Path) -> Iterator[tuple[int, dict[str, Any] | None]]:
    """Yield the number and the object of every line that there is; None where the line holds no object."""
    try:
        content = file.read_bytes()
    except FileNotFoundError:
        return
    except OSError as error:
        pass_over(file, None, f"it cannot be read ({error.strerror or error})", "move it away")
        return
    for number, line in enumerate(content.split(b"\n"), start=1):
        if line:
            yield number, line_object(line)


def line_object(line: bytes) -> dict[str, Any] | None:
    """Return the object that a line holds; None where it holds none."""
    try:
        found = parsed(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def pass_over(file: Path, line: int | None, message: str, remedy: str) -> None:
    """Tell of something damaged that is passed over."""
    warnings.warn(Problem("run-damaged", message, hint=remedy, file=str(file), line=line).in_one_line, stacklevel=3)
