"""What an interval is, and Wilson's of a rate of independent items.

An interval names its method. Where there is none, its ends are None and `reason` says why.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from steelyard.stats.bins import exact_sum
from steelyard.stats.distributions import normal_quantile
from steelyard.stats.resampling import Floats, Integers

WILSON = "wilson"
BOOTSTRAP = "bootstrap-percentile"

NO_VALUES = "no values"
ONE_CLUSTER = "a single cluster shows no spread between clusters"

VERSIONS = {BOOTSTRAP: 2}
"""The version of each method whose ends have changed since its first."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Two ends, how they were found, and how sure they are."""

    low: float | None
    high: float | None
    method: str
    level: float = 0.95
    reason: str = ""
    """Why an end is None, or why the interval has no width."""


def method_signature(method: str) -> str:
    """Return a method as signatures have it.

    >>> method_signature("wilson")
    'wilson@v1'
    """
    return f"{method}@v{VERSIONS.get(method, 1)}"


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
    return score_ends(successes, n, normal_quantile((1 + level) / 2))


def score_ends(successes: float, n: float, z: float) -> tuple[float, float]:
    """Return the rates from which the observed one is z standard errors away."""
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
