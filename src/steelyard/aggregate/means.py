"""Means of per-item numbers with their intervals; all of it merges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from steelyard.records.blocks import Counts, Floats
from steelyard.records.scores import ValueKind
from steelyard.stats.binning import ValueCounts, Values
from steelyard.stats.intervals import Interval

NO_VALUE = "no item has a value for it"


class Mean:
    """The mean of one number over items. What values it can have says how it is kept, and how its interval is made."""

    def __init__(self, kind: ValueKind) -> None:
        self.kind = kind
        self.values: Values = ValueCounts() if within_one(kind) else Values()

    def update(self, values: Floats) -> None:
        """Add values; NaN is null and does not count."""
        missing = np.isnan(values)
        self.values.update(values[~missing] if missing.any() else values)

    def add_counts(self, values: Floats, counts: Counts) -> None:
        """Add distinct values in ascending order, each as often as its count says."""
        self.values.add_counts(values, counts)

    def merge(self, other: Mean) -> None:
        """Add another mean's values."""
        if self.kind != other.kind:
            raise TypeError(f"a number that is {self.kind} and one that is {other.kind} do not merge")
        self.values.merge(other.values)

    @property
    def squares(self) -> float:
        """The sum of the squared distances of scores from their mean."""
        assert isinstance(self.values, ValueCounts)
        return self.values.n * (self.values.population_stddev or 0.0) ** 2

    def interval(self, *, rounds: int, seed: int) -> Interval:
        """Return the interval of the mean of independent items."""
        return self.values.interval(self.kind, rounds=rounds, seed=seed)


def within_one(kind: ValueKind) -> bool:
    """Return whether every value of a kind lies in [0, 1]."""
    return kind in ("rate", "bounded")


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
