"""Two runs on the same items: the difference, its interval, its p, and what so many items can show at all.

The difference is candidate minus baseline. Exchanging the two negates the difference, negates and exchanges the ends
of its interval and leaves p as it is, exactly: every draw is made from signless or mirrored numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from steelyard.stats.distributions import binomial_half_two_sided, normal_quantile
from steelyard.stats.exact import exact_sum
from steelyard.stats.flips import sign_flip_p_value
from steelyard.stats.grid import Floats
from steelyard.stats.intervals import (
    BOOTSTRAP,
    BOOTSTRAP_CLUSTERED,
    DEGENERATE,
    Interval,
    check_binary,
    cluster_totals,
    finite,
    wilson,
)
from steelyard.stats.resampling import Units, percentile_ends, ratio_draws

MCNEMAR = "mcnemar-exact"
SIGN_FLIP = "sign-flip-permutation"
SIGN_FLIP_CLUSTERED = "sign-flip-permutation-clustered"
NEWCOMBE_PAIRED = "newcombe-paired"

NO_PAIRS = "no items are in both runs"
ONE_CLUSTER = "a single cluster shows no spread between clusters"
NO_SPREAD = "the differences have no spread"

_NOISE = 1e-24
"""Squared residuals below this share of the squares are what rounding leaves of equal differences."""

Clusters: TypeAlias = Sequence[object] | npt.NDArray[np.generic]


@dataclass(frozen=True, slots=True)
class PairedResult:
    """Candidate minus baseline over shared items. `improved` counts items with a higher value."""

    delta: float | None
    ci_low: float | None
    ci_high: float | None
    p_value: float | None
    test: str
    n: int
    improved: int
    regressed: int
    unchanged: int
    minimum_detectable: float | None
    """The smallest absolute delta that this many items would show with the asked power."""
    method: str = ""
    """How the interval was found."""
    reason: str = ""
    """Why something is None, or why the interval has no width."""


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Checked input: the values, their differences, and the units that are independent of each other."""

    baseline: Floats
    candidate: Floats
    differences: Floats
    sums: Floats
    sizes: Floats | None
    binary: bool

    @classmethod
    def of(
        cls, baseline: npt.ArrayLike, candidate: npt.ArrayLike, clusters: Clusters | None, *, binary: bool
    ) -> _Pairs:
        first, second = finite(baseline), finite(candidate)
        if len(first) != len(second):
            raise ValueError(f"{len(first)} baseline values and {len(second)} candidate values")
        if binary:
            check_binary(first)
            check_binary(second)
        differences = second - first
        if clusters is not None:
            sums, sizes = cluster_totals(differences, clusters)
            if len(sums) < len(differences):
                return cls(first, second, differences, sums, sizes, binary)
        return cls(first, second, differences, differences, None, binary)

    @property
    def test(self) -> str:
        if self.sizes is not None:
            return SIGN_FLIP_CLUSTERED
        return MCNEMAR if self.binary else SIGN_FLIP

    def count(self, *, candidate: int, baseline: int) -> int:
        """Return how many 0/1 pairs have these two values."""
        return int(np.count_nonzero((self.candidate == candidate) & (self.baseline == baseline)))


def compare_pairs(  # noqa: PLR0913  # every knob has a default and is a keyword
    baseline: npt.ArrayLike,
    candidate: npt.ArrayLike,
    *,
    binary: bool,
    clusters: Clusters | None = None,
    rounds: int = 10_000,
    seed: int = 0,
    level: float = 0.95,
    power: float = 0.8,
) -> PairedResult:
    """Return the paired comparison of two runs.

    0/1 values: exact McNemar and Newcombe's paired score interval. Other values: sign flips and a percentile bootstrap
    of the differences. With `clusters` (a label for each item) whole clusters are flipped and drawn.

    >>> result = compare_pairs([0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1], binary=True)
    >>> result.delta, result.p_value
    (1.0, 0.03125)
    """
    pairs = _Pairs.of(baseline, candidate, clusters, binary=binary)
    differences, n = pairs.differences, len(pairs.differences)
    if n == 0:
        return PairedResult(None, None, None, None, pairs.test, 0, 0, 0, 0, None, reason=NO_PAIRS)
    interval = _interval(pairs, rounds=rounds, seed=seed, level=level)
    detectable = _minimum_detectable(pairs, level=level, power=power)
    improved, regressed = int(np.count_nonzero(differences > 0)), int(np.count_nonzero(differences < 0))
    return PairedResult(
        delta=exact_sum(differences).value / n,
        ci_low=interval.low,
        ci_high=interval.high,
        p_value=_p_value(pairs, improved, regressed, rounds=rounds, seed=seed),
        test=pairs.test,
        n=n,
        improved=improved,
        regressed=regressed,
        unchanged=n - improved - regressed,
        minimum_detectable=detectable,
        method=interval.method,
        reason=interval.reason or (NO_SPREAD if detectable is None else ""),
    )


def lower_bound(
    baseline: npt.ArrayLike,
    candidate: npt.ArrayLike,
    *,
    binary: bool,
    clusters: Clusters | None = None,
    rounds: int = 10_000,
    seed: int = 0,
    level: float = 0.95,
) -> Interval:
    """Return the one-sided lower bound of the difference, for non-inferiority; the upper end is None.

    Where lower values are better, exchange baseline and candidate.
    """
    pairs = _Pairs.of(baseline, candidate, clusters, binary=binary)
    if len(pairs.differences) == 0:
        return Interval(None, None, pairs.test, level, NO_PAIRS)
    both = _interval(pairs, rounds=rounds, seed=seed, level=2 * level - 1)
    return Interval(both.low, None, both.method, level, both.reason or "one-sided")


def required_items(effect: float, *, variance_of_difference: float, power: float = 0.8, alpha: float = 0.05) -> int:
    """Return how many paired items show a delta of `effect` with this power in a two-sided test.

    >>> required_items(0.05, variance_of_difference=0.2)
    628
    """
    if effect == 0:
        raise ValueError("no number of items shows a difference of 0")
    return max(1, math.ceil(_both_quantiles(alpha, power) ** 2 * variance_of_difference / effect**2))


def minimum_detectable(n: int, *, variance_of_difference: float, power: float = 0.8, alpha: float = 0.05) -> float:
    """Return the smallest absolute delta that n paired items show with this power in a two-sided test."""
    return _both_quantiles(alpha, power) * math.sqrt(variance_of_difference / n)


def _both_quantiles(alpha: float, power: float) -> float:
    return normal_quantile(1 - alpha / 2) + normal_quantile(power)


def _p_value(pairs: _Pairs, improved: int, regressed: int, *, rounds: int, seed: int) -> float:
    if pairs.test == MCNEMAR:
        return binomial_half_two_sided(min(improved, regressed), improved + regressed)
    return sign_flip_p_value(pairs.sums, rounds=rounds, seed=seed)


def _interval(pairs: _Pairs, *, rounds: int, seed: int, level: float) -> Interval:
    if not pairs.differences.any():
        return Interval(0.0, 0.0, DEGENERATE, level, "no item differs")
    if pairs.test == MCNEMAR:
        return _newcombe_paired(pairs, level)
    if len(pairs.sums) == 1 and pairs.sizes is not None:
        return Interval(None, None, BOOTSTRAP_CLUSTERED, level, ONE_CLUSTER)
    units = Units.of(pairs.sums, pairs.sizes)
    mirrored = Units.of(-pairs.sums, pairs.sizes)
    ratios = units.sums / units.sizes
    if (ratios == ratios[0]).all():
        return Interval(float(ratios[0]), float(ratios[0]), DEGENERATE, level, NO_SPREAD)
    method = BOOTSTRAP if pairs.sizes is None else BOOTSTRAP_CLUSTERED
    return Interval(*percentile_ends(_mirrored_draws(units, mirrored, rounds, seed), level), method, level)


def _mirrored_draws(units: Units, mirrored: Units, rounds: int, seed: int) -> Floats:
    """Return draws of which half are made on the differences and half on their negatives, with the same seed."""
    half = (rounds + 1) // 2
    forward = ratio_draws(units, half, np.random.Generator(np.random.PCG64(seed)))
    backward = ratio_draws(mirrored, half, np.random.Generator(np.random.PCG64(seed)))
    return np.concatenate((forward, -backward))


def _newcombe_paired(pairs: _Pairs, level: float) -> Interval:
    """Return Newcombe's square-and-add score interval for paired rates (Statistics in Medicine 17, 1998, method 10)."""
    both, neither = pairs.count(candidate=1, baseline=1), pairs.count(candidate=0, baseline=0)
    gained, lost = pairs.count(candidate=1, baseline=0), pairs.count(candidate=0, baseline=1)
    n = both + neither + gained + lost
    first_below, first_above = _wilson_arms(both + gained, n, level)
    second_below, second_above = _wilson_arms(both + lost, n, level)
    correlation = _corrected_phi(both, gained, lost, neither)
    delta = (gained - lost) / n
    low = delta - _arm(first_below, second_above, correlation)
    high = delta + _arm(first_above, second_below, correlation)
    return Interval(max(-1.0, low), min(1.0, high), NEWCOMBE_PAIRED, level)


def _wilson_arms(successes: int, n: int, level: float) -> tuple[float, float]:
    bounds = wilson(successes, n, level=level)
    assert bounds.low is not None
    assert bounds.high is not None
    return successes / n - bounds.low, bounds.high - successes / n


def _arm(first: float, second: float, correlation: float) -> float:
    # sqrt(x² - 2φxy + y²), in a form that gives the same bits when x and y are exchanged
    return math.sqrt((first - second) ** 2 + 2 * (1 - correlation) * (first * second))


def _corrected_phi(both: int, gained: int, lost: int, neither: int) -> float:
    margins = (both + gained) * (both + lost) * (neither + gained) * (neither + lost)
    cross = both * neither - gained * lost
    if margins == 0 or cross == 0:
        return 0.0
    n = both + gained + lost + neither
    return (max(cross - n / 2, 0.0) if cross > 0 else cross) / math.sqrt(margins)


def _minimum_detectable(pairs: _Pairs, *, level: float, power: float) -> float | None:
    """Return the detectable delta from the spread of the independent units; None where they have none."""
    units = len(pairs.sums)
    if units < 2:
        return None
    n = len(pairs.differences)
    delta = exact_sum(pairs.differences).value / n
    residuals = pairs.sums - delta * (1.0 if pairs.sizes is None else pairs.sizes)
    squares = exact_sum(residuals * residuals).value
    if squares <= _NOISE * exact_sum(pairs.sums * pairs.sums).value:
        return None
    error = math.sqrt(units / (units - 1) * squares) / n
    return _both_quantiles(1 - level, power) * error
