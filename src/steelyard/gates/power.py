"""What so many items can show: the smallest drop that a test finds, how many items would decide, false alarms.

0/1 scores are counted exactly where few items change, because the exact test moves in steps there: at twenty items the
normal approximation promises a third more than the test can keep. Elsewhere the spread of the pairs decides.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from steelyard.records.comparisons import Paired
from steelyard.stats.paired import MCNEMAR

POWER = 0.8
CHANGED = 0.1
"""The share of items that change at least, where what could be shown is asked for: fewer seen prove little."""

_EXACT_CHANGES = 100
"""Up to so many expected changes the exact test is counted out; beyond, its steps are too small to matter."""
_MOST_ITEMS = 100_000_000
_NORMAL = NormalDist()

_BOTH = _NORMAL.inv_cdf(0.975) + _NORMAL.inv_cdf(POWER)
"""How many standard errors the two-sided smallest detectable difference of a comparison is."""

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


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

    @property
    def standard_error(self) -> float:
        """The standard error of the difference."""
        return self.deviation / math.sqrt(self.units)

    def over(self, units: int) -> Spread:
        """Return the spread of as many units of the same kind."""
        return replace(self, units=units, items=round(units * self.items / self.units))


def spread_of(paired: Paired) -> Spread | None:
    """Return the spread that two runs have shown, or None where nothing tells it.

    A single unit has no standard error; its spread is taken to be what `cautious` makes of none.
    """
    if not paired.n or paired.delta is None:
        return None
    units, error = paired.units or paired.n, paired.standard_error
    if error is None and units > 1:
        if paired.minimum_detectable is None:
            return None
        error = paired.minimum_detectable / _BOTH
    exact = paired.test == MCNEMAR
    changed = (paired.improved + paired.regressed) / paired.n if exact else None
    return Spread(paired.n, units, (error or 0.0) * math.sqrt(units), changed)


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
    if spread.changed is None:
        return normal_reach(spread.standard_error, level)
    return _smallest_rate(spread.items, spread.changed, level)


def normal_reach(standard_error: float, level: float = 0.05) -> float:
    """Return the smallest distance that a one-sided test at this level finds with 80 % power."""
    return (_quantile(level) + _NORMAL.inv_cdf(POWER)) * standard_error


@lru_cache(maxsize=4096)
def _smallest_rate(n: int, changed: float, level: float) -> float:
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
    0.52
    """
    changed = min(1.0, max(changed, drop))
    if n * changed > _EXACT_CHANGES:
        # One item of continuity: the test counts whole items.
        above = (drop - 1 / n) * math.sqrt(n) - _quantile(level) * math.sqrt(changed)
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


def units_to_show(spread: Spread, drop: float, level: float) -> int | None:
    """Return how many units show a drop with 80 % power, or None where it takes more than anybody has."""
    return _fewest(lambda units: _is_shown(spread.over(units), drop, level))


def _is_shown(spread: Spread, drop: float, level: float) -> bool:
    if spread.changed is None:
        return normal_reach(spread.standard_error, level) <= drop
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
        return _surplus(spread.items, spread.changed, least)
    error = spread.standard_error
    return _NORMAL.cdf(-limit / error) if error > 0 else 0.0


def _surplus(n: int, changed: float, least: int) -> float:
    """Return the probability that at least so many more items are lost than gained, each as likely."""
    if n * changed > _EXACT_CHANGES:
        return _NORMAL.cdf(-(least - 0.5) / math.sqrt(n * changed))
    counts = _counts(n, changed)
    lost = (counts + least + 1) // 2
    return float(_binomial(counts, n, changed) @ _tails(counts, 0.5, lost))


def least_p(units: int) -> float:
    """Return the smallest one-sided p that a test of signs can give: all units got worse.

    >>> least_p(4)
    0.0625
    """
    return math.ldexp(1.0, -min(units, 1000))


def _quantile(level: float) -> float:
    return _NORMAL.inv_cdf(1 - level)
