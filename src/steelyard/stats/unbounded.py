"""Means of values without an upper bound: errors, tokens, latencies, losses.

From twenty units on the studentised bootstrap follows their skew; where so many resamples have no spread that a
quantile is without end, its quantiles are Student's t. Over fewer units Student's t is the method; for amounts, which
are 0 or more, on the scale of logarithms, where it covers skewed ones better and never goes below 0. Nothing says how
far an unseen value may lie but those that were seen: an end is never nearer to the mean than if one more unit were as
far out as the furthest. This holds for both ends, for amounts for the upper one.
"""

from __future__ import annotations

import math

import numpy as np

from steelyard.records.scores import ValueKind
from steelyard.stats.bins import exact_sum
from steelyard.stats.bounded import bounded_ends
from steelyard.stats.distributions import student_quantile
from steelyard.stats.intervals import NO_VALUES, ONE_CLUSTER, Interval
from steelyard.stats.resampling import GROUPS, ROWS, Floats, Units, grouped, percentile_ends, totals_of

# The studentised bootstrap: how far a mean can lie from the truth, in standard errors of its own.
#
# Unlike a plain bootstrap it follows the skew of the values, because the standard error is that of each sample.


STUDENTISED = "bootstrap-t"
STUDENTISED_CLUSTERED = "bootstrap-t-clustered"
STUDENT = "student-t"
STUDENT_CLUSTERED = "student-t-clustered"

FEW_UNITS = 20
"""Below this many units a studentised bootstrap is erratic, and Student's t is used."""

_DISTINCT = 256
"""Above this many distinct units neighbours are drawn together."""

_CELLS_AT_ONCE = 4_000_000
_NOISE = 1e-12
"""A spread below this share of the squares is what rounding leaves of equal values."""


def studentised(units: Units, rounds: int, seed: int) -> Floats:
    """Return the mean over its standard error in bootstrap samples of residuals, whose own mean is 0.

    Infinite where a sample has no spread.
    """
    generator = np.random.Generator(np.random.PCG64(seed))
    if GROUPS < len(units.sums) <= _DISTINCT and units.n <= ROWS:
        sums, squares = _drawn_rows(np.repeat(units.sums, units.counts), rounds, generator)
    else:
        sums, squares = _drawn_counts(units if len(units.sums) <= GROUPS else grouped(units), rounds, generator)
    n = units.n
    spread = np.maximum(squares - sums * sums / n, 0.0)
    spread[spread <= _NOISE * squares] = 0.0
    errors = np.sqrt(spread * n / (n - 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios: Floats = np.where(sums == 0.0, 0.0, sums / errors)
    return ratios


def _drawn_rows(values: Floats, rounds: int, generator: np.random.Generator) -> tuple[Floats, Floats]:
    at_once = max(1, _CELLS_AT_ONCE // len(values))
    sums, squares = [], []
    for start in range(0, rounds, at_once):
        drawn = values[generator.integers(0, len(values), size=(len(values), min(at_once, rounds - start)))]
        sums.append(np.add.reduce(drawn, axis=0))
        squares.append(np.add.reduce(drawn * drawn, axis=0))
    return np.concatenate(sums), np.concatenate(squares)


def _drawn_counts(units: Units, rounds: int, generator: np.random.Generator) -> tuple[Floats, Floats]:
    drawn = generator.multinomial(units.n, units.counts / units.n, size=rounds).T.astype(np.float64)
    sums = totals_of(drawn, units.sums)
    if units.variances.any():
        sums += np.sqrt(totals_of(drawn, units.variances)) * generator.standard_normal(rounds)
    return sums, totals_of(drawn, units.sums * units.sums + units.variances)


STUDENT_LOG = "student-t-log"

ONE_VALUE = "a single value shows no spread"
NO_SPREAD = "all values are equal: nothing says how far an unseen one may lie"
TOO_LARGE = "the values are too large to be added up"

_LARGEST = 1e150
"""Beyond this, squares of values overflow."""
_FURTHEST = 100.0
"""An end is never further from the mean than by the exponential of this."""
_NOISE_of_unbounded = 1e-24
"""Squared residuals below this share of the squares are what rounding leaves of equal values."""


def unbounded_interval(
    units: Units, kind: ValueKind, *, clustered: bool = False, rounds: int, seed: int, level: float
) -> Interval:
    """Return the interval of the ratio of totals over units; None where they show no spread."""
    method = _method(units, kind, clustered=clustered)
    reason = _undefined(units, clustered=clustered)
    if reason:
        return Interval(None, None, method, level, reason)
    total = exact_sum(units.sizes, units.counts).value
    mean = exact_sum(units.sums, units.counts).value / total
    residuals = _residuals(units, mean)
    squares = exact_sum(residuals.sums**2 + residuals.variances, residuals.counts).value
    if squares <= _NOISE_of_unbounded * exact_sum(units.sums**2, units.counts).value:
        return Interval(None, None, method, level, NO_SPREAD)
    error = math.sqrt(units.n / (units.n - 1) * squares) / total
    ends = _studentised(residuals, mean, error, rounds, seed, level)
    low, high = ends or _student(kind, mean, error, units.n, level)
    ratios = units.sums / units.sizes
    worst = float(ratios.min()), float(ratios.max())
    below, above = bounded_ends(units, worst, rounds=rounds, seed=seed, level=level)
    low = min(low, below) if kind == "unbounded" else max(0.0, low)
    return Interval(min(low, mean), max(high, above), method, level)


def _undefined(units: Units, *, clustered: bool) -> str:
    if units.n == 0:
        return NO_VALUES
    if units.n == 1:
        return ONE_CLUSTER if clustered else ONE_VALUE
    return TOO_LARGE if float(np.abs(units.sums).max()) > _LARGEST else ""


def _residuals(units: Units, mean: float) -> Units:
    """Return by how much each unit lies above what the mean would give it, in order."""
    found = units.sums - mean * units.sizes
    order = np.argsort(found, kind="stable")
    return Units(found[order], np.ones(len(found)), units.counts[order], units.variances[order])


def _studentised(
    residuals: Units, mean: float, error: float, rounds: int, seed: int, level: float
) -> tuple[float, float] | None:
    if residuals.n < FEW_UNITS:
        return None
    lowest, highest = percentile_ends(studentised(residuals, rounds, seed), level)
    if not (math.isfinite(lowest) and math.isfinite(highest)):
        return None
    return mean - highest * error, mean - lowest * error


def _student(kind: ValueKind, mean: float, error: float, units: int, level: float) -> tuple[float, float]:
    quantile = student_quantile((1 + level) / 2, units - 1)
    if kind == "unbounded" or mean <= 0:
        return mean - quantile * error, mean + quantile * error
    # The logarithm of the mean has the relative error of the mean.
    factor = math.exp(min(_FURTHEST, quantile * error / mean))
    return mean / factor, mean * factor


def _method(units: Units, kind: ValueKind, *, clustered: bool) -> str:
    """Return the method by kind and number of units alone; what values do inside it is part of it."""
    few = STUDENT_LOG if kind == "amount" else STUDENT
    method = few if units.n < FEW_UNITS else STUDENTISED
    return f"{method}-clustered" if clustered else method
