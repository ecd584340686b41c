"""Hashes by which a run's files hold each other.

Whoever changes, exchanges or loses any one file without making these hashes anew is found out by whoever compares them:

    run.json            holds its own seal, the fingerprint, and the hash of every other file outside `eval/`
    eval/hashes.json    holds the hash of every file under `eval/`, and that of the items' ids and contents

The fingerprint covers what a run was made from and answered: its configuration, its items, its journal. It does not
cover what is derived from them, which `steelyard rescore` makes anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from steelyard.secrets import redacted

PREFIX = "sha256:"
_THREADS = 2
"""Hashing runs outside the interpreter's lock; the two large files of a run are hashed side by side."""
_SMALL = 1 << 20


def text_digest(content: bytes) -> str:
    """Return `sha256:` and the digest in hexadecimal."""
    return PREFIX + hashlib.sha256(content).hexdigest()


def file_digest(path: Path) -> str:
    """Return the hash of a file's bytes."""
    with path.open("rb") as stream:
        return PREFIX + hashlib.file_digest(stream, "sha256").hexdigest()


def file_digests(folder: Path, names: list[str]) -> dict[str, str]:
    """Return the hash of each file by its name below a folder."""
    large = [name for name in names if (folder / name).stat().st_size > _SMALL]
    if len(large) < 2:
        return {name: file_digest(folder / name) for name in names}
    with ThreadPoolExecutor(_THREADS) as pool:
        return dict(zip(names, pool.map(lambda name: file_digest(folder / name), names), strict=True))


def seal_of(content: Mapping[str, Any]) -> str:
    """Return the seal of a JSON object: the hash of all of it but its seal."""
    kept = {name: value for name, value in content.items() if name != "seal"}
    return text_digest(json.dumps(kept, sort_keys=True, separators=(",", ":"), allow_nan=False).encode())


def sealed(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return a JSON object with its seal, taken over what will stand on disk.

    >>> is_sealed(sealed({"a": 1})), is_sealed(sealed({"a": 1}) | {"a": 2})
    (True, False)
    """
    written: dict[str, Any] = redacted(dict(content))
    return {**written, "seal": seal_of(written)}


def is_sealed(content: Mapping[str, Any]) -> bool:
    """Return whether a JSON object is what its seal was taken over."""
    try:
        return content.get("seal") == seal_of(content)
    except (ValueError, RecursionError):
        # NaN, and what is nested deeper than can be written, is nothing that we wrote.
        return False


def is_as_written(data: bytes, content: Mapping[str, Any]) -> bool:
    """Return whether a file with this content in it holds its seal, byte for byte as this format is written."""
    return is_sealed(content) and data in _spellings(content)


def _spellings(content: Mapping[str, Any]) -> Iterator[bytes]:
    """Yield how an object is written; one with lone surrogates has them escaped."""
    for escaped in (False, True):
        text = json.dumps(content, indent=2, ensure_ascii=escaped, allow_nan=False)
        yield text.encode("utf-8", "replace") + b"\n"


def fingerprint(config: str, items: str, journal: str) -> str:
    """Return the hash of what a run was made from and answered."""
    return text_digest(f"{config}\n{items}\n{journal}".encode())
