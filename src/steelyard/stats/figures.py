"""Figures that are no means (BLEU, chrF, an F1 over classes): intervals from bootstrap draws of the figure itself.

A resample never has what no unit of the sample has, so draws alone can have no width, and can all lie on one side of
the figure. The interval is widened to hold the figure, and what so many units cannot exclude: an event that none of n
shows can still have a share of 1 - 0.025^(1/n), about 3.7 / n.
"""

from __future__ import annotations

import numpy as np

from steelyard.records.scores import ValueKind
from steelyard.stats.grid import Floats
from steelyard.stats.intervals import BOOTSTRAP, Interval
from steelyard.stats.paired_rates import unseen
from steelyard.stats.resampling import percentile_ends

BOOTSTRAP_CLUSTERED = "bootstrap-percentile-clustered"

ONE_UNIT = "a single item, or a single cluster, shows no spread"
NO_SPREAD = "every resample gives the same figure"

_REACH: dict[ValueKind, float] = {"rate": 1.0, "bounded": 1.0, "percent": 100.0}


def figure_interval(
    draws: Floats, value: float, n_units: float, kind: ValueKind, *, clustered: bool = False, level: float = 0.95
) -> Interval:
    """Return the interval of a figure from its bootstrap draws, over so many independent units."""
    method, known = BOOTSTRAP_CLUSTERED if clustered else BOOTSTRAP, draws[~np.isnan(draws)]
    if n_units < 2 or not len(known):
        return Interval(None, None, method, level, ONE_UNIT)
    low, high = percentile_ends(known, level)
    if kind in _REACH:
        return Interval(*floored((low, high), value, n_units, _REACH[kind], level), method, level)
    if low == high:
        return Interval(None, None, method, level, NO_SPREAD)
    return Interval(min(low, value), max(high, value), method, level)


def floored(ends: tuple[float, float], value: float, n_units: float, reach: float, level: float) -> tuple[float, float]:
    """Return ends within [0, reach] that hold the value, and what so many units leave open on either side of it."""
    share = unseen(n_units, level)
    low, high = min(ends[0], value * (1 - share)), max(ends[1], value + (reach - value) * share)
    return min(value, max(0.0, low)), max(value, min(reach, high))
