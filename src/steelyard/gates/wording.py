"""The words of a decision's reason: one sentence for people who know no statistics, with the numbers in it.

Beside them: limits on the figure itself.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

# Numbers held against limits: a value exactly at a limit passes; deltas count to six decimals, counts as integers.


DECIMALS = 6
_ROUNDING = 1e-12
"""What a mean of exact decimals can be off by."""


def at_least(value: float, limit: float) -> bool:
    """Return whether a value reaches a limit.

    >>> at_least(0.1 + 0.2, 0.3), at_least(0.7999999, 0.8)
    (True, False)
    """
    return value >= limit - _ROUNDING


def at_most(value: float, limit: float) -> bool:
    """Return whether a value stays within a limit."""
    return value <= limit + _ROUNDING


def rounded(delta: float) -> float:
    """Return a delta to the decimals that gates compare.

    >>> rounded(0.0200000004)
    0.02
    """
    return round(delta, DECIMALS) + 0.0


def within(delta: float, limit: float) -> bool:
    """Return whether a delta stays within a limit."""
    return rounded(delta) <= rounded(limit)


def most_items(rate: float, n: int) -> int:
    """Return how many of n items a rate allows, exactly.

    >>> most_items(0.07, 100)
    7
    """
    return math.floor(Fraction(repr(rate)) * n)


@dataclass(frozen=True, slots=True)
class Words:
    """How a difference over some items is spoken of; a drop is bad, unless lower is better."""

    n: int
    units: int
    lower: bool

    @property
    def bad(self) -> str:
        """The word for a change for the worse."""
        return "rise" if self.lower else "drop"

    @property
    def items(self) -> str:
        """How many items, and in how many clusters where they are not independent."""
        return f"{self.n} items" if self.units == self.n else f"{self.n} items in {self.units} clusters"

    def items_of(self, units: int) -> int:
        """Return how many items so many units have, as they come here."""
        return math.ceil(units * self.n / self.units)

    def change(self, worse: float) -> str:
        """Return the change in words: `drop 0.02`, `rise 0.02`, `no change`."""
        if not rounded(worse):
            return f"{self.bad} 0"
        return f"{self._way(worse)} {abs(rounded(worse)):g}"

    def _way(self, worse: float) -> str:
        return "rise" if (worse > 0) == self.lower else "drop"

    def shows(self, detectable: float | None, unit: str = "") -> str:
        """Return what so many items can show, in the units of the limit."""
        if detectable is None:
            return "what so many items can show is not known"
        if math.isinf(detectable):
            return f"{self.n} items are too few to show any {self.bad}"
        return f"{self.n} items can show a {self.bad} of {short(detectable)}{unit} or more"

    def note(self, worse: float, detectable: float | None, *, shown: bool) -> str:
        """Return what the last line of a verdict that passes says: what was seen, and what could have been."""
        few = detectable is None or math.isinf(detectable)
        could = f"{self.n} items are too few to show any" if few else f"{self.n} items show {short(detectable or 0.0)}"
        if not rounded(worse):
            return f"no {self.bad}; {could}"
        seen = f"{self._way(worse)} {abs(worse):.3f}"
        if worse < 0:
            return f"{seen}; {could if few else could.replace('show ', f'can show a {self.bad} of ')}"
        return f"{seen} {'shown, within the limit' if shown else 'not shown'}; {could}"


def sentence(parts: Sequence[str]) -> str:
    """Return parts as one sentence; empty ones are left out."""
    return "; ".join(part for part in parts if part)


def number(p: float) -> str:
    """Return a p-value in words that do not feign precision."""
    return f"{p:.4f}" if p >= 0.001 else f"{p:.2g}"


def short(value: float) -> str:
    """Return a size to three decimals, or to two digits where it is large or tiny.

    >>> short(0.05812), short(12.3456), short(0.00012)
    ('0.058', '12', '0.00012')
    """
    return f"{value:.3f}" if 0.001 <= value < 10 else f"{value:.2g}" if value < 10 else f"{value:.0f}"


def percent(share: float) -> str:
    """Return a share as a percentage of cases.

    >>> percent(0.1234), percent(0.0004), percent(0.0)
    ('12 %', 'under 0.1 %', 'under 0.1 %')
    """
    if share < 0.001:
        return "under 0.1 %"
    return f"{100 * share:.1f} %" if share < 0.0995 else f"{100 * share:.0f} %"
