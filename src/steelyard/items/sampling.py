"""Which items of a dataset are evaluated: all, the first N, or a seeded sample."""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from steelyard.reading.rows import Row


@dataclass(frozen=True, slots=True)
class Selection:
    """All rows, the first `limit`, or `sample_size` rows chosen by `seed` and kept in dataset order."""

    limit: int | None = None
    sample_size: int | None = None
    seed: int = 0
    rows: Callable[[], Iterator[Row]] | None = None
    """Reads the dataset once more, from the start; a sample needs to see all rows before it keeps one."""

    @property
    def is_whole(self) -> bool:
        """Whether every row is evaluated."""
        return self.limit is None and self.sample_size is None

    def choose(self, rows: Iterator[Row]) -> Iterator[Row]:
        """Yield the chosen rows."""
        if self.sample_size is not None and self.rows is not None:
            chosen = self.sample(row.line for row in self.rows())
            rows = (row for row in rows if row.line in chosen)
        return rows if self.limit is None else islice(rows, self.limit)

    def sample(self, lines: Iterable[int]) -> set[int]:
        """Return the lines with the lowest keyed hash: the same choice whatever the order of reading."""
        size = self.sample_size or 0
        return {line for _, line in heapq.nsmallest(size, ((self._key(line), line) for line in lines))}

    def _key(self, line: int) -> bytes:
        return hashlib.blake2b(f"{self.seed}:{line}".encode(), digest_size=8).digest()
