"""Columns of few distinct numbers as codes, so that counting them by slice takes one pass and no sorting."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from steelyard.aggregate.groups import Groups
from steelyard.kernels.labels import codes_block
from steelyard.records.blocks import Counts, Floats, TextColumn

FEWEST_ITEMS = 8192
"""Below so many items in a block, sorting takes no longer than loading the loop."""


MOST_CELLS = 1 << 18
"""Beyond so many cells, a table of numbers by groups costs more than looking at each group's rows."""
_ZERO_ONE: Floats = np.array((0.0, 1.0))


@dataclass(frozen=True, slots=True)
class Coded:
    """Distinct numbers in ascending order, and for each item the place of its number; null is one place further."""

    values: Floats
    codes: Counts

    @classmethod
    def of(cls, values: Floats) -> Coded | None:
        """Return a column as codes; None where it is short or has too many distinct numbers."""
        if len(values) < FEWEST_ITEMS:
            return None
        plain = values + 0.0  # a copy without gaps, in which -0.0 is 0.0
        if ((plain == 0.0) | (plain == 1.0)).all():
            return cls(_ZERO_ONE, plain.astype(np.int64))
        ends = np.arange(8, 8 * len(plain) + 1, 8)
        found = codes_block(TextColumn(plain.view(np.uint8), ends - 8, ends))
        if found is None:
            return None
        firsts, codes = found
        distinct = plain[firsts]
        order = np.argsort(distinct, kind="stable")  # null comes last
        places = np.empty(len(order), np.int64)
        places[order] = np.arange(len(order))
        ordered = distinct[order]
        known = ordered[~np.isnan(ordered)]
        return cls(known, np.minimum(places[codes], len(known)))

    def take(self, rows: npt.NDArray[np.intp]) -> Coded:
        """Return some of the items."""
        return Coded(self.values, self.codes[rows])

    def counts(self) -> tuple[Floats, Counts]:
        """Return the numbers that occur in ascending order, and how often each does."""
        counts = np.bincount(self.codes, minlength=len(self.values) + 1)[: len(self.values)]
        return self.held(counts)

    def held(self, counts: Counts) -> tuple[Floats, Counts]:
        """Return the numbers that occur, and how often each does, from counts of all of them."""
        held = np.flatnonzero(counts)
        return self.values[held], counts[held]

    def is_countable_by(self, groups: Groups) -> bool:
        """Return whether a table of all numbers by all groups is small."""
        return (len(self.values) + 1) * len(groups.values) <= MOST_CELLS

    def by(self, groups: Groups) -> Counts:
        """Return how often each number occurs in each group: one row for each group, one column for each number."""
        width, size = len(self.values) + 1, len(groups.values)
        counts = np.bincount(groups.codes * width + self.codes, minlength=size * width)
        return counts.reshape(size, width)[:, :-1]
