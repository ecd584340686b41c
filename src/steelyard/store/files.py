"""Files that are whole or not there: write aside, flush to disk, rename.

No key is written, whatever it stands in. What is said is told without any secret before it comes here (`redacted`).

Beside them: files of lines, appended whole.
"""

from __future__ import annotations

import json
import os
import secrets
import stat
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from steelyard.errors import MachineError, Problem
from steelyard.secrets import hidden, hidden_bytes


@contextmanager
def machine_errors(path: Path) -> Iterator[None]:
    """Give faults of the machine (disk full, read-only, permission) their type and exit code."""
    try:
        yield
    except OSError as error:
        named = Path(error.filename) if isinstance(error.filename, str) else path
        raise MachineError(
            Problem(
                code="machine",
                message=f"cannot write: {error.strerror or error}",
                hint="free the disk or fix the permission, then run the same command again",
                file=str(path if named.name.startswith(f".{path.name}.") else named),
            )
        ) from error


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Open a file that takes the place of `path` when the block ends well, and leaves no trace when it does not.

    A device or a pipe (`--output /dev/null`) is written to: nothing can take its place.
    """
    with machine_errors(path):
        if path.exists() and not path.is_file() and not path.is_dir():
            with path.open("wb") as stream:
                yield stream
            return
        handle, name = _beside(path)
        try:
            with os.fdopen(handle, "w+b") as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            name.replace(path)
            sync_folder(path.parent)
        except BaseException:
            name.unlink(missing_ok=True)
            raise


def _beside(path: Path) -> tuple[int, Path]:
    """Open a new file beside one that it will replace: its mode is the umask's, and never wider than that one's."""
    aside = path.parent / f".{path.name}.{secrets.token_hex(4)}"
    handle = os.open(aside, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
    if path.is_file():
        os.fchmod(handle, stat.S_IMODE(os.fstat(handle).st_mode) & stat.S_IMODE(path.stat().st_mode))
    return handle, aside


def sync_folder(folder: Path) -> None:
    """Put a folder's entries on disk, so that a rename survives a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_bytes(path: Path, content: bytes) -> None:
    """Write a whole file, or leave the one that was there."""
    with replacing(path) as stream:
        stream.write(hidden_bytes(content))


def json_bytes(value: Mapping[str, Any] | list[Any]) -> bytes:
    """Return JSON for a file: keys in the order given, two spaces, no NaN, lone surrogates escaped."""
    value = hidden(value)
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    try:
        return text.encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(value, indent=2, ensure_ascii=True, allow_nan=False).encode() + b"\n"


def json_line(value: Mapping[str, Any]) -> bytes:
    """Return one line of JSON, newline included."""
    value = hidden(value)
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        return text.encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode() + b"\n"


# Files of lines beside the runs: a line is added in one write that is on disk, and what is damaged is read past.


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
