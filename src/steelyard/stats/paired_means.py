"""Paired scores that are no rates: an interval of the mean difference that knows what it has not seen.

Bounded scores: Gaffke's bound (2005). Each unit and one more, the worst that the bounds allow, get random weights that
add up to 1 (exponential ones over their sum); an end is a quantile of the weighted means. For 0/1 values it is
Clopper and Pearson's exact end, where all differences are equal it is the exact bound of an event that was not seen,
and with many units it is the bootstrap's. No distribution is known that it fails for.

Unbounded scores: bootstrap-t, which follows the skew of the differences, or Student's t over few units. Nothing says
how far an unseen difference may reach but the largest one that was seen, or where no item differs the range of the
values; the interval is never narrower than Gaffke's with the mean that far on either side as the bounds.

A lower end of the differences is computed, and an upper one as that of their negatives with the same seed: exchanging
the runs exchanges the ends exactly.
"""

from __future__ import annotations

import math

import numpy as np

from steelyard.stats.bounded import GAFFKE, GAFFKE_CLUSTERED
from steelyard.stats.distributions import student_quantile
from steelyard.stats.grid import Floats
from steelyard.stats.intervals import Interval
from steelyard.stats.pairs import Pairs
from steelyard.stats.resampling import Units, grouped, percentile_ends, totals_of
from steelyard.stats.studentised import (
    FEW_UNITS,
    STUDENT,
    STUDENT_CLUSTERED,
    STUDENTISED,
    STUDENTISED_CLUSTERED,
    studentised,
)

ONE_UNIT = "a single item, or a single cluster, shows no spread"
SPREADLESS = "neither run's values differ from each other, so nothing says how far an unseen difference may reach"

_DISTINCT = 256
"""Above this many distinct units neighbours are weighted together."""

_CELLS_AT_ONCE = 4_000_000


def bounded_interval(pairs: Pairs, reach: float, *, rounds: int, seed: int, level: float) -> Interval:
    """Return the interval of a mean difference where no item's difference is beyond `reach`."""
    method = GAFFKE_CLUSTERED if pairs.clustered else GAFFKE
    low = _gaffke_low(Units.of(pairs.sums, pairs.sizes), reach, rounds, seed, level)
    high = -_gaffke_low(Units.of(-pairs.sums, pairs.sizes), reach, rounds, seed, level)
    return Interval(min(low, pairs.delta), max(high, pairs.delta), method, level)


def unbounded_interval(pairs: Pairs, *, rounds: int, seed: int, level: float) -> Interval:
    """Return the interval of a mean difference of values without bounds; None where nothing says how they spread."""
    reach, method = pairs.widest, _method(pairs)
    if pairs.units < 2 or reach == 0:
        return Interval(None, None, method, level, ONE_UNIT if pairs.units < 2 else SPREADLESS)
    below = _gaffke_low(Units.of(pairs.residuals, pairs.sizes), reach, rounds, seed, level)
    above = _gaffke_low(Units.of(-pairs.residuals, pairs.sizes), reach, rounds, seed, level)
    if pairs.squares:
        lower, upper = _studentised(pairs, rounds, seed, level)
        below, above = min(below, lower), min(above, upper)
    return Interval(pairs.delta + min(0.0, below), pairs.delta - min(0.0, above), method, level)


def _gaffke_low(units: Units, reach: float, rounds: int, seed: int, level: float) -> float:
    units = units if len(units.sums) <= _DISTINCT else grouped(units)
    size = float((units.sizes * units.counts).sum() / units.n)
    generator = np.random.Generator(np.random.PCG64(seed))
    at_once = max(1, _CELLS_AT_ONCE // (len(units.sums) + 1))
    draws = [
        _weighted_means(units, size, reach, min(at_once, rounds - start), generator)
        for start in range(0, rounds, at_once)
    ]
    return percentile_ends(np.concatenate(draws), level)[0]


def _weighted_means(units: Units, size: float, reach: float, rounds: int, generator: np.random.Generator) -> Floats:
    weights = generator.standard_gamma(np.repeat(units.counts[:, None].astype(np.float64), rounds, axis=1))
    unseen = generator.standard_exponential(rounds) * size
    sums = totals_of(weights, units.sums) - unseen * reach
    if units.variances.any():
        sums += np.sqrt(totals_of(weights, units.variances)) * generator.standard_normal(rounds)
    means: Floats = sums / (totals_of(weights, units.sizes) + unseen)
    return means


def _method(pairs: Pairs) -> str:
    """Return the method by the number of units alone; what values do inside it is part of it."""
    if pairs.units < FEW_UNITS:
        return STUDENT_CLUSTERED if pairs.clustered else STUDENT
    return STUDENTISED_CLUSTERED if pairs.clustered else STUDENTISED


def _studentised(pairs: Pairs, rounds: int, seed: int, level: float) -> tuple[float, float]:
    """Return how far the ends lie from the delta, both downwards as for negated differences.

    Student's t where units are few, or where so many resamples have no spread that a quantile is without end.
    """
    error = pairs.standard_error
    assert error is not None
    if pairs.units >= FEW_UNITS:
        half = (rounds + 1) // 2
        mirrored = -studentised(Units.of(-pairs.residuals), half, seed)
        ratios = np.concatenate((studentised(Units.of(pairs.residuals), half, seed), mirrored))
        lowest, highest = percentile_ends(ratios, level)
        if math.isfinite(lowest) and math.isfinite(highest):
            return -highest * error, lowest * error
    margin = student_quantile((1 + level) / 2, pairs.units - 1) * error
    return -margin, -margin
