"""Counts and sums of the primary score by tag value: what breakdowns and the search for weak slices need.

Sums are kept in two limbs of 26 bits, each an exact integer in a double, so that they do not depend on the order of
items or on how they were cut into blocks.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from steelyard.records.blocks import Floats, Labels
from steelyard.records.items import UNTAGGED

LIMB = float(1 << 26)

MAX_KEYS = 12
MAX_VALUES = 200
"""A tag with more values than this is an id, not a segment; it is left out of the search and named as left out."""


@dataclass(slots=True)
class Moments:
    """How many items, the sum of their scores and of the squares, in limbs."""

    n: int = 0
    high: float = 0.0
    low: float = 0.0
    squares_high: float = 0.0
    squares_low: float = 0.0
    zero_one: bool = True

    @property
    def total(self) -> float:
        """The sum of scores."""
        return self.high / LIMB + self.low / LIMB / LIMB

    @property
    def squares(self) -> float:
        """The sum of squared scores."""
        return self.squares_high / LIMB + self.squares_low / LIMB / LIMB

    @property
    def mean(self) -> float:
        """The mean score."""
        return self.total / self.n

    def subtract(self, other: Moments) -> None:
        """Take another group's items away."""
        self.n -= other.n
        self.high -= other.high
        self.low -= other.low
        self.squares_high -= other.squares_high
        self.squares_low -= other.squares_low

    def add(self, other: Moments) -> None:
        """Add another group's items."""
        self.n += other.n
        self.high += other.high
        self.low += other.low
        self.squares_high += other.squares_high
        self.squares_low += other.squares_low
        self.zero_one = self.zero_one and other.zero_one


def grouped_moments(values: Floats, codes: npt.NDArray[np.int64], groups: int) -> list[Moments]:
    """Return the moments of `values` in [0, 1] for each group code."""
    high, low = _limbs(values)
    squares_high, squares_low = _limbs(values * values)
    partial = ((values != 0.0) & (values != 1.0)).astype(np.float64)
    sums = [
        np.bincount(codes, weights=part, minlength=groups).tolist()
        for part in (high, low, squares_high, squares_low, partial)
    ]
    counts = np.bincount(codes, minlength=groups).tolist()
    return [
        Moments(count, h, low_sum, sh, sl, not fractions)
        for count, h, low_sum, sh, sl, fractions in zip(counts, *sums, strict=True)
    ]


def _limbs(values: Floats) -> tuple[Floats, Floats]:
    scaled = values * LIMB
    high = np.floor(scaled)
    return high, np.floor((scaled - high) * LIMB)


def value_codes(labels: Labels) -> tuple[list[str], npt.NDArray[np.int64]]:
    """Return names and codes with the untagged as a value of their own, at the end."""
    names = [*labels.names, UNTAGGED]
    return names, np.where(labels.codes < 0, len(labels.names), labels.codes).astype(np.int64)


def crossed(labels: list[Labels], keys: tuple[str, ...]) -> tuple[list[str], npt.NDArray[np.int64]]:
    """Return names `a=x & b=y` and codes of the combinations of several tags."""
    names, codes = value_codes(labels[0])
    if len(keys) == 1:
        return names, codes
    names = [f"{keys[0]}={name}" for name in names]
    for key, other in zip(keys[1:], labels[1:], strict=True):
        more, further = value_codes(other)
        names = [f"{name} & {key}={value}" for name in names for value in more]
        codes = codes * len(more) + further
    return names, codes


class TagTallies:
    """Moments of the primary score over all items, by value of every tag, and by pairs of values; merges."""

    def __init__(self) -> None:
        self.total = Moments()
        self.groups: dict[tuple[str, ...], dict[str, Moments]] = {}
        self.left_out: set[str] = set()

    def update(self, values: Floats, tags: dict[str, Labels]) -> None:
        """Add a block of scores with its tags."""
        self.total.add(grouped_moments(values, np.zeros(len(values), np.int64), 1)[0])
        for key in sorted(tags):
            self._count((key,), values, tags)
            if len(self.groups.get((key,), ())) > MAX_VALUES:
                self.left_out.add(key)
        searched = [key for key in sorted(tags) if key not in self.left_out][:MAX_KEYS]
        for pair in combinations(searched, 2):
            self._count(pair, values, tags)

    def _count(self, keys: tuple[str, ...], values: Floats, tags: dict[str, Labels]) -> None:
        if self.left_out.intersection(keys):
            return
        names, codes = crossed([tags[key] for key in keys], keys)
        self._add(keys, names, grouped_moments(values, codes, len(names)))

    def merge(self, other: TagTallies) -> None:
        """Add another tally's groups."""
        self.total.add(other.total)
        for keys, found in other.groups.items():
            self._add(keys, list(found), list(found.values()))
        self.left_out |= other.left_out

    def _add(self, keys: tuple[str, ...], names: list[str], moments: list[Moments]) -> None:
        group = self.groups.setdefault(keys, {})
        for name, found in zip(names, moments, strict=True):
            if found.n:
                group.setdefault(name, Moments()).add(found)

    def searched(self) -> dict[tuple[str, ...], dict[str, Moments]]:
        """Return the groups of keys that have few enough values to be segments."""
        few = {key for key, *others in self.groups if not others and len(self.groups[key,]) <= MAX_VALUES}
        few -= self.left_out
        return {keys: found for keys, found in self.groups.items() if few.issuperset(keys)}

    def breakdown(self, key: str) -> dict[str, Moments]:
        """Return the moments by value of one tag; what lacks the tag is the rest, so the parts add up to all items."""
        found = {name: moments for name, moments in self.groups[key,].items() if name != UNTAGGED}
        rest = Moments(zero_one=self.total.zero_one)
        rest.add(self.total)
        for moments in found.values():
            rest.subtract(moments)
        return {**dict(sorted(found.items())), **({UNTAGGED: rest} if rest.n else {})}
