"""Two runs on the same items: the difference, its interval, its p, and what so many items can show at all.

The difference is candidate minus baseline. Exchanging the two negates the difference, negates and exchanges the ends
of its interval and leaves p as it is, exactly: every draw is made from signless or mirrored numbers. The interval is
chosen by the kind of the scores, never by their values, and it is not tied to the test: each is the honest one of its
sort.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from steelyard.stats.detectable import Spread, minimum_detectable
from steelyard.stats.distributions import normal_quantile
from steelyard.stats.flips import sign_flip_p_value
from steelyard.stats.intervals import Interval
from steelyard.stats.paired_means import (
    PAIRED_BOOTSTRAP,
    PAIRED_BOOTSTRAP_CLUSTERED,
    RANDOMISATION,
    RANDOMISATION_CLUSTERED,
    Figures,
    PairedSums,
    bootstrap_p,
    bounded_interval,
    drawn_ends,
    randomisation_p,
    unbounded_interval,
)
from steelyard.stats.paired_rates import exact_p, mid_p, rate_interval, score_p
from steelyard.stats.pairs import Clusters, Pairs

PairedKind: TypeAlias = Literal["rate", "bounded", "unbounded"]
"""0/1 scores; scores between bounds; values without bounds."""

MCNEMAR = "mcnemar-exact"
SIGN_FLIP = "sign-flip-permutation"
SIGN_FLIP_CLUSTERED = "sign-flip-permutation-clustered"

LEVEL = 0.95
NO_PAIRS = "no items are in both runs"


@dataclass(frozen=True, slots=True)
class PairedResult:
    """Candidate minus baseline over shared items. `improved` counts items with a higher value."""

    delta: float | None
    ci_low: float | None
    ci_high: float | None
    p_value: float | None
    """Two-sided."""
    test: str
    n: int
    improved: int
    regressed: int
    unchanged: int
    minimum_detectable: float | None
    """The smallest absolute delta that a test at 5 % finds in four of five runs of this many items."""
    method: str = ""
    """How the interval was found."""
    reason: str = ""
    """Why something is None."""
    units: int = 0
    """How many independent units there are: items, or clusters of them."""
    standard_error: float | None = None
    """The standard error of the delta from the pairs seen, between units; None for fewer than two units."""
    level: float = LEVEL
    """How sure the interval is, both sides together."""
    p_mid: float | None = None
    """McNemar's mid-p, where the test is McNemar's."""
    p_score: float | None = None
    """The p of McNemar's score test, where the test is McNemar's."""
    p_bootstrap: float | None = None
    """The p of the paired bootstrap, where the test is approximate randomisation."""


def compare_pairs(  # noqa: PLR0913  # every knob has a default and is a keyword
    baseline: npt.ArrayLike,
    candidate: npt.ArrayLike,
    *,
    kind: PairedKind,
    clusters: Clusters | None = None,
    reach: float = 1.0,
    rounds: int = 10_000,
    seed: int = 0,
    level: float = LEVEL,
) -> PairedResult:
    """Return the paired comparison of two runs.

    Rates: exact McNemar and Tango's score interval. Bounded scores, whose difference is at most `reach` on an item:
    sign flips and a bounded Bayesian bootstrap. Unbounded values: sign flips and bootstrap-t. With `clusters` (a label
    for each item) whole clusters are flipped and drawn.

    >>> result = compare_pairs([0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1], kind="rate")
    >>> result.delta, result.p_value
    (1.0, 0.03125)
    """
    return _result(Pairs.of(baseline, candidate, clusters, rates=kind == "rate"), kind, reach, rounds, seed, level)


def compare_ratios(
    baseline: tuple[npt.ArrayLike, npt.ArrayLike],
    candidate: tuple[npt.ArrayLike, npt.ArrayLike],
    *,
    bounded: bool,
    clusters: Clusters | None = None,
    rounds: int = 10_000,
    seed: int = 0,
    level: float = LEVEL,
) -> PairedResult:
    """Return the paired comparison of two weighted means, each given by values and weights; weights may differ.

    Delta, interval, p and detectable size are all of the linearised items. `bounded` says that values lie in [0, 1].

    >>> result = compare_ratios(([0.5, 0.0], [2, 1]), ([0.5, 1.0], [2, 1]), bounded=True)
    >>> round(result.delta, 6), result.improved
    (0.333333, 1)
    """
    pairs = Pairs.of_ratios(baseline, candidate, clusters)
    found = _result(pairs, "bounded" if bounded else "unbounded", 1.0, rounds, seed, level)
    changes = pairs.candidate - pairs.baseline
    improved, regressed = int(np.count_nonzero(changes > 0)), int(np.count_nonzero(changes < 0))
    return replace(found, improved=improved, regressed=regressed, unchanged=found.n - improved - regressed)


def compare_sums(
    sums: PairedSums,
    figures: Figures,
    changes: tuple[int, int, int],
    *,
    reach: float = 1.0,
    rounds: int = 10_000,
    draws: int = 1000,
    seed: int = 0,
) -> PairedResult:
    """Return the paired comparison of a figure of sums over units.

    `changes` says how many items there are, how many got a higher value and how many a lower one; `reach` is the
    largest value that the figure can have.
    """
    n, improved, regressed = changes
    if n == 0:
        return PairedResult(None, None, None, None, RANDOMISATION, 0, 0, 0, 0, None, reason=NO_PAIRS)
    delta = sums.delta(figures)
    drawn = sums.drawn(figures, draws, seed)
    low, high = drawn_ends(drawn, delta, sums.n_units, reach, LEVEL)
    error = float(drawn.std(ddof=1)) if sums.n_units > 1 else None
    spread = Spread.of(error, n, sums.n_units, moved=(improved + regressed) / n, reach=reach)
    shown, unknown = minimum_detectable(spread)
    return PairedResult(
        delta=delta,
        ci_low=low,
        ci_high=high,
        p_value=randomisation_p(sums.exchanged(figures, rounds, seed), delta),
        test=RANDOMISATION_CLUSTERED if sums.clustered else RANDOMISATION,
        n=n,
        improved=improved,
        regressed=regressed,
        unchanged=n - improved - regressed,
        minimum_detectable=shown,
        method=PAIRED_BOOTSTRAP_CLUSTERED if sums.clustered else PAIRED_BOOTSTRAP,
        reason=unknown,
        units=sums.n_units,
        standard_error=error,
        p_bootstrap=bootstrap_p(drawn, delta),
    )


def _result(pairs: Pairs, kind: PairedKind, reach: float, rounds: int, seed: int, level: float) -> PairedResult:
    test = _test(pairs, kind)
    if len(pairs) == 0:
        return PairedResult(None, None, None, None, test, 0, 0, 0, 0, None, reason=NO_PAIRS, level=level)
    interval = _interval(pairs, kind, reach=reach, rounds=rounds, seed=seed, level=level)
    error = pairs.standard_error
    improved = int(np.count_nonzero(pairs.differences > 0))
    regressed = int(np.count_nonzero(pairs.differences < 0))
    exact, moved = test == MCNEMAR, (improved + regressed) / len(pairs)
    spread = Spread.of(
        error,
        len(pairs),
        pairs.units,
        moved=moved,
        reach=None if kind == "unbounded" else reach,
        changed=moved if exact else None,
    )
    shown, unknown = minimum_detectable(spread, level)
    return PairedResult(
        delta=pairs.delta,
        ci_low=interval.low,
        ci_high=interval.high,
        p_value=exact_p(improved, regressed) if exact else sign_flip_p_value(pairs.sums, rounds=rounds, seed=seed),
        test=test,
        n=len(pairs),
        improved=improved,
        regressed=regressed,
        unchanged=len(pairs) - improved - regressed,
        minimum_detectable=shown,
        method=interval.method,
        reason=interval.reason or unknown,
        units=pairs.units,
        standard_error=error,
        level=level,
        p_mid=mid_p(improved, regressed) if exact else None,
        p_score=score_p(improved, regressed) if exact else None,
    )


def _test(pairs: Pairs, kind: PairedKind) -> str:
    if pairs.clustered:
        return SIGN_FLIP_CLUSTERED
    return MCNEMAR if kind == "rate" else SIGN_FLIP


def _interval(pairs: Pairs, kind: PairedKind, *, reach: float, rounds: int, seed: int, level: float) -> Interval:
    if kind == "rate":
        return rate_interval(pairs, level)
    if kind == "bounded":
        return bounded_interval(pairs, reach, rounds=rounds, seed=seed, level=level)
    return unbounded_interval(pairs, rounds=rounds, seed=seed, level=level)


def required_items(effect: float, *, variance_of_difference: float, power: float = 0.8, alpha: float = 0.05) -> int:
    """Return how many paired items show a delta of `effect` with this power in a two-sided test.

    >>> required_items(0.05, variance_of_difference=0.2)
    628
    """
    if effect == 0:
        raise ValueError("no number of items shows a difference of 0")
    by_formula = math.ceil(_both_quantiles(alpha, power) ** 2 * variance_of_difference / effect**2)
    return max(fewest_units(alpha), by_formula)


def fewest_units(alpha: float) -> int:
    """Return how many items a two-sided test of signs needs to be under a level at all.

    >>> fewest_units(0.05)
    6
    """
    return math.floor(1 - math.log2(alpha)) + 1


def planned_difference(n: int, *, variance_of_difference: float, power: float = 0.8, alpha: float = 0.05) -> float:
    """Return the smallest absolute delta that n paired items show with this power in a two-sided test."""
    return _both_quantiles(alpha, power) * math.sqrt(variance_of_difference / n)


def _both_quantiles(alpha: float, power: float) -> float:
    return normal_quantile(1 - alpha / 2) + normal_quantile(power)
