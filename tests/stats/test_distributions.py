"""Tails and quantiles against scipy."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from steelyard.stats.distributions import (
    binomial_half_two_sided,
    hypergeometric_at_most,
    normal_quantile,
    normal_two_sided,
    student_quantile,
    student_two_sided,
)

TABLES = st.tuples(st.integers(1, 60), st.integers(1, 400)).flatmap(
    lambda sizes: st.tuples(st.integers(0, sizes[0]), st.just(sizes[0]), st.integers(0, sizes[1]), st.just(sizes[1]))
)


@given(st.floats(0.001, 0.999))
def test_normal_quantiles_equal_scipy(probability):
    assert normal_quantile(probability) == pytest.approx(scipy_stats.norm.ppf(probability), abs=1e-9)


@given(st.floats(-30, 30))
def test_normal_tails_equal_scipy(z):
    assert normal_two_sided(z) == pytest.approx(2 * scipy_stats.norm.sf(abs(z)), rel=1e-9, abs=1e-300)


@given(st.integers(0, 3000).flatmap(lambda n: st.tuples(st.integers(0, n // 2), st.just(n))))
def test_fair_coins_equal_scipy(pair):
    smaller, n = pair
    expected = 1.0 if n == 0 else scipy_stats.binomtest(smaller, n).pvalue
    assert binomial_half_two_sided(smaller, n) == pytest.approx(expected, rel=1e-9, abs=1e-290)


@given(TABLES)
def test_hypergeometric_tails_equal_scipys_one_sided_fisher_test(table):
    successes, n, others, other_n = table
    counts = [[successes, n - successes], [others, other_n - others]]
    expected = scipy_stats.fisher_exact(counts, alternative="less").pvalue
    assert hypergeometric_at_most(successes, n, other_n, successes + others) == pytest.approx(expected, rel=1e-7)


@given(st.floats(-40, 40), st.floats(1, 1e6))
def test_students_tails_equal_scipy(t, freedom):
    # Beyond 10,000 degrees of freedom the normal transformation is good to 1e-8, which in a far tail is more relative.
    assert student_two_sided(t, freedom) == pytest.approx(2 * scipy_stats.t.sf(abs(t), freedom), rel=1e-6, abs=1e-8)


@given(st.sampled_from([0.9, 0.95, 0.975, 0.995]), st.floats(1, 1e6))
def test_students_quantiles_equal_scipy(probability, freedom):
    assert student_quantile(probability, freedom) == pytest.approx(scipy_stats.t.ppf(probability, freedom), rel=1e-6)
