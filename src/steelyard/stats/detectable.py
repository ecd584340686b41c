"""What so many items can show: the smallest difference that a test finds in four of five cases.

0/1 scores are counted exactly where few items change, because the exact test moves in steps there: at twenty items the
normal approximation promises a third more than the test can keep. Elsewhere the spread of the pairs decides, and no
test of signs shows anything with fewer units than it takes to reach its level.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from steelyard.stats.coins import POWER, share_to_move, smallest_rate
from steelyard.stats.distributions import student_quantile

NO_SPREAD = "the differences have no spread"
TOO_FEW = "so few items show no difference, however large"

CHANGED = 0.1
"""The share of items that change at least, where what could be shown is asked for: fewer seen prove little."""


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

    @classmethod
    def of(
        cls,
        error: float | None,
        items: int,
        units: int,
        *,
        moved: float,
        reach: float | None,
        changed: float | None = None,
    ) -> Spread:
        """Return the spread of a standard error; a single unit has none, and shows nothing."""
        return cls(items, units, (error or 0.0) * math.sqrt(units), changed, moved, reach)

    @property
    def standard_error(self) -> float:
        """The standard error of the difference."""
        return self.deviation / math.sqrt(self.units)

    def over(self, units: int) -> Spread:
        """Return the spread of as many units of the same kind."""
        return replace(self, units=units, items=round(units * self.items / self.units))


def could_show(spread: Spread, level: float) -> float | None:
    """Return the smallest difference that a one-sided test at this level finds with 80 % power.

    Infinite where so few units show none at all; None where nothing tells how far items may differ.
    """
    shown = smallest_shown(cautious(spread), level)
    return shown if shown > 0 else None


def cautious(spread: Spread) -> Spread:
    """Return a spread that does not promise more than was seen: at least one item in ten may change.

    That floor is for 0/1 scores, and for scores between bounds where no item differs at all: a few of them then change
    as far as the bounds allow.
    """
    if spread.changed is None and spread.deviation > 0:
        return spread
    reach = 1.0 if spread.changed is not None else spread.reach or 0.0
    floor = reach * math.sqrt(CHANGED * spread.units / spread.items)
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


def minimum_detectable(spread: Spread, level: float = 0.95) -> tuple[float | None, str]:
    """Return the smallest difference that a two-sided test shows, beside an interval of this level, or why none."""
    shown = could_show(spread, (1 - level) / 2)
    if shown is None:
        return None, NO_SPREAD
    return (None, TOO_FEW) if math.isinf(shown) else (shown, "")
