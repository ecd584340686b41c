"""How often a slice would have so low a sum if scores were dealt out to items anew, without dealing them out.

The sum of n scores drawn without replacement is a sum of independent choices, given that n were chosen. Its tail is
Skovgaard's saddlepoint formula for that (the permutation distribution of Robinson, 1982): good to a few percent of a
probability far out in the tail at any skew, and to a factor of 1.6 where a slice is five scores most of which are
alike. A normal tail is wrong by powers of ten there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from steelyard.stats.distributions import hypergeometric_at_most, normal_at_most, normal_quantile
from steelyard.stats.resampling import Floats, Integers

_STEPS = 60
_LONGEST_STEP = 2.0
_EXACT_UP_TO = 2000
"""A rate whose slice could hold more successes than this has the formula's tail, which is then right to 1e-4."""

_FINEST_STEP = 100
"""Scores that are all multiples of 1/100 or more have sums with gaps, for which the formula is corrected."""

_FEW = 12
"""Where all but so few scores are the same, every way to deal out the few is counted."""

_TIE = 1e-9
_AT_ONCE = 1 << 18
_NEAR_MIDDLE = 0.02
"""So close to the mean the formula divides nothing by nothing, and the normal tail is right."""


@dataclass(frozen=True, slots=True)
class Population:
    """The scores of all items: distinct values, how often each is there, and how many items count as one."""

    values: Floats
    counts: Integers
    design_effect: float = 1.0

    @property
    def n(self) -> int:
        """How many scores there are."""
        return int(self.counts.sum())

    @property
    def mean(self) -> float:
        """The mean of all scores; 0 where there are none."""
        return float((self.values * self.counts).sum() / max(1, self.n))

    @property
    def variance(self) -> float:
        """The variance over all scores, with n in the denominator."""
        return float(((self.values - self.mean) ** 2 * self.counts).sum() / max(1, self.n))

    @property
    def gap(self) -> float:
        """The step of which all scores are multiples; 0 where there is none of at least 1/100."""
        for parts in range(1, _FINEST_STEP + 1):
            scaled = self.values * parts
            if np.abs(scaled - np.round(scaled)).max(initial=0.0) < 1e-9:
                return 1 / parts
        return 0.0


def lower_tails(population: Population, sizes: Floats, sums: Floats) -> Floats:
    """Return, for slices of these sizes and sums, the probability of at most this sum under a random dealing.

    >>> whole = Population(np.array([0.0, 1.0]), np.array([4, 4]))
    >>> lower_tails(whole, np.array([4.0]), np.array([0.0])).round(6).tolist()
    [0.014286]
    """
    if population.variance <= 1e-18:
        return np.ones(len(sizes))
    rows = max(1, _AT_ONCE // len(population.values))
    found = [
        _tails(population, sizes[start : start + rows], sums[start : start + rows])
        for start in range(0, len(sizes), rows)
    ]
    # The last digits of an exponential differ from processor to processor.
    return np.array([float(f"{value:.10g}") for part in found for value in part])


def smallest_gap(population: Population, n: int, *, level: float, power: float) -> float | None:
    """Return the gap below the rest that a slice of n items shows with this power; None where none is wide enough.

    The slice's own scores are taken to have the same share of the largest variance that their mean allows as all have.

    >>> smallest_gap(Population(np.array([0.0, 1.0]), np.array([200, 800])), 60, level=0.05, power=0.8)
    0.1406
    """
    mean, rest = population.mean, population.n - n
    share = population.variance / (mean * (1 - mean)) if 0 < mean < 1 else 0.0
    effect, gaps = population.design_effect, np.arange(1, 10_001) / 10_000
    scored = np.clip(mean - gaps * rest / population.n, 0.0, None)
    chance = np.sqrt(effect * population.variance * (1 / n + 1 / rest))
    spread = np.sqrt(effect * (share * scored * (1 - scored) / n + population.variance / rest))
    shown = gaps >= -normal_quantile(level) * chance + normal_quantile(power) * spread
    possible = shown & (mean - gaps * rest / population.n >= 0) & (share > 0)
    return float(gaps[possible][0]) if possible.any() else None


def _tails(population: Population, sizes: Floats, sums: Floats) -> list[float]:
    exact = _exact(population) if population.design_effect == 1 else None
    saddle = [] if exact is not None else _saddlepoints(population, sizes, sums)
    pairs = zip(sizes.tolist(), sums.tolist(), strict=True)
    return saddle if exact is None else [exact(round(n), held) for n, held in pairs]


def _exact(population: Population) -> Callable[[int, float], float] | None:
    """Return the tail of a slice's size and sum as counted over all dealings, where that is within reach."""
    most = int(np.argmax(population.counts))
    others = population.n - int(population.counts[most])
    if set(population.values.tolist()) <= {0.0, 1.0} and others <= _EXACT_UP_TO:
        ones = round(population.mean * population.n)
        return lambda n, held: hypergeometric_at_most(round(held), n, population.n - n, ones)
    if others > _FEW:
        return None
    common, rest = float(population.values[most]), np.delete(population.values, most)
    sums, taken = np.zeros(1), np.zeros(1, np.int64)
    for value in np.repeat(rest - common, np.delete(population.counts, most)):
        sums, taken = np.concatenate((sums, sums + value)), np.concatenate((taken, taken + 1))
    return lambda n, held: _counted(n, held - n * common, sums, taken, population.n)


def _counted(n: int, held: float, sums: Floats, taken: Integers, all_n: int) -> float:
    """Return the share of dealings in which what differs from the common score adds up to at most `held`."""
    others = int(taken[-1])
    low = np.bincount(taken[sums <= held + _TIE], minlength=others + 1)
    logs = [_log_ways(all_n - others, n - k) - _log_ways(all_n, n) for k in range(others + 1)]
    return min(1.0, math.fsum(int(many) * math.exp(log) for many, log in zip(low, logs, strict=True)))


def _log_ways(n: float, k: float) -> float:
    """Return the logarithm of the number of ways to choose k of n."""
    if k < 0 or k > n:
        return -math.inf
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def _saddlepoints(population: Population, sizes: Floats, sums: Floats) -> list[float]:
    """Return the formula's tail of each slice."""
    counts = population.counts / population.design_effect
    values, all_n = population.values - population.mean, population.n / population.design_effect
    n, gap = sizes / population.design_effect, population.gap
    target = sums / population.design_effect - n * population.mean + gap / 2
    share = n / all_n
    z = target / np.sqrt(n * (1 - share) * population.variance * all_n / max(all_n - 1, 1))
    tilt, shift, spread = _solved(values, counts, n, target, share, z)
    logs = np.logaddexp(0.0, _exponents(values, tilt, shift)) @ counts + all_n * np.log1p(-share)
    depth = tilt * target + (shift - np.log(share / (1 - share))) * n - logs
    found = []
    for place in range(len(n)):
        if z[place] >= 0 or depth[place] <= _NEAR_MIDDLE**2 / 2:
            found.append(normal_at_most(float(z[place])))
        elif spread[place] <= 0:
            found.append(_lowest(values, counts, float(n[place]), float(target[place]), float(depth[place])))
        else:
            relative = float(spread[place] / (all_n * share[place] * (1 - share[place])))
            found.append(_skovgaard(float(depth[place]), float(tilt[place]), relative, gap))
    return found


def _skovgaard(depth: float, tilt: float, spread: float, gap: float) -> float:
    w = -math.sqrt(2 * depth)
    slope = 2 * math.sinh(tilt * gap / 2) / gap if gap and abs(tilt * gap) < 1000 else tilt
    density = math.exp(-w * w / 2) / math.sqrt(2 * math.pi)
    return min(1.0, max(0.0, normal_at_most(w) + density * (1 / w - 1 / (slope * math.sqrt(spread)))))


def _lowest(values: Floats, counts: Floats, n: float, target: float, depth: float) -> float:
    """Return the tail at the lowest sum that is possible, where only ties are left to choose.

    Elsewhere it is Chernoff's bound given that n were chosen: what is certain where the formula has no solution.
    """
    before = np.concatenate(([0.0], np.cumsum(counts)))
    last = min(int(np.searchsorted(before, n, side="left")), len(counts)) - 1
    left = n - float(before[last])
    lowest = float((values[:last] * counts[:last]).sum() + values[last] * left)
    chosen = _log_ways(float(counts.sum()), n)
    if target <= lowest + _TIE * max(1.0, n):
        return min(1.0, math.exp(_log_ways(float(counts[last]), left) - chosen))
    share = n / float(counts.sum())
    certain = chosen + n * math.log(share) + (float(counts.sum()) - n) * math.log1p(-share)
    return min(1.0, math.exp(min(0.0, -depth - certain)))


def _exponents(values: Floats, tilt: Floats, shift: Floats) -> Floats:
    return np.clip(tilt[:, None] * values + shift[:, None], -700.0, 700.0)


def _solved(
    values: Floats, counts: Floats, n: Floats, target: Floats, share: Floats, z: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return the tilt towards low scores and the shift that keeps n chosen, by Newton's method, and the determinant.

    The determinant is 0 where there is none: a sum at the lowest end of what is possible.
    """
    shift = np.log(share / (1 - share))
    tilt = np.where(z < 0, target / (n * (1 - share) * ((values * values) @ counts / counts.sum())), 0.0)
    spread, width = np.zeros(len(n)), float(np.ptp(values))
    for _ in range(_STEPS):
        chosen = 1 / (1 + np.exp(-_exponents(values, tilt, shift)))
        bend = chosen * (1 - chosen) * counts
        gradient = (chosen @ counts - n, chosen @ (counts * values) - target)
        second = bend.sum(axis=1), bend @ values, bend @ (values * values)
        spread = second[0] * second[2] - second[1] ** 2
        solvable = (z < 0) & (spread > 1e-9 * second[0] ** 2 * 1e-6)
        safe = np.where(solvable, spread, 1.0)
        to_shift = np.where(solvable, (second[2] * gradient[0] - second[1] * gradient[1]) / safe, 0.0)
        to_tilt = np.where(solvable, (second[0] * gradient[1] - second[1] * gradient[0]) / safe, 0.0)
        longest = np.maximum(np.abs(to_tilt) * width, np.abs(to_shift))
        damped = _LONGEST_STEP / np.maximum(longest, _LONGEST_STEP)
        shift, tilt = shift - to_shift * damped, tilt - to_tilt * damped
        if (longest <= 1e-9).all():
            break
    return tilt, shift, np.where(solvable & (longest <= 1e-6), spread, 0.0)
