"""A slice against the rest: by how much its mean is lower or higher.

Works from counts and sums only, so the search for the worst slices never goes back to the rows. Whether the difference
could be chance is for `permutation` to say.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from steelyard.stats.distributions import student_quantile
from steelyard.stats.intervals import wilson_ends

WELCH = "welch-t"
WELCH_CLUSTERED = "welch-t-design-effect"
NEWCOMBE = "newcombe-independent"
NEWCOMBE_CLUSTERED = "newcombe-independent-design-effect"

_NOISE = 1e-13
"""A variance below this share of the mean square is what cancellation leaves of equal values."""


@dataclass(frozen=True, slots=True)
class Moments:
    """What is known of a group of values: how many, their sum and the sum of their squares."""

    n: int
    total: float
    total_squares: float

    def __sub__(self, part: Moments) -> Moments:
        return Moments(self.n - part.n, self.total - part.total, self.total_squares - part.total_squares)

    @property
    def mean(self) -> float:
        """The mean of at least one value."""
        return self.total / self.n

    @property
    def variance(self) -> float:
        """The sample variance of at least two values."""
        spread = self.total_squares - self.total * self.total / self.n
        return 0.0 if spread <= _NOISE * self.total_squares else spread / (self.n - 1)


@dataclass(frozen=True, slots=True)
class Contrast:
    """The mean of a slice minus the mean of the rest."""

    difference: float | None
    ci_low: float | None
    ci_high: float | None
    method: str
    """How the interval was found."""
    n: int
    n_rest: int
    reason: str = ""
    """Why something is None."""


def two_sample(
    part: Moments, rest: Moments, *, binary: bool, level: float = 0.95, design_effect: float = 1.0
) -> Contrast:
    """Return a slice's difference from the rest, with interval.

    0/1 values have Newcombe's score interval, others Welch's. With a design effect above 1 items are not independent:
    every count stands for so many times fewer items.

    >>> two_sample(Moments(10, 2.0, 2.0), Moments(90, 63.0, 63.0), binary=True).method
    'newcombe-independent'
    """
    if part.n == 0 or rest.n == 0:
        empty = "the slice has no items" if part.n == 0 else "the slice has all items"
        return Contrast(None, None, None, NEWCOMBE if binary else WELCH, part.n, rest.n, empty)
    if binary:
        low, high = _newcombe(part, rest, level, design_effect)
        difference = round(part.total) / part.n - round(rest.total) / rest.n
        method = NEWCOMBE if design_effect == 1 else NEWCOMBE_CLUSTERED
        return Contrast(difference, low, high, method, part.n, rest.n)
    return _welch(part, rest, level, design_effect)


def _newcombe(part: Moments, rest: Moments, level: float, effect: float) -> tuple[float, float]:
    """Return Newcombe's hybrid score interval (1998, method 10), made of two Wilson intervals."""
    mean, other = round(part.total) / part.n, round(rest.total) / rest.n
    low, high = wilson_ends(round(part.total) / effect, part.n / effect, level)
    other_low, other_high = wilson_ends(round(rest.total) / effect, rest.n / effect, level)
    below, above = math.hypot(mean - low, other_high - other), math.hypot(high - mean, other - other_low)
    return mean - other - below, mean - other + above


def _welch(part: Moments, rest: Moments, level: float, effect: float) -> Contrast:
    difference = part.mean - rest.mean
    method = WELCH if effect == 1 else WELCH_CLUSTERED
    if min(part.n, rest.n) < 2 * effect:
        reason = "a single item has no spread"
        return Contrast(difference, None, None, method, part.n, rest.n, reason)
    squares = part.variance * effect / part.n, rest.variance * effect / rest.n
    error = math.sqrt(sum(squares))
    if error == 0:
        reason = "neither the slice nor the rest has any spread"
        return Contrast(difference, None, None, method, part.n, rest.n, reason)
    shares = squares[0] ** 2 / (part.n / effect - 1), squares[1] ** 2 / (rest.n / effect - 1)
    freedom = sum(squares) ** 2 / sum(shares)
    half = student_quantile((1 + level) / 2, freedom) * error
    return Contrast(difference, difference - half, difference + half, method, part.n, rest.n)
