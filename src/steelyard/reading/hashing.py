"""Hashes by which files and items are known: `sha256:` and the digest in hexadecimal."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from steelyard.reading.lines import open_plain

PREFIX = "sha256:"


def sha256_file(path: Path) -> str:
    """Return the hash of a file's bytes as they stand on disk."""
    with open_plain(path) as stream:
        return PREFIX + hashlib.file_digest(stream, "sha256").hexdigest()


def item_hash(input: str, reference: Any) -> str:  # noqa: A002  the word of the vocabulary
    """Return the hash of what an item asks and expects; tags and ids do not count.

    It is taken over canonical JSON, `["input",reference]` with sorted keys and everything outside ASCII escaped, so
    that lone surrogates have a form too.

    >>> item_hash("2 + 2", "4")
    'sha256:7b0b0a2f4e11aa71b1623e90e579776a8fd41c02a8a6ddc1d4bd908774e9c0dc'
    """
    canonical = json.dumps([input, reference], sort_keys=True, separators=(",", ":"), allow_nan=False)
    return PREFIX + hashlib.sha256(canonical.encode("ascii")).hexdigest()
