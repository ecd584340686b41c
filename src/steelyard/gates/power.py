"""What so many items can show: the smallest drop that a test finds, how many items would decide, false alarms.

0/1 scores are counted exactly where few items change, because the exact test moves in steps there: at twenty items the
normal approximation promises a third more than the test can keep. Elsewhere the spread of the pairs decides.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from statistics import NormalDist

from steelyard.gates.coins import POWER, rate_power, share_to_move, smallest_rate, surplus
from steelyard.records.comparisons import Paired
from steelyard.stats.distributions import student_quantile
from steelyard.stats.paired import MCNEMAR

CHANGED = 0.1
"""The share of items that change at least, where what could be shown is asked for: fewer seen prove little."""

_MOST_ITEMS = 100_000_000
_NORMAL = NormalDist()

_BOTH = _NORMAL.inv_cdf(0.975) + _NORMAL.inv_cdf(POWER)
"""How many standard errors the two-sided smallest detectable difference of a comparison is."""


@dataclass(frozen=True, slots=True)
class Spread:
    """How far the differences of two runs scatter."""

    items: int
    units: int
    """How many are independent of each other: items, or clusters."""
    deviation: float
    """The standard error of the difference, times the root of the units."""
    changed: float | None
    """The share of items that changed, where scores are 0 or 1 and items are independent: then tests are exact."""
    moved: float = 0.0
    """The share of items that changed, whatever their scores."""
    reach: float | None = None
    """How far one item can change; None where nothing bounds it."""

    @property
    def standard_error(self) -> float:
        """The standard error of the difference."""
        return self.deviation / math.sqrt(self.units)

    def over(self, units: int) -> Spread:
        """Return the spread of as many units of the same kind."""
        return replace(self, units=units, items=round(units * self.items / self.units))


def spread_of(paired: Paired, reach: float | None = None) -> Spread | None:
    """Return the spread that two runs have shown, or None where nothing tells it; `reach` bounds one item's change.

    A single unit has no standard error; its spread is taken to be what `cautious` makes of none.
    """
    if not paired.n or paired.delta is None:
        return None
    units, error = paired.units or paired.n, paired.standard_error
    if error is None and units > 1:
        if paired.minimum_detectable is None:
            return None
        error = paired.minimum_detectable / _BOTH
    moved = (paired.improved + paired.regressed) / paired.n
    changed = moved if paired.test == MCNEMAR else None
    return Spread(paired.n, units, (error or 0.0) * math.sqrt(units), changed, moved, reach)


def cautious(spread: Spread) -> Spread:
    """Return a spread that does not promise more than was seen: at least one item in ten may change.

    That floor is for 0/1 scores, and for any score where no item differs at all.
    """
    if spread.changed is None and spread.deviation > 0:
        return spread
    floor = math.sqrt(CHANGED * spread.units / spread.items)
    changed = None if spread.changed is None else max(spread.changed, CHANGED)
    return replace(spread, deviation=max(spread.deviation, floor), changed=changed)


def smallest_shown(spread: Spread, level: float) -> float:
    """Return the smallest drop that a one-sided test at this level finds with 80 % power."""
    if spread.changed is not None:
        return smallest_rate(spread.items, spread.changed, level)
    # A test of signs knows no drop of fewer units than it needs to reach its level.
    share = share_to_move(spread.units, level)
    if math.isinf(share):
        return math.inf
    spread_shows = student_reach(spread, level)
    if spread.reach is None or spread.moved >= share:
        return spread_shows
    return max(spread_shows, share * spread.reach)


def student_reach(spread: Spread, level: float) -> float:
    """Return the smallest drop that a one-sided test with an estimated spread finds with 80 % power."""
    freedom = spread.units - 1
    if freedom < 1:
        return math.inf
    return (student_quantile(1 - level, freedom) + student_quantile(POWER, freedom)) * spread.standard_error


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
