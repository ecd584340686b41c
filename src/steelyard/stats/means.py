"""Intervals of means: the method follows from what values the number can have, as it was registered.

Rates have Wilson's interval, other means a bootstrap; where items form clusters, whole clusters are what is counted or
drawn. The values themselves never decide.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from steelyard.records.scores import ValueKind
from steelyard.stats.exact import exact_sum
from steelyard.stats.grid import Integers
from steelyard.stats.intervals import (
    BOOTSTRAP,
    BOOTSTRAP_CLUSTERED,
    DEGENERATE,
    NO_VALUES,
    ONE_CLUSTER,
    WILSON,
    Interval,
    cluster_totals,
    finite,
    wilson_ends,
)
from steelyard.stats.rates import clustered_rate
from steelyard.stats.resampling import Units, percentile_ends, ratio_draws

TOO_LARGE = "the values are too large to be added up"

_LARGEST = 1e150
"""Beyond this, squares of values overflow."""


def mean_interval(
    values: npt.ArrayLike,
    counts: npt.ArrayLike | None = None,
    *,
    kind: ValueKind,
    clusters: Sequence[object] | npt.NDArray[np.generic] | None = None,
    rounds: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> Interval:
    """Return the interval of a mean; `counts` says how often each value is there, `clusters` to what each belongs.

    >>> mean_interval([1.0, 0.0, 1.0, 1.0], kind="rate").method
    'wilson'
    """
    array = finite(values)
    if clusters is not None:
        if counts is not None:
            raise ValueError("values with counts have no clusters")
        sums, sizes = cluster_totals(array, clusters)
        return clustered_interval(sums, sizes, kind=kind, rounds=rounds, seed=seed, level=level)
    units = Units.of(array, counts=None if counts is None else _integers(counts))
    return units_interval(units, kind, rounds=rounds, seed=seed, level=level)


def clustered_interval(
    sums: npt.ArrayLike,
    sizes: npt.ArrayLike,
    counts: npt.ArrayLike | None = None,
    *,
    kind: ValueKind,
    rounds: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> Interval:
    """Return the interval of a mean over items from each cluster's total and size.

    `counts` says how often each pair of total and size is there.

    >>> clustered_interval([2.0, 3.0], [2.0, 3.0], kind="rate").method
    'wilson-design-effect'
    """
    totals, items = finite(sums), finite(sizes)
    if (items <= 0).any():
        raise ValueError("a cluster has no items")
    times = None if counts is None else _integers(counts)
    if (items == 1).all():  # one item in each cluster: items are independent
        units = Units.of(totals if times is None else np.repeat(totals, times))
        return units_interval(units, kind, rounds=rounds, seed=seed, level=level)
    units = Units.of(totals, items, times)
    if kind == "rate":
        return clustered_rate(units, level=level)
    if units.n == 1:
        return Interval(None, None, BOOTSTRAP_CLUSTERED, level, ONE_CLUSTER)
    return _bootstrap(units, BOOTSTRAP_CLUSTERED, rounds, seed, level)


def units_interval(
    units: Units, kind: ValueKind, *, rounds: int = 1000, seed: int = 0, level: float = 0.95
) -> Interval:
    """Return the interval of the mean of independent values, each a unit of size 1."""
    if units.n == 0:
        return Interval(None, None, WILSON if kind == "rate" else BOOTSTRAP, level, NO_VALUES)
    if kind == "rate":
        return Interval(*wilson_ends(exact_sum(units.sums, units.counts).value, units.n, level), WILSON, level)
    if units.n == 1:
        value = float(units.sums[0])
        return Interval(value, value, DEGENERATE, level, "a single value")
    return _bootstrap(units, BOOTSTRAP, rounds, seed, level)


def _bootstrap(units: Units, method: str, rounds: int, seed: int, level: float) -> Interval:
    """Return the percentile interval of the ratio of totals, drawing units again."""
    if units.n == 0:
        return Interval(None, None, method, level, NO_VALUES)
    ratios = units.sums / units.sizes
    if (ratios == ratios[0]).all() and not units.variances.any():
        return Interval(float(ratios[0]), float(ratios[0]), DEGENERATE, level, "all values are equal")
    if np.abs(units.sums).max() > _LARGEST:
        return Interval(None, None, method, level, TOO_LARGE)
    draws = ratio_draws(units, rounds, np.random.Generator(np.random.PCG64(seed)))
    return Interval(*percentile_ends(draws, level), method, level)


def _integers(counts: npt.ArrayLike) -> Integers:
    array = np.asarray(counts, dtype=np.int64)
    if (array < 0).any():
        raise ValueError("a count is negative")
    return array
