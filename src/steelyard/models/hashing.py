"""Hashes of what models are made of."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from steelyard.errors import InputError, Problem


def hash_file(path: Path) -> str:
    """Return `sha256:<hex>` of a file's bytes."""
    try:
        with path.open("rb") as stream:
            return f"sha256:{hashlib.file_digest(stream, 'sha256').hexdigest()}"
    except OSError as error:
        message = f"the model file cannot be read: {error.strerror or error}"
        raise InputError(Problem("missing-file", message, hint="check the path", file=str(path))) from None


def hash_files(folder: Path, paths: Iterable[Path]) -> str:
    """Return one hash of several files by their names and bytes; their order does not matter."""
    listing = "".join(f"{path.relative_to(folder)} {hash_file(path)}\n" for path in sorted(paths))
    return hash_text(listing)


def hash_text(text: str) -> str:
    """Return `sha256:<hex>` of a text."""
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"
