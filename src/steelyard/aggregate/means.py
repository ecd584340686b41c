"""Means of per-item numbers with their intervals, over all items or some of them; all of it merges."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from steelyard.records.blocks import Floats, Labels
from steelyard.stats import Interval, ValueCounts, Values, bootstrap_clustered, exact_sum


class Mean:
    """The mean of one number over items. Numbers within [0, 1] are kept as counts, others whole."""

    def __init__(self, *, bounded: bool) -> None:
        self.values: ValueCounts | Values = ValueCounts() if bounded else Values()

    def update(self, values: Floats) -> None:
        """Add values; NaN is null and does not count."""
        self.values.update(values[~np.isnan(values)])

    def merge(self, other: Mean) -> None:
        """Add another mean's values."""
        match self.values, other.values:
            case ValueCounts() as mine, ValueCounts() as others:
                mine.merge(others)
            case Values() as mine, Values() as others:
                mine.merge(others)
            case _:
                raise TypeError("a bounded number and an unbounded one do not merge")

    @property
    def zero_one(self) -> bool:
        """Whether every value is 0 or 1, so that the mean is a rate."""
        if isinstance(self.values, Values):
            return False
        distinct, _ = self.values.to_values_and_counts()
        return bool(np.isin(distinct, (0.0, 1.0)).all())

    def interval(self, *, rounds: int, seed: int) -> Interval:
        """Return Wilson's interval for a rate, else the bootstrap's."""
        return self.values.interval(binary=self.zero_one, rounds=rounds, seed=seed)


class ClusteredMeans:
    """Sums and counts by cluster for several numbers, for intervals where items are not independent."""

    def __init__(self) -> None:
        self.index: dict[str, int] = {}
        self.sums: dict[str, list[list[float]]] = {}

    def update(self, clusters: Labels, numbers: dict[str, Floats]) -> None:
        """Add a block. An item outside any cluster is a cluster of its own."""
        names = [clusters.value(row) for row in range(len(clusters.codes))]
        places = [self._place(name) for name in names]
        for name, values in numbers.items():
            groups = self.sums.setdefault(name, [])
            groups.extend([] for _ in range(len(self.index) - len(groups)))
            for place, value in zip(places, values.tolist(), strict=True):
                if not math.isnan(value):
                    groups[place].append(value)

    def _place(self, name: str | None) -> int:
        key = f"\0alone {len(self.index)}" if name is None else name
        return self.index.setdefault(key, len(self.index))

    def interval(self, name: str, *, rounds: int, seed: int) -> Interval:
        """Return the interval of a mean by resampling whole clusters."""
        groups = [group for group in self.sums.get(name, []) if group]
        totals = np.array([exact_sum(np.array(group)).value for group in groups])
        sizes = np.array([len(group) for group in groups], np.float64)
        return bootstrap_clustered(totals, sizes, rounds=rounds, seed=seed)


def detail(mean: Mean, interval: Interval, direction: str | None, signature: str | None = None) -> dict[str, Any]:
    """Return a metric as the results file has it: value, n, interval, method, direction."""
    found: dict[str, Any] = {"value": mean.values.mean, "n": mean.values.n, **ends(interval), "direction": direction}
    if found["value"] is None:
        found["reason"] = "no item has a value for it"
    return found | ({"signature": signature} if signature else {})


def ends(interval: Interval) -> dict[str, Any]:
    """Return an interval's ends with its level and the name of its method."""
    found: dict[str, Any] = {"ci_low": interval.low, "ci_high": interval.high}
    return found | {"level": interval.level, "method": interval.method}


def columns(names: Sequence[str], scores: dict[str, Floats], length: int) -> dict[str, Floats]:
    """Return the named columns; one that a block lacks is null for all of it."""
    missing = np.full(length, np.nan)
    return {name: scores.get(name, missing) for name in names}
