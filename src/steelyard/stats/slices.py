"""A slice against the rest: by how much its mean is lower or higher.

Works from counts and sums only, so the search for the worst slices never goes back to the rows. Whether the difference
could be chance is for `permutation` to say.

Rates have Newcombe's score interval. Other scores between 0 and 1 have the same, with as many items as rates of that
variance would need: the share of the largest variance that their mean allows is that of all items together, since a
slice of five equal scores shows no variance of its own. Welch's interval goes by that, and near 1 it holds the truth in
23 % of simulated slices of 5 items among 800, and in 57 % of those of 20; this one does in 94 % or more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from steelyard.records.scores import ValueKind
from steelyard.stats.distributions import normal_quantile, student_quantile
from steelyard.stats.intervals import score_ends

NEWCOMBE = "newcombe-independent"
SCALED = "newcombe-independent-scaled"

_LEAST_SHARE = 1e-3
"""Of the largest variance; scores that are all but equal have one that is rounding."""


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

    def __add__(self, other: Moments) -> Moments:
        return Moments(self.n + other.n, self.total + other.total, self.total_squares + other.total_squares)

    @property
    def share_of_variance(self) -> float:
        """The share of the largest variance that values between 0 and 1 with this mean can have."""
        largest = self.mean * (1 - self.mean)
        variance = self.total_squares / self.n - self.mean * self.mean
        return min(1.0, max(_LEAST_SHARE, variance / largest)) if largest > 0 else 1.0


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
    part: Moments, rest: Moments, kind: ValueKind, *, level: float = 0.95, design_effect: float = 1.0
) -> Contrast:
    """Return a slice's difference from the rest, with its interval by what values an item can have.

    With a design effect above 1 items are not independent: every count stands for so many times fewer items.

    >>> two_sample(Moments(10, 2.0, 2.0), Moments(90, 63.0, 63.0), "rate").method
    'newcombe-independent'
    """
    method = (NEWCOMBE if kind == "rate" else SCALED) + ("" if design_effect == 1 else "-design-effect")
    if part.n == 0 or rest.n == 0:
        empty = "the slice has no items" if part.n == 0 else "the slice has all items"
        return Contrast(None, None, None, method, part.n, rest.n, empty)
    share = 1.0 if kind == "rate" else (part + rest).share_of_variance
    quantiles = [_quantile(side.n / design_effect, kind, level) for side in (part, rest)]
    ends = [_ends(side, design_effect * share, z) for side, z in zip((part, rest), quantiles, strict=True)]
    (low, high), (other_low, other_high) = ends
    below = math.hypot(part.mean - low, other_high - rest.mean)
    above = math.hypot(high - part.mean, rest.mean - other_low)
    difference = part.mean - rest.mean
    return Contrast(difference, difference - below, difference + above, method, part.n, rest.n)


def _ends(side: Moments, effect: float, quantile: float) -> tuple[float, float]:
    """Return the score interval of one mean (Newcombe 1998, method 10, is made of two)."""
    return score_ends(min(side.total, float(side.n)) / effect, side.n / effect, quantile)


def _quantile(worth: float, kind: ValueKind, level: float) -> float:
    """Return the normal quantile; Student's where a variance is estimated."""
    tail = (1 + level) / 2
    return normal_quantile(tail) if kind == "rate" else student_quantile(tail, max(1.0, worth - 1))
