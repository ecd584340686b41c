"""Paired 0/1 scores: Tango's score interval, and the tests beside the exact one.

The interval (Tango, Statistics in Medicine 17, 1998) inverts the score test of a difference, so it is honest where no
pair differs too. Plain, its one-sided ends are a little too narrow (3.0 % beyond an end that promises 2.5 %). With a
continuity correction that grows with the number of pairs that differ, from none to half a pair, each end is beyond the
truth in at most 2.5 % of runs from 10 pairs on, whatever the difference and whatever share of pairs differs (up to
0.6), and one more improved pair never lowers an end. Where no pair differs an end is at least the exact bound
1 - 0.025^(1/n), about 3.7 / n.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from steelyard.stats.bins import exact_sum
from steelyard.stats.distributions import binomial_half_two_sided, normal_quantile, normal_two_sided, student_quantile
from steelyard.stats.intervals import Interval
from steelyard.stats.pairs import Pairs

TANGO = "tango-score"
TANGO_CLUSTERED = "tango-score-design-effect"

_HALVINGS = 80


@dataclass(frozen=True, slots=True)
class Discordance:
    """How many pairs there are, and how many of them were won and lost; effective numbers need not be whole."""

    n: float
    gained: float
    lost: float

    @property
    def mirrored(self) -> Discordance:
        """The same with the runs exchanged."""
        return Discordance(self.n, self.lost, self.gained)


def rate_interval(pairs: Pairs, level: float) -> Interval:
    """Return the interval of the difference of two paired rates."""
    found = Discordance(len(pairs), pairs.count(candidate=1, baseline=0), pairs.count(candidate=0, baseline=1))
    if not pairs.clustered:
        quantile = normal_quantile((1 + level) / 2)
        return Interval(*_ends(found, quantile, level), TANGO, level)
    if pairs.units == 1:
        return Interval(-1.0, 1.0, TANGO_CLUSTERED, level, "a single cluster shows no spread between clusters")
    effect = _design_effect(pairs)
    effective = Discordance(found.n / effect, found.gained / effect, found.lost / effect)
    quantile = student_quantile((1 + level) / 2, pairs.units - 1)
    return Interval(*_ends(effective, quantile, level), TANGO_CLUSTERED, level)


def _design_effect(pairs: Pairs) -> float:
    """Return by how much clusters widen the variance of the difference, at least 1.

    To what was seen one cluster of mean size is added whose items all changed together. Where nothing differs the
    effect is then a cluster's size, so that a cluster counts as one observation, and one changed item more or less
    cannot move it far.
    """
    assert pairs.sizes is not None
    size = exact_sum(pairs.sizes * pairs.sizes).value / len(pairs)
    alone = exact_sum((pairs.differences - pairs.delta) ** 2).value
    together = pairs.units / (pairs.units - 1) * pairs.squares
    return max(1.0, (together + size * size) / (alone + size))


def _ends(found: Discordance, quantile: float, level: float) -> tuple[float, float]:
    return _low(found, quantile, level), -_low(found.mirrored, quantile, level)


def _low(found: Discordance, quantile: float, level: float) -> float:
    """Return the lower end: the largest difference that the score test still finds too low, by halving."""
    low, high = -1.0, (found.gained - found.lost) / found.n
    correction = (found.gained + found.lost) / (2 * (found.gained + found.lost + 1))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        too_low = _excess(found, middle) - correction >= quantile * _error(found, middle)
        low, high = (middle, high) if too_low else (low, middle)
    if found.gained + found.lost == 0:
        return min(low, -unseen(found.n, level))
    return low


def _excess(found: Discordance, difference: float) -> float:
    return found.gained - found.lost - found.n * difference


def _error(found: Discordance, difference: float) -> float:
    """Return the standard error of the count under a true difference, at the likeliest share of lost pairs."""
    linear = (2 * found.n - found.gained + found.lost) * difference - found.gained - found.lost
    constant = -found.lost * difference * (1 - difference)
    root = math.sqrt(max(0.0, linear * linear - 8 * found.n * constant))
    lost = (root - linear) / (4 * found.n)
    return math.sqrt(max(0.0, found.n * (2 * lost + difference * (1 - difference))))


def unseen(n: float, level: float) -> float:
    """Return how frequent a change can be that none of n pairs shows: the exact one-sided bound.

    >>> round(unseen(100, 0.95), 4)
    0.0362
    """
    return -math.expm1(math.log((1 - level) / 2) / n)


def exact_p(gained: int, lost: int) -> float:
    """Return McNemar's exact two-sided p."""
    return binomial_half_two_sided(min(gained, lost), gained + lost)


def mid_p(gained: int, lost: int) -> float:
    """Return McNemar's mid-p: half of the probability of what was seen counts.

    >>> mid_p(0, 6)
    0.015625
    """
    if gained == lost:
        return 1.0
    heads, coins = min(gained, lost), gained + lost
    ways = math.lgamma(coins + 1) - math.lgamma(heads + 1) - math.lgamma(coins - heads + 1)
    return exact_p(gained, lost) - math.exp(ways - coins * math.log(2))


def score_p(gained: int, lost: int) -> float:
    """Return the p of McNemar's score test, (gained - lost)² / (gained + lost), without a correction."""
    return normal_two_sided((gained - lost) / math.sqrt(gained + lost)) if gained + lost else 1.0
