"""What the exact test of 0/1 scores shows, counted out: where nothing got worse, each item that changes is a coin."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

POWER = 0.8
_EXACT_CHANGES = 100
"""Up to so many expected changes the exact test is counted out; beyond, its steps are too small to matter."""
_NORMAL = NormalDist()

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@lru_cache(maxsize=4096)
def smallest_rate(n: int, changed: float, level: float) -> float:
    """Return the smallest drop in a rate that exact McNemar finds with 80 % power, where a share of items changes."""
    low, high = 0.0, 1.0
    if rate_power(n, changed, high, level) < POWER:
        return math.inf
    for _ in range(14):
        middle = (low + high) / 2
        low, high = (low, middle) if rate_power(n, changed, middle, level) >= POWER else (middle, high)
    return high


def rate_power(n: int, changed: float, drop: float, level: float) -> float:
    """Return how often exact McNemar finds a drop in a rate, one-sided, where a share of items changes.

    >>> round(rate_power(20, 0.5, 0.3, 0.05), 2)
    0.49
    """
    changed = min(1.0, max(changed, drop))
    if n * changed > _EXACT_CHANGES:
        # One item of continuity: the test counts whole items.
        above = (drop - 1 / n) * math.sqrt(n) - _NORMAL.inv_cdf(1 - level) * math.sqrt(changed)
        return _NORMAL.cdf(above / math.sqrt(max(changed - drop * drop, 1e-12)))
    counts = _counts(n, changed)
    shares = _binomial(counts, n, changed)
    least = _critical(int(counts[-1]), level)
    return float(shares @ _tails(counts, (changed + drop) / (2 * changed), least))


def _counts(n: int, changed: float) -> Integers:
    """Return the numbers of changed items that occur, in steps of a few dozen so that tables can be used again."""
    most = n * changed + 10 * math.sqrt(n * changed) + 10
    return np.arange(min(n, math.ceil(most / 32) * 32) + 1)


@lru_cache(maxsize=256)
def _critical(most: int, level: float) -> Integers:
    """Return for each number of changed items how many must be losses for p under the level; more than all if none."""
    tails = np.cumsum(_heads(most, 0.5)[:, ::-1], axis=1)[:, ::-1]
    return np.asarray((tails >= level).sum(axis=1), np.int64)


def _tails(counts: Integers, share: float, least: Integers) -> Floats:
    """Return for each number of changed items the probability that at least so many are losses."""
    heads = _heads(int(counts[-1]), share)
    return np.asarray(np.where(counts[None, :] >= least[:, None], heads, 0.0).sum(axis=1))


def _heads(most: int, share: float) -> Floats:
    """Return in row i the probabilities of 0, 1, … heads among i coins."""
    if share >= 1.0:
        return np.eye(most + 1)
    heads = np.arange(most + 1)
    tails = np.maximum(heads[:, None] - heads[None, :], 0)
    return np.asarray(np.exp(_choices(most) + heads[None, :] * math.log(share) + tails * math.log1p(-share)))


@lru_cache(maxsize=16)
def _choices(most: int) -> Floats:
    """Return the logarithm of the number of ways to choose, minus infinity above the diagonal."""
    logs = np.array([math.lgamma(value + 1) for value in range(most + 1)])
    heads = np.arange(most + 1)
    tails = heads[:, None] - heads[None, :]
    found = logs[:, None] - logs[None, :] - logs[np.maximum(tails, 0)]
    return np.where(tails >= 0, found, -np.inf)


def _binomial(heads: Integers, n: int, share: float) -> Floats:
    if share in (0.0, 1.0):
        return np.asarray(heads == round(n * share), np.float64)
    ways = [math.lgamma(n + 1) - math.lgamma(head + 1) - math.lgamma(n - head + 1) for head in heads.tolist()]
    return np.asarray(np.exp(np.array(ways) + heads * math.log(share) + (n - heads) * math.log1p(-share)))


def surplus(n: int, changed: float, least: int) -> float:
    """Return the probability that at least so many more items are lost than gained, each as likely."""
    if n * changed > _EXACT_CHANGES:
        return _NORMAL.cdf(-(least - 0.5) / math.sqrt(n * changed))
    counts = _counts(n, changed)
    lost = (counts + least + 1) // 2
    return float(_binomial(counts, n, changed) @ _tails(counts, 0.5, lost))


@lru_cache(maxsize=4096)
def share_to_move(units: int, level: float) -> float:
    """Return the share of units that must change for a test of signs to reach its level in four of five cases.

    No such test is under its level with fewer losses than that takes coins, whatever their sizes; 1 is of all units.

    >>> round(share_to_move(20, 0.05), 2), share_to_move(4, 0.05)
    (0.31, inf)
    """
    least = math.floor(-math.log2(level)) + 1
    if units < least:
        return math.inf
    low, high = 0.0, 1.0
    for _ in range(14):
        middle = (low + high) / 2
        enough = 1 - float(_binomial(np.arange(least), units, middle).sum()) >= POWER
        low, high = (low, middle) if enough else (middle, high)
    return high
