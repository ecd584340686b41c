"""Names of files that a run has already, a few bytes each: there may be one for each of a million conversations."""

from __future__ import annotations

import hashlib
from array import array
from bisect import bisect_left

import numpy as np

_RECENT = 8192


class TakenNames:
    """Names whatever their case, since some file systems do not tell it apart.

    A name is known by a 64-bit hash, the same in every process. Two names of one hash would cost the second its plain
    name, never its file.

    >>> names = TakenNames()
    >>> names.take("One"), names.take("one"), names.take("two")
    (True, False, True)
    """

    def __init__(self) -> None:
        self._sorted = array("Q")
        self._recent: set[int] = set()

    def take(self, name: str) -> bool:
        """Return whether a name is free, and take it."""
        digest = hashlib.blake2b(name.lower().encode("utf-8", "surrogatepass"), digest_size=8).digest()
        key = int.from_bytes(digest, "big")
        if key in self._recent or self._is_settled(key):
            return False
        self._recent.add(key)
        if len(self._recent) >= _RECENT:
            self._settle()
        return True

    def _is_settled(self, key: int) -> bool:
        place = bisect_left(self._sorted, key)
        return place < len(self._sorted) and self._sorted[place] == key

    def _settle(self) -> None:
        recent = np.fromiter(self._recent, np.uint64, len(self._recent))
        united = np.sort(np.concatenate((np.asarray(self._sorted, np.uint64), recent)))
        self._sorted, self._recent = array("Q", united.tobytes()), set()
