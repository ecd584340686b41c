"""A slice against the rest: by how much its mean is lower or higher, and whether that could be chance.

Works from counts and sums only, so the search for the worst slices never goes back to the rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from steelyard.stats.distributions import (
    fisher_two_sided,
    normal_two_sided,
    student_quantile,
    student_two_sided,
)
from steelyard.stats.intervals import wilson_ends

FISHER = "fisher-exact"
PROPORTIONS = "z-two-proportions"
PROPORTIONS_CLUSTERED = "z-two-proportions-design-effect"
WELCH = "welch-t"
WELCH_CLUSTERED = "welch-t-design-effect"
NEWCOMBE = "newcombe-independent"

_FEWEST_EXPECTED = 5
"""Below this expected count in any cell the normal approximation is not trusted (Cochran's rule)."""

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
    p_value: float | None
    test: str
    method: str
    """How the interval was found."""
    n: int
    n_rest: int
    reason: str = ""
    """Why something is None."""


def two_sample(
    part: Moments, rest: Moments, *, binary: bool, level: float = 0.95, design_effect: float = 1.0
) -> Contrast:
    """Return a slice's difference from the rest, with interval and two-sided p.

    0/1 values: Fisher's exact test where a cell is expected to hold fewer than 5, else the z-test of two proportions,
    with Newcombe's score interval. Other values: Welch's t. With a design effect above 1 items are not independent:
    every count stands for so many times fewer items.

    >>> two_sample(Moments(10, 2.0, 2.0), Moments(90, 63.0, 63.0), binary=True).test
    'fisher-exact'
    """
    if part.n == 0 or rest.n == 0:
        empty = "the slice has no items" if part.n == 0 else "the slice has all items"
        test, method = (FISHER, NEWCOMBE) if binary else (WELCH, WELCH)
        return Contrast(None, None, None, None, test, method, part.n, rest.n, empty)
    if binary:
        return _proportions(part, rest, level, design_effect)
    return _welch(part, rest, level, design_effect)


def _proportions(part: Moments, rest: Moments, level: float, effect: float) -> Contrast:
    successes, others = round(part.total), round(rest.total)
    low, high = _newcombe(part, rest, level, effect)
    difference = successes / part.n - others / rest.n
    n, right = part.n + rest.n, successes + others
    fewest = min(part.n, rest.n) * min(right, n - right) / n / effect
    if fewest >= _FEWEST_EXPECTED:
        pooled = right * (n - right) / (n * n)
        z = difference / math.sqrt(effect * pooled * (1 / part.n + 1 / rest.n))
        test = PROPORTIONS if effect == 1 else PROPORTIONS_CLUSTERED
        return Contrast(difference, low, high, normal_two_sided(z), test, NEWCOMBE, part.n, rest.n)
    if effect == 1:
        p_value = fisher_two_sided(successes, part.n, others, rest.n)
        return Contrast(difference, low, high, p_value, FISHER, NEWCOMBE, part.n, rest.n)
    few = "too few independent items for a test"
    return Contrast(difference, low, high, None, PROPORTIONS_CLUSTERED, NEWCOMBE, part.n, rest.n, few)


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
        return Contrast(difference, None, None, None, method, method, part.n, rest.n, reason)
    squares = part.variance * effect / part.n, rest.variance * effect / rest.n
    error = math.sqrt(sum(squares))
    if error == 0:
        reason = "neither the slice nor the rest has any spread"
        return Contrast(difference, None, None, None, method, method, part.n, rest.n, reason)
    shares = squares[0] ** 2 / (part.n / effect - 1), squares[1] ** 2 / (rest.n / effect - 1)
    freedom = sum(squares) ** 2 / sum(shares)
    half = student_quantile((1 + level) / 2, freedom) * error
    p_value = student_two_sided(difference / error, freedom)
    return Contrast(difference, difference - half, difference + half, p_value, method, method, part.n, rest.n)
