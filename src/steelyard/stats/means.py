"""Intervals of means: the method follows from what values the number can have, as it was registered.

Rates have Wilson's interval, means of values between bounds Gaffke's, means of values without bounds a studentised one;
where items form clusters, whole clusters are what is counted or drawn. The values themselves never decide.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from steelyard.records.scores import ValueKind
from steelyard.stats.bins import exact_sum
from steelyard.stats.bounded import GAFFKE, GAFFKE_CLUSTERED, bounded_ends
from steelyard.stats.intervals import NO_VALUES, ONE_CLUSTER, WILSON, Interval, cluster_totals, finite, wilson_ends
from steelyard.stats.rates import clustered_rate
from steelyard.stats.resampling import Integers, Units
from steelyard.stats.unbounded import unbounded_interval


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
    return units_interval(Units.of(totals, items, times), kind, clustered=True, rounds=rounds, seed=seed, level=level)


def units_interval(
    units: Units, kind: ValueKind, *, clustered: bool = False, rounds: int = 1000, seed: int = 0, level: float = 0.95
) -> Interval:
    """Return the interval of the ratio of totals over units: single values of size 1, or whole clusters.

    >>> units_interval(Units.of(np.array([0.5, 1.0, 0.75])), "bounded").method
    'bayesian-bootstrap-bounded'
    """
    if kind == "rate":
        return clustered_rate(units, level=level) if clustered else _rate(units, level)
    if kind in ("amount", "unbounded"):
        return unbounded_interval(units, kind, clustered=clustered, rounds=rounds, seed=seed, level=level)
    method = GAFFKE_CLUSTERED if clustered else GAFFKE
    if units.n == 0 or (clustered and units.n == 1):
        return Interval(None, None, method, level, ONE_CLUSTER if units.n else NO_VALUES)
    worst = (0.0, 100.0 if kind == "percent" else 1.0)
    return Interval(*bounded_ends(units, worst, rounds=rounds, seed=seed, level=level), method, level)


def _rate(units: Units, level: float) -> Interval:
    if units.n == 0:
        return Interval(None, None, WILSON, level, NO_VALUES)
    return Interval(*wilson_ends(exact_sum(units.sums, units.counts).value, units.n, level), WILSON, level)


def _integers(counts: npt.ArrayLike) -> Integers:
    array = np.asarray(counts, dtype=np.int64)
    if (array < 0).any():
        raise ValueError("a count is negative")
    return array
