"""Files in the user's cache folder: what is costly to make is made once per machine.

A file's name spells everything its content depends on, so nothing is ever out of date. A file that does not match its
own digest is made again; a folder that cannot be written costs time and nothing else.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

CACHE_VARIABLE = "STEELYARD_CACHE_DIR"
_DIGEST_SIZE = 32


def kept(name: str, depends_on: Iterable[bytes], make: Callable[[], bytes]) -> bytes:
    """Return what was kept under a name for these dependencies, or make and keep it."""
    folder = cache_folder()
    if folder is None:
        return make()
    path = _path(folder, name, depends_on)
    with suppress(OSError):
        stored = path.read_bytes()
        if _digest(stored[_DIGEST_SIZE:]) == stored[:_DIGEST_SIZE]:
            return stored[_DIGEST_SIZE:]
    content = make()
    with suppress(OSError):
        _write(path, _digest(content) + content)
    return content


def is_kept(name: str, depends_on: Iterable[bytes]) -> bool:
    """Return whether something is kept under a name for these dependencies."""
    folder = cache_folder()
    return folder is not None and _path(folder, name, depends_on).is_file()


def _path(folder: Path, name: str, depends_on: Iterable[bytes]) -> Path:
    return folder / f"{name}-{_digest(*depends_on).hex()[:32]}"


def cache_folder() -> Path | None:
    """Return where files are kept: `STEELYARD_CACHE_DIR`, or a folder in the user's cache; None without a home."""
    if given := os.environ.get(CACHE_VARIABLE):
        return Path(given)
    if given := os.environ.get("XDG_CACHE_HOME"):
        return Path(given) / "steelyard"
    try:
        return Path.home() / ".cache" / "steelyard"
    except RuntimeError:
        return None


def source_of(module: str) -> bytes:
    """Return the source of a module without importing it."""
    spec = find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    path = Path(spec.origin)
    if path.is_file():
        return path.read_bytes()
    return (spec.loader.get_source(module) or "").encode()  # type: ignore[union-attr]  # in an archive


def _digest(*parts: bytes) -> bytes:
    total = hashlib.sha256()
    for part in parts:
        total.update(len(part).to_bytes(8, "little") + part)
    return total.digest()


def _write(path: Path, content: bytes) -> None:
    """Write a file that appears whole or not at all: another process may look at the same moment."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".making-", delete=False) as stream:
        stream.write(content)
    Path(stream.name).replace(path)
