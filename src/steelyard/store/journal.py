"""The journal of generated predictions: append-only, one line per finished item, on disk before the item counts.

A line is one write with its newline, so that after `kill -9` only the last line can be cut short; opening the journal
again cuts it back to the last newline, and that item is asked again.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

import msgspec

from steelyard.errors import InputError, Problem, excerpt, quoted
from steelyard.records.encoded import UNREADABLE
from steelyard.store.files import json_line, machine_errors, sync_folder

SYNC_SECONDS = 0.02
"""Lines that come faster than this share one flush to disk; none of them counts before it."""

_CHUNK = 1 << 20
_CUT = b'"truncated":true'


class _Line(msgspec.Struct):
    item_id: str
    state: str | None = None


_DECODER = msgspec.json.Decoder(_Line)


class Journal:
    """Owned by the one process that owns the run directory."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.done: dict[str, str | None] = {}
        """Every journalled item with its state, None for an answer."""
        self._unsynced: list[tuple[str, str | None]] = []
        self._synced_at = 0.0
        with machine_errors(path):
            self._handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
            self._size = self._cut_to_last_newline()
            sync_folder(path.parent)
        self._read()

    def append(self, item_id: str, content: Mapping[str, Any], *, state: str | None = None) -> None:
        """Write one finished item; it counts once it is on disk, which `done` shows."""
        line = json_line({"item_id": item_id, **content})
        with machine_errors(self.path):
            self._write(line)
            self._unsynced.append((item_id, state))
            if time.monotonic() - self._synced_at >= SYNC_SECONDS:
                self.sync()

    def sync(self) -> None:
        """Put everything written on disk."""
        if self._unsynced:
            with machine_errors(self.path):
                os.fsync(self._handle)
            self.done.update(self._unsynced)
            self._unsynced.clear()
        self._synced_at = time.monotonic()

    def close(self) -> None:
        """Flush and let go."""
        try:
            self.sync()
        finally:
            os.close(self._handle)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _write(self, line: bytes) -> None:
        """Write a line whole; where the disk takes only part of it, take that part back."""
        try:
            written = os.write(self._handle, line)
            while written < len(line):
                written += os.write(self._handle, line[written:])
        except OSError:
            os.ftruncate(self._handle, self._size)
            raise
        self._size += len(line)

    def _cut_to_last_newline(self) -> int:
        """Drop what a killed process left of its last line; return the size that remains."""
        size = end = os.fstat(self._handle).st_size
        while end:
            start = max(0, end - _CHUNK)
            found = os.pread(self._handle, end - start, start).rfind(b"\n")
            end = start + found + 1 if found >= 0 else start
            if found >= 0:
                break
        if end < size:
            os.ftruncate(self._handle, end)
            os.fsync(self._handle)
        return end

    def _read(self) -> None:
        with self.path.open("rb") as stream:
            for number, line in enumerate(stream, start=1):
                try:
                    found = _decoded(line)
                except UNREADABLE as error:
                    raise self._damaged(number, f"not a line of a journal: {excerpt(str(error))}") from None
                if found.item_id in self.done:
                    raise self._damaged(number, f"the item {quoted(found.item_id)} stands here twice")
                self.done[found.item_id] = found.state

    def _damaged(self, line: int, message: str) -> InputError:
        os.close(self._handle)
        hint = "the journal was changed by something else: evaluate again under another name"
        return InputError(Problem("run-damaged", message, hint=hint, file=str(self.path), line=line))


def without_failures(path: Path) -> bytes:
    """Return a journal's lines but for those of items that failed, for a retry of those."""
    with path.open("rb") as stream:
        return b"".join(line for line in stream if line.endswith(b"\n") and _decoded(line).state is None)


def _decoded(line: bytes) -> _Line:
    try:
        return _DECODER.decode(line)
    except UNREADABLE:
        # msgspec refuses lone surrogates, which a model's output may hold, and what is nested beyond its stack.
        return msgspec.convert(json.loads(line), _Line)


def odd_answers(path: Path) -> dict[str, int]:
    """Return how many answers of a journal were cut at a limit; empty where none was.

    Inside a JSON string the quotes would be escaped, so the mark is found only where it is a field.
    """
    with path.open("rb") as stream:
        if not _occurs(_CUT, stream):
            return {}
        stream.seek(0)
        return {"truncated": sum(_CUT in line for line in stream)}


def _occurs(mark: bytes, stream: BinaryIO) -> bool:
    """Return whether a mark is anywhere in a file, without a Python object for each line."""
    tail = b""
    while content := stream.read(_CHUNK):
        if mark in tail + content[: len(mark)] or mark in content:
            return True
        tail = content[-len(mark) :]
    return False
