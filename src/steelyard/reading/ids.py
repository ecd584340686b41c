"""Ids of millions of rows in a few bytes each: enough to say that one stands twice, and then where.

Beside them the hashes of files and of items.
"""

from __future__ import annotations

import hashlib
import json
from array import array
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.errors import Problem, Problems, quoted
from steelyard.reading.lines import open_plain


class IdLedger:
    """Every id of a file as a 64-bit hash, eight bytes each.

    The hash is Python's own, which is keyed per process: it costs a tenth of a cryptographic one, and a second reading
    confirms every hit, so that no answer depends on it.
    """

    def __init__(self) -> None:
        self._hashes = array("q")

    def __len__(self) -> int:
        return len(self._hashes)

    def add(self, item_id: str) -> None:
        """Record one id."""
        self._hashes.append(hash(item_id))

    def duplicates(self, reread: Callable[[], Iterable[tuple[str, int]]]) -> Iterator[tuple[str, int, int]]:
        """Yield each id that stands again, with the first line and the later one.

        `reread` gives ids and lines once more, from the start; it is called only where two hashes are equal.
        """
        suspects = self._suspects()
        if not suspects:
            return
        first: dict[str, int] = {}
        for item_id, line in reread():
            if hash(item_id) in suspects and first.setdefault(item_id, line) != line:
                yield item_id, first[item_id], line

    def report(self, problems: Problems, file: str, reread: Callable[[], Iterable[tuple[str, int]]]) -> None:
        """Add a problem for every id that stands again."""
        for item_id, first, line in self.duplicates(reread):
            problems.add(duplicate_id(item_id, first, line, file))

    def _suspects(self) -> set[int]:
        values, counts = np.unique(as_numbers(self._hashes), return_counts=True)
        return set(values[counts > 1].tolist())


def as_numbers(hashes: array[int]) -> npt.NDArray[np.int64]:
    """Return an array of 64-bit numbers as numpy sees it, without a copy."""
    return np.frombuffer(hashes, np.int64) if hashes else np.empty(0, np.int64)


def duplicate_id(item_id: str, first: int, line: int, file: str) -> Problem:
    """Return the problem of an id that stands on two lines."""
    message = f"the id {quoted(item_id)} stands on lines {first} and {line}, expected each id once"
    hint = "remove one of the two rows, or give it an id of its own"
    return Problem("duplicate-id", message, hint=hint, file=file, line=line, item_id=item_id)


# Hashes by which files and items are known: `sha256:` and the digest in hexadecimal.


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
