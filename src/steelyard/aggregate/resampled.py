"""Whole numbers summed over items, kept so that the totals can be drawn again: corpus metrics and token losses.

Up to 1,024 items every item is a unit to draw. Beyond that items are put into 1,024 units by a hash of their id, whose
sums are drawn instead: a unit is a random handful of items, so the totals spread as they would item by item, and the
memory does not grow. Neither depends on the order of items. Where items form clusters, the hash is that of the cluster,
so that a cluster is drawn as a whole.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from steelyard.records.blocks import Counts, Floats
from steelyard.stats.resampling import Units

UNITS = 1024


class ResampledSums:
    """Sums of columns of whole numbers over items; merges."""

    def __init__(self, width: int, *, clustered: bool = False) -> None:
        self.n = 0
        self.rows: Counts = np.zeros((0, width + 1), np.int64)
        self.hashes: Counts = np.zeros(0, np.int64)
        self.grouped, self.clustered = False, clustered
        if clustered:
            self._group()

    def update(self, hashes: Counts, rows: Counts) -> None:
        """Add items: the hash of each id, or of its cluster, and its numbers."""
        self.n += len(rows)
        self._add(hashes, np.concatenate((rows, np.ones((len(rows), 1), np.int64)), axis=1))

    def merge(self, other: ResampledSums) -> None:
        """Add another part's items."""
        self.n += other.n
        if other.grouped:
            self._group()
        self._add(other.hashes, other.rows)

    def _add(self, hashes: Counts, rows: Counts) -> None:
        if not self.grouped:
            self.hashes = np.concatenate((self.hashes, hashes))
            self.rows = np.concatenate((self.rows, rows))
            if len(self.rows) > UNITS:
                self._group()
            return
        np.add.at(self.rows, hashes, rows)

    def _group(self) -> None:
        if not self.grouped:
            sums = np.zeros((UNITS, self.rows.shape[1]), np.int64)
            np.add.at(sums, self.hashes, self.rows)
            self.rows, self.hashes, self.grouped = sums, np.arange(UNITS), True

    @property
    def total(self) -> Counts:
        """The sums over all items."""
        totals: Counts = self.rows[:, :-1].sum(axis=0)
        return totals

    @property
    def units(self) -> int:
        """How many independent units there are: items, or as far as they are told apart clusters of them."""
        return int(np.count_nonzero(self.rows[:, -1])) if self.clustered else self.n

    def ratio_units(self, step: float = 1.0) -> Units:
        """Return the units of a ratio: the first number over the second; `step` is what 1 stands for in the first."""
        held = self.rows[self.rows[:, 1] > 0]
        return Units.of(held[:, 0] / step, held[:, 1].astype(np.float64))

    def draws(self, *, rounds: int, seed: int) -> Floats:
        """Return the totals of bootstrap samples, one row each."""
        units = self.rows[self.rows[:, -1] > 0] if self.grouped else self.rows[np.lexsort(self.rows.T)]
        generator = np.random.Generator(np.random.PCG64(seed))
        drawn = generator.multinomial(len(units), np.full(len(units), 1 / len(units)), size=rounds)
        # Whole numbers below 2^53: the product has no rounding, so the order in which BLAS adds does not show.
        totals: Floats = drawn.astype(np.float64) @ units[:, :-1].astype(np.float64)
        return totals


def id_hashes(ids: Sequence[str]) -> Counts:
    """Return the unit of each id, the same on every machine."""
    found: npt.NDArray[np.int64] = np.fromiter(
        (zlib.crc32(name.encode("utf-8", "surrogatepass")) % UNITS for name in ids), np.int64, len(ids)
    )
    return found
