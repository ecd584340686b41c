"""Intervals of means and rates: Wilson for 0/1 values, bootstrap otherwise, whole clusters where items depend.

An interval names its method. Where there is none, its ends are None and `reason` says why.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from steelyard.stats.distributions import normal_quantile
from steelyard.stats.exact import exact_sum
from steelyard.stats.grid import Floats, Integers
from steelyard.stats.resampling import Units, percentile_ends, ratio_draws

WILSON = "wilson"
WILSON_CLUSTERED = "wilson-clustered"
BOOTSTRAP = "bootstrap-percentile"
BOOTSTRAP_CLUSTERED = "bootstrap-percentile-clustered"
DEGENERATE = "degenerate"

NO_VALUES = "no values"
TOO_LARGE = "the values are too large to be added up"

_LARGEST = 1e150
"""Beyond this, squares of values overflow."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Two ends, how they were found, and how sure they are."""

    low: float | None
    high: float | None
    method: str
    level: float = 0.95
    reason: str = ""
    """Why an end is None, or why the interval has no width."""


def wilson(successes: int, n: int, *, level: float = 0.95) -> Interval:
    """Return Wilson's score interval of a rate.

    >>> interval = wilson(8, 10)
    >>> round(interval.low, 4), round(interval.high, 4)
    (0.4902, 0.9433)
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes among {n}")
    if n == 0:
        return Interval(None, None, WILSON, level, NO_VALUES)
    return Interval(*wilson_ends(successes, n, level), WILSON, level)


def wilson_ends(successes: float, n: float, level: float) -> tuple[float, float]:
    """Return the ends of Wilson's interval; both counts may be effective numbers, which need not be whole."""
    z = normal_quantile((1 + level) / 2)
    centre = successes + z * z / 2
    half = z * math.sqrt(successes * (n - successes) / n + z * z / 4)
    # At 0 and n the formula's end is the rate itself; computed, it can miss it by a rounding error.
    low = 0.0 if successes == 0 else (centre - half) / (n + z * z)
    high = 1.0 if successes == n else (centre + half) / (n + z * z)
    return low, high


def design_effect(sums: Floats, sizes: Floats, variance: float, counts: Integers | None = None) -> float:
    """Return by how much clustering widens the variance of a mean, at least 1.

    `variance` is the variance of single items. A mean over n items then knows as much as n / effect independent ones
    (Kish 1965); the variance between clusters is that of the ratio of totals, by linearisation. `counts` says how often
    each cluster is there.

    >>> round(design_effect(np.array([3.0, 0.0, 3.0, 0.0]), np.array([3.0, 3.0, 3.0, 3.0]), 3 / 11), 4)
    3.6667
    """
    clusters = len(sums) if counts is None else int(counts.sum())
    if clusters < 2 or variance <= 0:
        return 1.0
    n = exact_sum(sizes, counts).value
    residuals = sums - exact_sum(sums, counts).value / n * sizes
    between = clusters / (clusters - 1) * exact_sum(residuals * residuals, counts).value / n
    return max(1.0, between / variance)


def bootstrap_mean(
    values: npt.ArrayLike,
    *,
    counts: npt.ArrayLike | None = None,
    rounds: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> Interval:
    """Return the percentile bootstrap interval of a mean; `counts` says how often each value is there."""
    units = Units.of(finite(values), counts=None if counts is None else _integers(counts))
    if units.n == 1:
        value = float(units.sums[0])
        return Interval(value, value, DEGENERATE, level, "a single value")
    return bootstrap_units(units, BOOTSTRAP, rounds=rounds, seed=seed, level=level)


def bootstrap_clustered(
    sums: npt.ArrayLike,
    sizes: npt.ArrayLike,
    counts: npt.ArrayLike | None = None,
    *,
    rounds: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> Interval:
    """Return the percentile bootstrap interval of a mean over items, drawing whole clusters.

    `sums` has the total of each cluster's values, `sizes` its number of items, `counts` how often it is there.
    """
    units = Units.of(finite(sums), finite(sizes), None if counts is None else _integers(counts))
    if (units.sizes <= 0).any():
        raise ValueError("a cluster has no items")
    if units.n == 1:
        return Interval(None, None, BOOTSTRAP_CLUSTERED, level, "a single cluster shows no spread between clusters")
    return bootstrap_units(units, BOOTSTRAP_CLUSTERED, rounds=rounds, seed=seed, level=level)


def bootstrap_units(units: Units, method: str, *, rounds: int, seed: int, level: float) -> Interval:
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


def mean_interval(
    values: npt.ArrayLike,
    counts: npt.ArrayLike | None = None,
    *,
    binary: bool,
    clusters: Sequence[object] | npt.NDArray[np.generic] | None = None,
    rounds: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> Interval:
    """Return the interval of a mean: Wilson for 0/1 values, else bootstrap; with `clusters`, clusters are drawn.

    >>> mean_interval([1.0, 0.0, 1.0, 1.0], binary=True).method
    'wilson'
    """
    array = finite(values)
    if binary:
        check_binary(array)
    if clusters is not None:
        if counts is not None:
            raise ValueError("values with counts have no clusters")
        return _clustered(array, clusters, binary=binary, rounds=rounds, seed=seed, level=level)
    if binary:
        multiples = np.ones(len(array), dtype=np.int64) if counts is None else _integers(counts)
        return wilson(int(multiples[array == 1].sum()), int(multiples.sum()), level=level)
    return bootstrap_mean(array, counts=counts, rounds=rounds, seed=seed, level=level)


def _clustered(
    values: Floats,
    clusters: Sequence[object] | npt.NDArray[np.generic],
    *,
    binary: bool,
    rounds: int,
    seed: int,
    level: float,
) -> Interval:
    sums, sizes = cluster_totals(values, clusters)
    return clustered_interval(sums, sizes, binary=binary, rounds=rounds, seed=seed, level=level)


def clustered_interval(
    sums: Floats,
    sizes: Floats,
    counts: Integers | None = None,
    *,
    binary: bool,
    rounds: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> Interval:
    """Return the interval of a mean over items from each cluster's total and size; `binary` says they are 0 or 1.

    `counts` says how often each pair of total and size is there.

    >>> clustered_interval(np.array([2.0, 3.0]), np.array([2.0, 3.0]), binary=True).method
    'wilson-clustered'
    """
    if (sizes == 1).all():  # one item in each cluster: items are independent
        values = sums if counts is None else np.repeat(sums, counts)
        return mean_interval(values, binary=binary, rounds=rounds, seed=seed, level=level)
    if binary and _all_alike(sums, sizes):
        # Draws could only repeat the one value that is there; each cluster still counts as one observation.
        clusters = len(sums) if counts is None else int(counts.sum())
        bounds = wilson(clusters if sums.any() else 0, clusters, level=level)
        return Interval(bounds.low, bounds.high, WILSON_CLUSTERED, level)
    return bootstrap_clustered(sums, sizes, counts, rounds=rounds, seed=seed, level=level)


def _all_alike(sums: Floats, sizes: Floats) -> bool:
    """Return whether values of 0 and 1 are all 0 or all 1."""
    return bool((sums == 0).all() or (sums == sizes).all())


def cluster_totals(values: Floats, clusters: Sequence[object] | npt.NDArray[np.generic]) -> tuple[Floats, Floats]:
    """Return the sum and the size of each cluster; a row's cluster is named by any sortable label."""
    labels = np.asarray(clusters)
    if labels.shape != values.shape:
        raise ValueError(f"{len(values)} values and {len(labels)} cluster labels")
    if len(values) == 0:
        return np.zeros(0), np.zeros(0)
    _, codes = np.unique(labels, return_inverse=True)
    order = np.argsort(codes, kind="stable")
    sizes = np.bincount(codes)
    ends = np.cumsum(sizes).tolist()
    rows = values[order].tolist()
    # fsum: a cluster's sum must not depend on the order of its rows
    sums = [math.fsum(rows[start:end]) for start, end in zip([0, *ends[:-1]], ends, strict=True)]
    return np.array(sums), sizes.astype(np.float64)


def finite(values: npt.ArrayLike) -> Floats:
    """Return values as an array of doubles; NaN and infinity are refused, since null is not a number to average."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or not np.isfinite(array).all():
        raise ValueError("values must be one row of finite numbers")
    return array


def check_binary(values: Floats) -> None:
    """Refuse values other than 0 and 1."""
    if not ((values == 0) | (values == 1)).all():
        raise ValueError("binary values must be 0 or 1")


def _integers(counts: npt.ArrayLike) -> Integers:
    array = np.asarray(counts, dtype=np.int64)
    if (array < 0).any():
        raise ValueError("a count is negative")
    return array
