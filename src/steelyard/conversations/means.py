"""Means over turns with n and interval. Turns of one conversation are not independent, so conversations are drawn.

A mean takes blocks of whole conversations and keeps counts, so its memory does not grow with their number.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Generic, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from steelyard.records.blocks import Floats
from steelyard.records.scores import ValueKind
from steelyard.stats.bins import ExactSum
from steelyard.stats.cluster_counts import ClusterCounts

ROUNDS = 1000
SEED = 0

Integers: TypeAlias = npt.NDArray[np.int64]
Key = TypeVar("Key", int, str)


class ConversationMean:
    """The mean of one number over turns; NaN is null and left out.

    >>> mean = ConversationMean("rate")
    >>> mean.add(np.array([1.0, 0.0, 1.0, 1.0]), np.array([0, 0, 1, 1]))
    >>> mean.described()["mean"], mean.described()["n_conversations"]
    (0.75, 2)
    """

    def __init__(self, kind: ValueKind) -> None:
        self.kind = kind
        self.n = 0
        self._total = ExactSum()
        self._conversations = ClusterCounts()

    def add(self, values: Floats, conversation: Integers) -> None:
        """Add turns of whole conversations; those of one conversation stand side by side."""
        known = ~np.isnan(values)
        if not known.all():
            values, conversation = values[known], conversation[known]
        if not len(values):
            return
        self.n += len(values)
        self._total.add(values)
        starts = np.flatnonzero(np.append(True, conversation[1:] != conversation[:-1]))
        sizes = np.diff(np.append(starts, len(values)))
        self._conversations.add(_totals(values, starts), sizes.astype(np.float64))

    def merge(self, other: ConversationMean) -> None:
        """Add everything that another mean has of other conversations."""
        self.n += other.n
        self._total.merge(other._total)
        self._conversations.merge(other._conversations)

    @property
    def total(self) -> float:
        """The sum of all values."""
        return self._total.value

    @property
    def n_conversations(self) -> int:
        """How many conversations have a value."""
        return self._conversations.n

    @property
    def n_held(self) -> int:
        """How many conversations have a turn that is not 0."""
        units = self._conversations.units()
        return int(units.counts[units.sums != 0].sum())

    def described(self) -> dict[str, Any]:
        """Return mean, n and interval; null with a reason where there are no values."""
        if not self.n:
            return {"mean": None, "n": 0, "ci_low": None, "ci_high": None, "reason": "no turn has a value for it"}
        interval = self._conversations.interval(self.kind, rounds=ROUNDS, seed=SEED)
        return {
            "mean": self.total / self.n,
            "n": self.n,
            "n_conversations": self.n_conversations,
            "ci_low": interval.low,
            "ci_high": interval.high,
            "level": interval.level,
            "method": interval.method,
        }


def _totals(values: Floats, starts: npt.NDArray[np.intp]) -> Floats:
    """Return the sum of each run of values, rounded once."""
    if (values == np.floor(values)).all():
        return np.add.reduceat(values, starts)
    rows, ends = values.tolist(), [*starts[1:].tolist(), len(values)]
    return np.array([math.fsum(rows[start:end]) for start, end in zip(starts.tolist(), ends, strict=True)])


class GroupedMeans(Generic[Key]):
    """A mean for every group of turns, such as those of one turn number."""

    def __init__(self, kind: ValueKind) -> None:
        self.kind = kind
        self.means: dict[Key, ConversationMean] = {}

    def add(self, values: Floats, codes: Integers, keys: Sequence[Key], conversation: Integers) -> None:
        """Add turns; `keys[codes[i]]` is the group of turn `i`."""
        for code, rows in group_rows(codes):
            mean = self.means.setdefault(keys[code], ConversationMean(self.kind))
            mean.add(values[rows], conversation[rows])

    def described(self) -> dict[str, dict[str, Any]]:
        """Return the groups in order, each with mean, n and interval."""
        return {str(key): self.means[key].described() for key in sorted(self.means)}


class NumberedMeans(GroupedMeans[int]):
    """A mean for every group number from 0; negative numbers are unknown and left out."""

    def add_numbered(self, values: Floats, groups: Integers, conversation: Integers) -> None:
        """Add turns with the number of their group."""
        known = groups >= 0
        found, codes = np.unique(groups[known], return_inverse=True)
        self.add(values[known], codes, found.tolist(), conversation[known])


def group_rows(codes: Integers) -> Iterator[tuple[int, npt.NDArray[np.intp]]]:
    """Yield each code that occurs with its rows, in order."""
    order = np.argsort(codes, kind="stable")
    found, starts = np.unique(codes[order], return_index=True)
    for code, start, end in zip(found.tolist(), starts, np.append(starts[1:], len(order)), strict=False):
        yield code, order[start:end]


def split(entries: dict[str, dict[str, Any]]) -> tuple[dict[str, float | None], dict[str, dict[str, Any]]]:
    """Return the means by key, as the seed has them, and beside them n and interval by the same keys."""
    means = {key: entry["mean"] for key, entry in entries.items()}
    details = {key: {name: value for name, value in entry.items() if name != "mean"} for key, entry in entries.items()}
    return means, details
