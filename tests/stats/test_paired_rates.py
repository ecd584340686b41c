"""The interval of paired rates against the score test done by scipy; its error counted over every possible table."""

import math

import numpy as np
import pytest
from scipy import optimize, stats

from steelyard.stats.paired import compare_pairs

LEVEL = 0.025


def ends(n: int, gained: int, lost: int) -> tuple[float, float]:
    baseline = np.array([0.0] * gained + [1.0] * lost + [1.0] * (n - gained - lost))
    candidate = np.array([1.0] * gained + [0.0] * lost + [1.0] * (n - gained - lost))
    result = compare_pairs(baseline, candidate, kind="rate")
    return result.ci_low, result.ci_high


def score(n: int, gained: int, lost: int, difference: float) -> float:
    """Return the corrected score statistic, its variance at the likeliest table that scipy finds."""

    def unlikely(share: float) -> float:
        rates = share + max(difference, 0), share - min(difference, 0), 1 - 2 * share - abs(difference)
        return -float(stats.multinomial.logpmf([gained, lost, n - gained - lost], n, rates))

    most = (1 - abs(difference)) / 2
    share = optimize.minimize_scalar(unlikely, bounds=(1e-12, most - 1e-12), options={"xatol": 1e-12}).x
    variance = 2 * share + abs(difference) - difference**2
    correction = (gained + lost) / (2 * (gained + lost + 1))
    return (gained - lost - n * difference - correction) / math.sqrt(n * variance)


@pytest.mark.parametrize(("n", "gained", "lost"), [(50, 12, 2), (100, 1, 1), (30, 3, 9), (400, 20, 31)])
def test_an_end_is_where_the_score_test_just_rejects(n: int, gained: int, lost: int):
    low, high = ends(n, gained, lost)
    assert score(n, gained, lost, low) == pytest.approx(stats.norm.isf(LEVEL), abs=2e-3)
    assert score(n, lost, gained, -high) == pytest.approx(stats.norm.isf(LEVEL), abs=2e-3)


@pytest.mark.parametrize("n", [1, 2, 5, 10, 20, 200, 5000])
def test_where_no_pair_differs_an_end_is_at_least_the_exact_bound(n: int):
    low, high = ends(n, 0, 0)
    assert -low >= 1 - LEVEL ** (1 / n) - 1e-12
    assert -low <= 4 / n
    assert high == -low


def tables(n: int) -> tuple[np.ndarray, np.ndarray]:
    gained, lost = np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij")
    inside = gained + lost <= n
    return gained[inside], lost[inside]


@pytest.fixture(scope="module")
def lows() -> dict[int, np.ndarray]:
    """Every possible lower end for some numbers of pairs."""
    sizes = (10, 20, 50)
    return {n: np.array([ends(n, *pair)[0] for pair in zip(*tables(n), strict=True)]) for n in sizes}


@pytest.mark.parametrize("n", [10, 20, 50])
@pytest.mark.parametrize("difference", [-0.01, -0.02, -0.05, -0.1, -0.2, -0.3])
@pytest.mark.parametrize("changed", [1.0, 1.5, 3.0, 10.0])
def test_a_lower_end_lies_above_the_truth_in_at_most_2_5_percent(lows, n: int, difference: float, changed: float):
    share = min(-difference * changed, 0.6)
    rates = (share + difference) / 2, (share - difference) / 2, 1 - share
    gained, lost = tables(n)
    chances = stats.multinomial.pmf(np.stack([gained, lost, n - gained - lost], axis=1), n, np.maximum(rates, 0))
    assert float(chances[lows[n] > difference].sum()) <= LEVEL


def test_one_more_improved_pair_never_lowers_an_end(lows):
    for n, found in lows.items():
        end = dict(zip(zip(*(part.tolist() for part in tables(n)), strict=True), found, strict=True))
        assert all(end[gained + 1, lost] >= value for (gained, lost), value in end.items() if gained + lost < n)


def test_the_further_tests_are_those_of_scipy():
    result = compare_pairs([0.0] * 9 + [1.0] * 11, [1.0] * 9 + [0.0] * 3 + [1.0] * 8, kind="rate")
    assert result.p_value == pytest.approx(stats.binomtest(3, 12).pvalue)
    assert result.p_mid == pytest.approx(stats.binomtest(3, 12).pvalue - stats.binom.pmf(3, 12, 0.5))
    assert result.p_score == pytest.approx(stats.chi2.sf((9 - 3) ** 2 / 12, 1))


def clustered_rates(generator: np.random.Generator, clusters: int, size: int, drop: float) -> tuple[np.ndarray, ...]:
    """Return 0/1 scores of which whole clusters turn wrong, and single items flip either way."""
    baseline = np.ones((clusters, size))
    baseline[generator.random((clusters, size)) < 0.1] = 0.0
    candidate = np.where(generator.random((clusters, size)) < 0.05, 1 - baseline, baseline)
    candidate[generator.random(clusters) < drop] = 0.0
    return baseline.ravel(), candidate.ravel()


@pytest.mark.slow
@pytest.mark.parametrize("clusters", [10, 40, 100])
def test_clustered_ends_hold_their_level(clusters: int):
    generator, drop = np.random.default_rng(clusters), 0.06
    labels = np.arange(clusters).repeat(5)
    kept = 0.9 * 0.95 + 0.1 * 0.05
    truth = (1 - drop) * kept - 0.9
    above = [
        compare_pairs(*clustered_rates(generator, clusters, 5, drop), kind="rate", clusters=labels).ci_low > truth
        for _ in range(2000)
    ]
    assert np.mean(above) <= LEVEL + 3 * math.sqrt(LEVEL * (1 - LEVEL) / 2000)
