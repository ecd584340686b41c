"""Items of a block by the values of their tags: one key, or several crossed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from steelyard.kernels.labels import codes_block
from steelyard.records.blocks import Counts, Floats, Labels, TextColumn
from steelyard.records.items import UNTAGGED

Values: TypeAlias = tuple[str, ...]
"""One value for each key of a slice."""

_FEW = 4096
"""Up to so many combinations, counting all of them is faster than sorting those that occur."""


@dataclass(frozen=True, slots=True)
class Groups:
    """The groups that occur in a block, and the group of each item."""

    values: list[Values]
    codes: npt.NDArray[np.int64]

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """How many items each group has."""
        return np.bincount(self.codes, minlength=len(self.values))

    def rows(self) -> list[npt.NDArray[np.intp]]:
        """Return the rows of each group, in dataset order."""
        order = np.argsort(self.codes.astype(np.int16 if len(self.values) < 1 << 15 else np.int64), kind="stable")
        return np.split(order, np.cumsum(self.sizes)[:-1])


class TagGroups:
    """The groups of a block by any tags, each made once however many ask for it."""

    def __init__(self, tags: Mapping[str, Labels], length: int) -> None:
        self.tags = tags
        self.length = length
        self._made: dict[tuple[str, ...], Groups] = {}

    def by(self, keys: tuple[str, ...]) -> Groups:
        """Return the groups by one key or by several; a tag that the block lacks is missing from all of it."""
        if keys not in self._made:
            self._made[keys] = group([self.tags.get(key) or _no_labels(self.length) for key in keys])
        return self._made[keys]


def _no_labels(length: int) -> Labels:
    return Labels((), np.full(length, -1, np.int32))


def group(labels: Sequence[Labels]) -> Groups:
    """Return the groups of a block by one tag or by several; items without a tag are `_untagged`."""
    codes = np.zeros(len(labels[0].codes), np.int64)
    combinations = 1
    for entry in labels:
        width = len(entry.names) + 1
        codes = codes * width + np.where(entry.codes < 0, len(entry.names), entry.codes)
        combinations *= width
    occurring, codes = _occurring(codes, combinations)
    return Groups([_values(code, labels) for code in occurring.tolist()], codes)


def _occurring(codes: npt.NDArray[np.int64], combinations: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    if combinations > _FEW:
        return np.unique(codes, return_inverse=True)
    occurring = np.flatnonzero(np.bincount(codes, minlength=combinations))
    places = np.zeros(combinations, np.int64)
    places[occurring] = np.arange(len(occurring))
    return occurring, places[codes]


def _values(code: int, labels: Sequence[Labels]) -> Values:
    found = []
    for entry in reversed(labels):
        code, place = divmod(code, len(entry.names) + 1)
        found.append(UNTAGGED if place == len(entry.names) else entry.names[place])
    return tuple(reversed(found))


def slice_name(keys: Sequence[str], values: Values) -> str:
    """Return a slice's name: the value of a single key, or `source=human & difficulty=hard` (page 20).

    >>> slice_name(("source", "difficulty"), ("human", "hard"))
    'source=human & difficulty=hard'
    """
    if len(keys) == 1:
        return values[0]
    return full_name(keys, values)


def full_name(keys: Sequence[str], values: Values) -> str:
    """Return a slice's name with its keys, also where there is only one."""
    return " & ".join(f"{key}={value}" for key, value in zip(keys, values, strict=True))


def untagged_last(values: Values) -> tuple[bool, Values]:
    """Order values by name, with what lacks a tag at the end."""
    return UNTAGGED in values, values


# Columns of few distinct numbers as codes, so that counting them by slice takes one pass and no sorting.


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
