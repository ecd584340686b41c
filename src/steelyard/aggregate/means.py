"""Means of per-item numbers with their intervals; all of it merges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from steelyard.records.blocks import Counts, Floats
from steelyard.stats import Interval, ValueCounts, Values

NO_VALUE = "no item has a value for it"


class Mean:
    """The mean of one number over items. Scores within [0, 1] are told from numbers without bounds."""

    def __init__(self, *, bounded: bool) -> None:
        self.values: Values = ValueCounts() if bounded else Values()

    def update(self, values: Floats) -> None:
        """Add values; NaN is null and does not count."""
        missing = np.isnan(values)
        self.values.update(values[~missing] if missing.any() else values)

    def add_counts(self, values: Floats, counts: Counts) -> None:
        """Add distinct values in ascending order, each as often as its count says."""
        self.values.add_counts(values, counts)

    def merge(self, other: Mean) -> None:
        """Add another mean's values."""
        if type(self.values) is not type(other.values):
            raise TypeError("a bounded number and an unbounded one do not merge")
        self.values.merge(other.values)

    @property
    def zero_one(self) -> bool:
        """Whether every value is 0 or 1, so that the mean is a rate."""
        if not isinstance(self.values, ValueCounts) or not self.values.exact:
            return False
        distinct, _ = self.values.to_values_and_counts()
        return bool(np.isin(distinct, (0.0, 1.0)).all())

    def interval(self, *, rounds: int, seed: int) -> Interval:
        """Return Wilson's interval for a rate, else the bootstrap's."""
        return self.values.interval(binary=self.zero_one, rounds=rounds, seed=seed)


def detail(mean: Mean, interval: Interval, direction: str | None) -> dict[str, Any]:
    """Return a metric as the results file has it: value, n, interval, method, direction."""
    found = {"value": mean.values.mean, "n": mean.values.n, **ends(interval), "direction": direction}
    return found | ({"reason": NO_VALUE} if found["value"] is None else {})


def ends(interval: Interval) -> dict[str, Any]:
    """Return an interval's ends with its level and the name of its method; where there are none, the reason."""
    found: dict[str, Any] = {"ci_low": interval.low, "ci_high": interval.high}
    found |= {"level": interval.level, "method": interval.method}
    return found | ({"ci_reason": interval.reason} if interval.low is None and interval.reason else {})


def columns(names: Sequence[str], scores: dict[str, Floats], length: int) -> dict[str, Floats]:
    """Return the named columns; one that a block lacks is null for all of it."""
    missing = np.full(length, np.nan)
    return {name: scores.get(name, missing) for name in names}
