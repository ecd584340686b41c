"""Means of values between bounds: an interval that knows what it has not seen.

Gaffke's bound (2005). Each unit and one more, the worst that the bounds allow, get random weights that add up to 1
(exponential ones over their sum); an end is a quantile of the weighted means. For 0/1 values it is Clopper and
Pearson's exact end, where all values are equal it is the exact bound of an event that was not seen, and with many units
it is the bootstrap's. No distribution is known that it fails for.
"""

from __future__ import annotations

import numpy as np

from steelyard.stats.resampling import Floats, Units, grouped, percentile_ends, totals_of

GAFFKE = "bayesian-bootstrap-bounded"
GAFFKE_CLUSTERED = "bayesian-bootstrap-bounded-clustered"

_DISTINCT = 256
"""Above this many distinct units neighbours are weighted together."""

_CELLS_AT_ONCE = 4_000_000


def bounded_ends(
    units: Units, worst: tuple[float, float], *, rounds: int, seed: int, level: float
) -> tuple[float, float]:
    """Return the ends of the mean over the units' items; no item lies below or above the `worst` two values."""
    units = units if len(units.sums) <= _DISTINCT else grouped(units)
    generator = np.random.Generator(np.random.PCG64(seed))
    at_once = max(1, _CELLS_AT_ONCE // (len(units.sums) + 1))
    parts = [_weighted(units, worst, min(at_once, rounds - start), generator) for start in range(0, rounds, at_once)]
    lows, highs = (np.concatenate(column) for column in zip(*parts, strict=True))
    low, high, mean = percentile_ends(lows, level)[0], percentile_ends(highs, level)[1], units.ratio
    return max(worst[0], min(low, mean)), min(worst[1], max(high, mean))


def _weighted(
    units: Units, worst: tuple[float, float], rounds: int, generator: np.random.Generator
) -> tuple[Floats, Floats]:
    """Return weighted means with one more unit of mean size at each of the worst values."""
    weights = generator.standard_gamma(np.repeat(units.counts[:, None].astype(np.float64), rounds, axis=1))
    unseen = generator.standard_exponential(rounds) * float((units.sizes * units.counts).sum() / units.n)
    sums = totals_of(weights, units.sums)
    if units.variances.any():
        sums += np.sqrt(totals_of(weights, units.variances)) * generator.standard_normal(rounds)
    sizes = totals_of(weights, units.sizes) + unseen
    return (sums + unseen * worst[0]) / sizes, (sums + unseen * worst[1]) / sizes
