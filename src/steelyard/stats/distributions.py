"""Tails and quantiles of the few distributions that the tests need, without importing scipy.

Binomial and hypergeometric tails are built from ratios of neighbouring terms, outward from the largest: products only,
so that there is neither cancellation nor a logarithm that differs from machine to machine.
"""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

_NORMAL = NormalDist()
_WIDE = 10_000
"""Degrees of freedom from which Wallace's normal transformation of Student's t is good to 1e-8."""


def normal_quantile(probability: float) -> float:
    """Return the normal quantile.

    >>> round(normal_quantile(0.975), 6)
    1.959964
    """
    return _NORMAL.inv_cdf(probability)


def normal_two_sided(z: float) -> float:
    """Return the probability that a standard normal value lies further from 0 than `z`."""
    return math.erfc(abs(z) / math.sqrt(2))


def normal_at_most(z: float) -> float:
    """Return the probability that a standard normal value is at most `z`."""
    return math.erfc(-z / math.sqrt(2)) / 2


def binomial_half_two_sided(smaller: int, n: int) -> float:
    """Return the two-sided probability of at most `smaller` heads among `n` fair coins.

    >>> binomial_half_two_sided(0, 6)
    0.03125
    """
    if 2 * smaller >= n:
        return 1.0
    middle = n // 2
    heads = np.arange(middle, 0, -1, dtype=np.float64)
    # C(n, k - 1) / C(n, k) = k / (n - k + 1), downwards from the middle term, which counts as 1
    terms = np.concatenate(([1.0], np.cumprod(heads / (n - heads + 1))))
    half = math.fsum(terms) if n % 2 else math.fsum(terms) - 0.5
    return min(1.0, math.fsum(terms[middle - smaller :]) / half)


def hypergeometric_at_most(successes: int, n: int, other_n: int, total: int) -> float:
    """Return the probability that of `total` successes, dealt out to two groups, the first gets so many or fewer.

    >>> round(hypergeometric_at_most(0, 4, 4, 4), 6)
    0.014286
    """
    lowest, highest = max(0, total - other_n), min(n, total)
    terms = _hypergeometric_terms(n, other_n, total, lowest, highest)
    return min(1.0, math.fsum(terms[: successes - lowest + 1]) / math.fsum(terms))


def _hypergeometric_terms(n: int, other_n: int, total: int, lowest: int, highest: int) -> npt.NDArray[np.float64]:
    """Return the probabilities of lowest..highest successes in the first group, relative to the likeliest."""
    mode = min(highest, max(lowest, (total + 1) * (n + 1) // (n + other_n + 2)))
    up = np.arange(mode, highest, dtype=np.float64)
    rising = (n - up) * (total - up) / ((up + 1) * (other_n - total + up + 1))
    down = np.arange(mode, lowest, -1, dtype=np.float64)
    falling = down * (other_n - total + down) / ((n - down + 1) * (total - down + 1))
    return np.concatenate((np.cumprod(falling)[::-1], [1.0], np.cumprod(rising)))


def student_two_sided(t: float, freedom: float) -> float:
    """Return the probability that Student's t lies further from 0 than `t`."""
    if freedom > _WIDE:
        share = (8 * freedom + 1) / (8 * freedom + 3)
        return normal_two_sided(share * math.sqrt(freedom * math.log1p(t * t / freedom)))
    return _beta_half(freedom / (freedom + t * t), freedom / 2)


def student_quantile(probability: float, freedom: float) -> float:
    """Return the quantile of Student's t for a probability above one half."""
    tail = 2 * (1 - probability)
    # The distribution function is concave to the right of 0, so Newton's steps from the left never overshoot.
    t = normal_quantile(probability)
    for _ in range(100):
        step = (student_two_sided(t, freedom) - tail) / (2 * _student_density(t, freedom))
        t += step
        if abs(step) <= 1e-13 * t:
            break
    return t


def _student_density(t: float, freedom: float) -> float:
    scale = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2) - 0.5 * math.log(freedom * math.pi)
    return math.exp(scale - (freedom + 1) / 2 * math.log1p(t * t / freedom))


def _beta_half(x: float, a: float) -> float:
    """Return the regularised incomplete beta function with second parameter 1/2."""
    if x <= 0.0 or x >= 1.0:
        return min(max(x, 0.0), 1.0)
    front = math.exp(math.lgamma(a + 0.5) - math.lgamma(a) - math.lgamma(0.5) + a * math.log(x) + 0.5 * math.log1p(-x))
    if x < (a + 1) / (a + 2.5):
        return front * _beta_fraction(x, a, 0.5) / a
    return 1 - front * _beta_fraction(1 - x, 0.5, a) / 0.5


def _beta_fraction(x: float, a: float, b: float) -> float:
    """Return the continued fraction of the incomplete beta function by Lentz's method (DLMF 8.17.22)."""
    numerator, denominator = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    value = denominator
    for m in range(1, 10_000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            denominator = 1 / (1 + term * denominator)
            numerator = 1 + term / numerator
            value *= denominator * numerator
        if abs(denominator * numerator - 1) < 1e-15:
            break
    return value
