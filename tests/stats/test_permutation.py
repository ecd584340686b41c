"""The tail of a slice's sum under random dealing, against scipy and against dealing out at random."""

from itertools import combinations

import numpy as np
import pytest
from scipy import stats as scipy_stats

from steelyard.stats.permutation import Population, lower_tails, smallest_gap

NEAR_ONE = np.array([1.0] * 950 + list(np.random.default_rng(0).random(50)))
F1_LIKE = np.round(np.random.default_rng(1).beta(0.8, 0.6, 1000), 1)
SMOOTH = np.random.default_rng(2).beta(4, 1.2, 300)


def population(scores, **given):
    return Population(*np.unique(scores, return_counts=True), **given)


def tail(whole, n, held):
    return float(lower_tails(whole, np.array([float(n)]), np.array([held]))[0])


@pytest.mark.parametrize(("ones", "n", "held"), [(970, 20, 17), (700, 60, 30), (15, 100, 0), (400, 950, 372)])
def test_a_rate_has_the_one_sided_p_of_fishers_exact_test(ones, n, held):
    table = [[held, n - held], [ones - held, 1000 - ones - n + held]]
    expected = scipy_stats.fisher_exact(table, alternative="less").pvalue
    assert tail(population([1.0] * ones + [0.0] * (1000 - ones)), n, held) == pytest.approx(expected, rel=1e-7)


def test_a_rate_of_a_million_items_has_the_hypergeometric_tail():
    whole = Population(np.array([0.0, 1.0]), np.array([300_000, 700_000]))
    expected = scipy_stats.hypergeom.cdf(6_700, 1_000_000, 700_000, 10_000)
    assert tail(whole, 10_000, 6_700.0) == pytest.approx(expected, rel=0.001)


def test_a_few_odd_scores_are_counted_over_every_dealing():
    scores = [1.0] * 6 + [0.1, 0.5, 0.72]
    sums = [sum(drawn) for drawn in combinations(scores, 4)]
    for held in (2.1, 2.32, 3.1, 3.5, 4.0):
        assert tail(population(scores), 4, held) == pytest.approx(np.mean(np.array(sums) <= held + 1e-9))


@pytest.mark.parametrize("scores", [NEAR_ONE, F1_LIKE, SMOOTH], ids=["near 1", "f1-like", "smooth"])
@pytest.mark.parametrize("n", [5, 20, 120])
def test_other_scores_have_the_tail_that_dealing_them_out_has(scores, n):
    generator = np.random.default_rng(n)
    order = generator.random((20_000, len(scores))).argpartition(n, axis=1)[:, :n]
    sums = np.sort(scores[order].sum(axis=1))
    within = 0.3 if n > 5 else 0.6
    for share in (0.05, 0.01, 0.003):
        held = sums[int(share * len(sums))]
        seen = float((sums <= held + 1e-9).mean())
        assert tail(population(scores), n, held) == pytest.approx(seen, rel=within, abs=4 * np.sqrt(seen / len(sums)))


def test_a_slice_of_all_the_lowest_scores_has_the_share_of_its_one_dealing():
    scores = np.concatenate((np.linspace(0.1, 0.4, 20), np.linspace(0.5, 0.9, 20)))
    expected = 1 / scipy_stats.binom(40, 0.5).pmf(20) / 2**40
    assert tail(population(scores), 20, scores[:20].sum()) == pytest.approx(expected, rel=1e-6)


def test_scores_that_are_all_alike_show_nothing():
    assert tail(population([0.7] * 30), 10, 7.0) == 1.0


def test_a_design_effect_is_the_same_as_so_many_fewer_items():
    few, many = population(np.tile(SMOOTH, 1)), population(np.tile(SMOOTH, 4), design_effect=4.0)
    assert tail(many, 160, 110.0) == pytest.approx(tail(few, 40, 27.5), rel=0.02)


def test_the_smallest_gap_is_found_as_often_as_it_says():
    whole = Population(np.array([0.0, 1.0]), np.array([200, 800]))
    gap = smallest_gap(whole, 60, level=0.01, power=0.8)
    rate, generator, found = 0.8 - gap * 940 / 1000, np.random.default_rng(6), 0
    for held, others in zip(generator.binomial(60, rate, 400), generator.binomial(940, rate + gap, 400), strict=True):
        found += scipy_stats.hypergeom.cdf(held, 1000, held + others, 60) <= 0.01
    assert found / 400 == pytest.approx(0.8, abs=0.08)


def test_a_gap_that_the_scores_have_no_room_for_is_none():
    assert smallest_gap(Population(np.array([0.0, 1.0]), np.array([990, 10])), 5, level=0.001, power=0.8) is None
