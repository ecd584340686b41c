"""Counts and sums of the primary score by tag value: what breakdowns and the search for weak slices need.

Sums are kept in limbs of 26 bits, each a whole number in a double, so that they do not depend on the order of items or
on how they were cut into blocks. Three limbs hold every score above 2^-25 without rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from steelyard.aggregate.groups import Coded, Groups, TagGroups, Values, untagged_last
from steelyard.records.blocks import Floats, Labels
from steelyard.records.items import UNTAGGED

LIMB = float(1 << 26)

MAX_KEYS = 12
MAX_VALUES = 200
"""A tag with more values than this is an id, not a segment; it is left out of the search and named as left out."""

Sums: TypeAlias = npt.NDArray[np.float64]
"""By row: n, three limbs of the sum, two limbs of the sum of squares."""

_ROWS = 6


@dataclass(slots=True)
class Moments:
    """How many items, the sum of their scores and of the squares."""

    sums: Sums

    @classmethod
    def empty(cls) -> Moments:
        """Return the moments of no items."""
        return cls(np.zeros(_ROWS))

    @property
    def n(self) -> int:
        """How many items there are."""
        return int(self.sums[0])

    @property
    def total(self) -> Fraction:
        """The sum of scores."""
        high, middle, low = (int(part) for part in self.sums[1:4])
        return Fraction((high << 52) + (middle << 26) + low, 1 << 78)

    @property
    def squares(self) -> float:
        """The sum of squared scores."""
        return float(self.sums[4] / LIMB + self.sums[5] / LIMB / LIMB)

    @property
    def mean(self) -> float:
        """The mean score, rounded once."""
        return float(self.total / self.n)

    def __sub__(self, other: Moments) -> Moments:
        return Moments(self.sums - other.sums)


class BlockMoments:
    """The scores of a block in limbs, ready to be added up by any grouping.

    Where the scores are few distinct numbers, their limbs are added up as often as each number occurs. Limbs and counts
    are whole numbers below 2^53, so both ways give the same sums.
    """

    def __init__(self, values: Floats, coded: Coded | None = None) -> None:
        self._length = len(values)
        self._coded = coded
        self._parts = _parts(values if coded is None else coded.values)

    def whole(self) -> Sums:
        """Return the sums over all items."""
        if self._coded is None:
            return np.array([float(self._length), *(part.sum() for part in self._parts)])
        counts = np.bincount(self._coded.codes, minlength=len(self._coded.values))
        return np.array([float(self._length), *(np.stack(self._parts) @ counts)])

    def by(self, groups: Groups) -> Sums:
        """Return the sums of each group, one column each."""
        sizes = groups.sizes.astype(np.float64)
        if self._coded is not None and self._coded.is_countable_by(groups):
            return np.vstack((sizes, np.stack(self._parts) @ self._coded.by(groups).T))
        size, rows = len(groups.values), slice(None) if self._coded is None else self._coded.codes
        return np.stack([sizes, *(np.bincount(groups.codes, part[rows], minlength=size) for part in self._parts)])


def _parts(values: Floats) -> tuple[Floats, ...]:
    return *_limbs(values, 3), *_limbs(values * values, 2)


def _limbs(values: Floats, count: int) -> list[Floats]:
    limbs = []
    for _ in range(count):
        values = values * LIMB
        limb = np.floor(values)
        limbs.append(limb)
        values = values - limb
    return limbs


class TagTallies:
    """Moments of the primary score over all items, by value of every tag, and by pairs of values; merges."""

    def __init__(self) -> None:
        self.total = Moments.empty()
        self.groups: dict[tuple[str, ...], dict[Values, Moments]] = {}
        self.left_out: set[str] = set()

    def update(self, values: Floats, tags: dict[str, Labels]) -> None:
        """Add scores with their tags."""
        self.add(BlockMoments(values), TagGroups(tags, len(values)))

    def add(self, moments: BlockMoments, tags: TagGroups) -> None:
        """Add a block of scores with its tags."""
        self.total.sums += moments.whole()
        keys = sorted(tags.tags)
        for key in keys:
            self._count((key,), moments, tags)
        for pair in combinations(keys[:MAX_KEYS], 2):
            self._count(pair, moments, tags)

    def _count(self, keys: tuple[str, ...], moments: BlockMoments, tags: TagGroups) -> None:
        if self.left_out.intersection(keys):
            return
        groups = tags.by(keys)
        self._add(keys, groups.values, moments.by(groups))

    def merge(self, other: TagTallies) -> None:
        """Add another tally's groups."""
        self.total.sums += other.total.sums
        self.left_out |= other.left_out
        for keys, found in other.groups.items():
            if found and not self.left_out.intersection(keys):
                self._add(keys, list(found), np.stack([moments.sums for moments in found.values()], axis=1))

    def _add(self, keys: tuple[str, ...], values: list[Values], sums: Sums) -> None:
        known = self.groups.setdefault(keys, {})
        for place, value in enumerate(values):
            if value in known:
                known[value].sums += sums[:, place]
            else:
                known[value] = Moments(sums[:, place].copy())
        if len(keys) == 1 and len(known) > MAX_VALUES:
            self._leave_out(keys[0])

    def _leave_out(self, key: str) -> None:
        self.left_out.add(key)
        self.groups = {keys: found for keys, found in self.groups.items() if key not in keys}

    def searched(self) -> dict[tuple[str, ...], dict[Values, Moments]]:
        """Return the groups by key and by pair of keys, what lacks a tag in every block included.

        Which keys are crossed depends on all keys that occur, not on the block in which one shows up first.
        """
        keys = self.left_out.union(*(found for found in self.groups))
        crossed = set(sorted(keys)[:MAX_KEYS])
        listed = [found for found in sorted(self.groups) if len(found) == 1 or crossed.issuperset(found)]
        return {found: self._whole(found) for found in listed}

    def _whole(self, keys: tuple[str, ...]) -> dict[Values, Moments]:
        """Return the groups of keys so that they add up to all items: blocks without the tag are `_untagged` too."""
        found = dict(self.groups[keys])
        missing = self.total.sums - sum((moments.sums for moments in found.values()), np.zeros(_ROWS))
        if len(keys) == 1 and missing[0]:
            untagged = found.get((UNTAGGED,), Moments.empty())
            found[UNTAGGED,] = Moments(untagged.sums + missing)
        return {values: found[values] for values in sorted(found, key=untagged_last)}

    def breakdown(self, key: str) -> dict[str, Moments]:
        """Return the moments by value of one tag, so that the parts add up to all items."""
        return {values[0]: moments for values, moments in self._whole((key,)).items()}
