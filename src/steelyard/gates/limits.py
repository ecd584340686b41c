"""Numbers held against limits: a value exactly at a limit passes; deltas count to six decimals, counts as integers."""

from __future__ import annotations

import math
from fractions import Fraction

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
