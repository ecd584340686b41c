"""How many items would decide, and how often chance alone fails a rule, from the spread that two runs have shown."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist

from steelyard.records.comparisons import Paired
from steelyard.stats.coins import POWER, rate_power, surplus
from steelyard.stats.detectable import Spread, smallest_shown
from steelyard.stats.paired import MCNEMAR

_MOST_ITEMS = 100_000_000
_NORMAL = NormalDist()


def spread_of(paired: Paired, reach: float | None = None) -> Spread | None:
    """Return the spread that two runs have shown, or None where nothing tells it; `reach` bounds one item's change.

    A single unit has no standard error; its spread is taken to be what `cautious` makes of none.
    """
    if not paired.n or paired.delta is None:
        return None
    units, error = paired.units or paired.n, paired.standard_error
    if error is None and units > 1:
        return None
    moved = (paired.improved + paired.regressed) / paired.n
    changed = moved if paired.test == MCNEMAR else None
    return Spread.of(error, paired.n, units, moved=moved, reach=reach, changed=changed)


def normal_reach(standard_error: float, level: float = 0.05) -> float:
    """Return the smallest distance that a one-sided test at this level finds with 80 % power."""
    return (_quantile(level) + _NORMAL.inv_cdf(POWER)) * standard_error


def units_to_show(spread: Spread, drop: float, level: float) -> int | None:
    """Return how many units show a drop with 80 % power, or None where it takes more than anybody has."""
    return _fewest(lambda units: _is_shown(spread.over(units), drop, level))


def _is_shown(spread: Spread, drop: float, level: float) -> bool:
    if spread.changed is None:
        return smallest_shown(spread, level) <= drop
    return rate_power(spread.items, spread.changed, drop, level) >= POWER


def _fewest(enough: Callable[[int], bool]) -> int | None:
    high = 1
    while not enough(high):
        high *= 2
        if high > _MOST_ITEMS:
            return None
    low = high // 2
    while high - low > max(1, high // 200):
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def units_to_separate(spread: Spread, distance: float, reach: float) -> int | None:
    """Return how many units put a 95 % interval wholly on one side of a margin, with 80 % power.

    `distance` is how far the seen difference lies from the margin, `reach` how far the interval goes towards it.
    """
    if distance <= 0:
        return None
    if spread.deviation > 0:
        quantiles = _NORMAL.inv_cdf(0.975) + _NORMAL.inv_cdf(POWER)
        found = (quantiles * spread.deviation / distance) ** 2
    else:
        # Where no item differs, the ends of an honest interval come closer as 1/n.
        found = spread.units * reach / distance
    return max(spread.units + 1, math.ceil(found)) if found < _MOST_ITEMS else None


def false_alarm(spread: Spread, limit: float) -> float:
    """Return how often equal runs with this spread have an observed drop beyond a limit."""
    if spread.changed is not None:
        least = math.floor(round(limit * spread.items, 6)) + 1
        return surplus(spread.items, spread.changed, least)
    error = spread.standard_error
    return _NORMAL.cdf(-limit / error) if error > 0 else 0.0


def least_p(units: int) -> float:
    """Return the smallest one-sided p that a test of signs can give: all units got worse.

    >>> least_p(4)
    0.0625
    """
    return math.ldexp(1.0, -min(units, 1000))


def _quantile(level: float) -> float:
    return _NORMAL.inv_cdf(1 - level)
