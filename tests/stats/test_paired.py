"""Paired comparisons against scipy and statsmodels, and the laws they keep exactly."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.power import NormalIndPower

from steelyard.stats.flips import sign_flip_p_value
from steelyard.stats.paired import compare_pairs, planned_difference, required_items

BINARY = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60)
SCORES = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=40)


def columns(pairs):
    return ([float(first) for first, _ in pairs], [float(second) for _, second in pairs])


@given(BINARY)
def test_0_1_scores_have_the_exact_mcnemar_p_of_statsmodels(pairs):
    baseline, candidate = columns(pairs)
    result = compare_pairs(baseline, candidate, kind="rate")
    table = [[sum(pair == (a, b) for pair in pairs) for b in (True, False)] for a in (True, False)]
    if result.improved + result.regressed:
        assert result.p_value == pytest.approx(mcnemar(table, exact=True).pvalue, rel=1e-9)
    assert result.test == "mcnemar-exact"
    assert result.delta == pytest.approx(np.mean(candidate) - np.mean(baseline), abs=1e-12)


@given(SCORES, st.sampled_from(["bounded", "unbounded"]), st.sampled_from([None, 3]))
def test_exchanging_the_runs_mirrors_the_result_exactly(pairs, kind, size):
    baseline, candidate = columns(pairs)
    clusters = None if size is None else np.arange(len(pairs)) // size
    forward = compare_pairs(baseline, candidate, kind=kind, clusters=clusters, rounds=200)
    backward = compare_pairs(candidate, baseline, kind=kind, clusters=clusters, rounds=200)
    assert backward.p_value == forward.p_value
    assert backward.delta == -forward.delta
    if forward.ci_low is not None:
        assert (backward.ci_low, backward.ci_high) == (-forward.ci_high, -forward.ci_low)
        assert forward.ci_low <= forward.delta <= forward.ci_high
    assert (backward.improved, backward.regressed) == (forward.regressed, forward.improved)


@given(SCORES, st.randoms(use_true_random=False))
def test_the_order_of_pairs_does_not_matter(pairs, random):
    shuffled = random.sample(pairs, len(pairs))
    assert compare_pairs(*columns(pairs), kind="bounded", rounds=200) == compare_pairs(
        *columns(shuffled), kind="bounded", rounds=200
    )


@given(st.lists(st.integers(-4, 4), min_size=1, max_size=10))
def test_few_units_try_every_pattern_of_signs(differences):
    array = np.array(differences, np.float64)
    nonzero = [abs(value) for value in differences if value]
    limit = abs(sum(differences))
    patterns = itertools.product((1, -1), repeat=len(nonzero))
    sums = [sum(sign * value for sign, value in zip(signs, nonzero, strict=True)) for signs in patterns]
    assert sign_flip_p_value(array) == sum(abs(total) >= limit for total in sums) / len(sums)


@pytest.mark.parametrize("size", [200, 20_000])
def test_many_units_agree_with_the_normal_approximation_of_the_permutation(size):
    generator = np.random.default_rng(size)
    differences = generator.standard_normal(size) + 2.2 / math.sqrt(size)
    z = differences.sum() / math.sqrt((differences**2).sum())
    p_value = sign_flip_p_value(differences, rounds=40_000)
    expected = 2 * scipy_stats.norm.sf(abs(z))
    assert p_value == pytest.approx(expected, abs=5 * math.sqrt(expected * (1 - expected) / 40_000) + 0.003)


def test_medium_samples_agree_with_scipys_permutation_test():
    generator = np.random.default_rng(3)
    differences = generator.exponential(1, 60) - 0.75
    theirs = scipy_stats.permutation_test(
        (differences,), np.sum, permutation_type="samples", n_resamples=20_000, rng=np.random.default_rng(1)
    ).pvalue
    assert sign_flip_p_value(differences, rounds=20_000) == pytest.approx(theirs, abs=0.012)


def test_flipping_whole_clusters_gives_the_p_of_the_cluster_sums():
    differences = np.array([1.0, 0.0, 1.0, 1.0, 0.0, -1.0, 1.0, 1.0])
    result = compare_pairs(np.zeros(8), np.abs(differences), kind="bounded", clusters=list("aabbccdd"))
    assert result.test == "sign-flip-permutation-clustered"
    # Sums by cluster are 1, 2, 1, 2: only the two patterns of equal signs reach 6.
    assert result.p_value == 2 / 16


def test_clusters_that_agree_make_a_difference_less_certain():
    generator = np.random.default_rng(1)
    effects = generator.normal(0.1, 0.5, 30).repeat(10)
    alone = compare_pairs(np.zeros(300), effects, kind="unbounded")
    clustered = compare_pairs(np.zeros(300), effects, kind="unbounded", clusters=np.arange(30).repeat(10))
    assert clustered.p_value > alone.p_value
    assert clustered.ci_high - clustered.ci_low > 2.5 * (alone.ci_high - alone.ci_low)
    assert clustered.minimum_detectable == pytest.approx(
        alone.minimum_detectable * 10**0.5, rel=0.06
    )  # and Student's t


@pytest.mark.parametrize("kind", ["rate", "bounded", "unbounded"])
def test_equal_runs_differ_by_nothing_with_p_one_and_what_was_not_seen_is_not_excluded(kind):
    same = np.array([1.0, 0.0] * 50)
    result = compare_pairs(same, same, kind=kind)
    assert (result.delta, result.p_value, result.improved, result.regressed) == (0.0, 1.0, 0, 0)
    # None of 100 shows with 97.5 % that at most 1 - 0.025^(1/100) = 3.6 % are so.
    assert result.ci_high == pytest.approx(1 - 0.025 ** (1 / 100), rel=0.06)
    assert result.ci_low == -result.ci_high


@pytest.mark.parametrize("kind", ["rate", "bounded"])
def test_a_single_item_excludes_almost_nothing(kind):
    result = compare_pairs([1.0], [1.0], kind=kind)
    assert (result.ci_low, result.ci_high) == (pytest.approx(-0.975, abs=0.005), pytest.approx(0.975, abs=0.005))
    assert (result.units, result.standard_error) == (1, None)


def test_values_without_bounds_have_no_interval_where_nothing_says_how_they_spread():
    alone = compare_pairs([3.0], [4.0], kind="unbounded")
    alike = compare_pairs([3.0, 3.0], [3.0, 3.0], kind="unbounded")
    assert (alone.ci_low, alike.ci_low) == (None, None)
    assert alone.reason.startswith("a single item")
    assert alike.reason.startswith("neither run")


def test_equal_differences_do_not_make_an_interval_without_width():
    result = compare_pairs([1.0, 2.0, 3.0], [6.0, 7.0, 8.0], kind="unbounded")
    assert result.ci_low < result.delta < result.ci_high


def test_the_standard_error_is_that_of_a_mean_and_of_cluster_means():
    differences = np.random.default_rng(2).normal(0.1, 1, 60)
    alone = compare_pairs(np.zeros(60), differences, kind="unbounded")
    clustered = compare_pairs(np.zeros(60), differences, kind="unbounded", clusters=np.arange(12).repeat(5))
    assert alone.standard_error == pytest.approx(scipy_stats.sem(differences))
    assert clustered.standard_error == pytest.approx(scipy_stats.sem(differences.reshape(12, 5).mean(axis=1)))
    assert (alone.units, clustered.units) == (60, 12)


def test_no_shared_items_give_nothing_and_say_so():
    result = compare_pairs([], [], kind="rate")
    assert (result.delta, result.p_value, result.n) == (None, None, 0)
    assert result.reason


@pytest.mark.parametrize(("effect", "variance"), [(0.05, 0.2), (0.01, 0.5), (0.2, 0.1)])
def test_required_items_equal_statsmodels(effect, variance):
    theirs = NormalIndPower(ddof=0).solve_power(effect / math.sqrt(variance), power=0.8, alpha=0.05, ratio=0)
    assert required_items(effect, variance_of_difference=variance) == math.ceil(theirs)


def test_what_required_items_promise_a_planned_difference_gives_back():
    items = required_items(0.03, variance_of_difference=0.15)
    assert planned_difference(items, variance_of_difference=0.15) == pytest.approx(0.03, rel=0.001)


def test_a_comparison_states_the_smallest_difference_it_could_show():
    baseline, candidate = np.random.default_rng(8).random((2, 5000))
    result = compare_pairs(baseline, candidate, kind="bounded")
    variance = float(np.var(candidate - baseline, ddof=1))
    assert result.minimum_detectable == pytest.approx(
        planned_difference(5000, variance_of_difference=variance), rel=1e-3
    )


def test_lengths_that_differ_are_refused():
    with pytest.raises(ValueError, match="2 baseline values and 1 candidate"):
        compare_pairs([0, 1], [1], kind="rate")
