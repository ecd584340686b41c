"""Intervals of means and rates against statsmodels and scipy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from statsmodels.stats.proportion import proportion_confint

from steelyard.stats import clustered_interval, design_effect, mean_interval, wilson


@given(st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.sampled_from([0.9, 0.95]))
def test_wilson_equals_statsmodels(pair, level):
    interval = wilson(*pair, level=level)
    assert (interval.low, interval.high) == pytest.approx(
        proportion_confint(*pair, alpha=1 - level, method="wilson"), abs=1e-12
    )
    assert 0 <= interval.low <= pair[0] / pair[1] <= interval.high <= 1


def test_no_values_have_no_interval_and_say_so():
    for interval in (wilson(0, 0), mean_interval([], kind="bounded"), mean_interval([], kind="rate")):
        assert (interval.low, interval.high, interval.reason) == (None, None, "no values")


@pytest.mark.parametrize("size", [30, 900, 5000])
@pytest.mark.parametrize("distinct", [5, None])
def test_the_bootstrap_agrees_with_scipy(size, distinct):
    values = np.random.default_rng(size).beta(0.8, 0.5, size)
    if distinct:
        values = np.round(values * distinct) / distinct
    ours = mean_interval(values, kind="bounded", rounds=10_000, seed=1)
    theirs = scipy_stats.bootstrap(
        (values,), np.mean, method="percentile", n_resamples=4000, rng=np.random.default_rng(7), batch=200
    ).confidence_interval
    # A 2.5 % quantile of 4,000 draws has a Monte Carlo error of about 4 % of the standard error.
    error = values.std() / np.sqrt(size)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.2 * error)
    assert ours.method == "bootstrap-percentile"


def test_counts_and_rows_give_the_same_interval():
    values = np.random.default_rng(0).choice([0.0, 0.25, 1.0], 500)
    distinct, counts = np.unique(values, return_counts=True)
    assert mean_interval(values, kind="bounded") == mean_interval(distinct, counts, kind="bounded")


def test_the_seed_decides_the_draws_and_the_order_of_rows_does_not():
    values = np.random.default_rng(0).random(700)
    assert mean_interval(values, seed=3, kind="bounded") == mean_interval(values[::-1], seed=3, kind="bounded")
    assert mean_interval(values, seed=3, kind="bounded") != mean_interval(values, seed=4, kind="bounded")


def test_equal_values_have_an_interval_without_width_that_says_so():
    interval = mean_interval([0.25] * 9, kind="bounded")
    assert (interval.low, interval.high, interval.method) == (0.25, 0.25, "degenerate")
    assert interval.reason == "all values are equal"


def test_clusters_of_one_item_are_independent_items():
    values = [0.0, 0.5, 1.0, 0.25, 0.5]
    assert mean_interval(values, kind="bounded", clusters=list("abcde")) == mean_interval(values, kind="bounded")


def test_clustering_widens_the_interval_where_items_of_a_cluster_agree():
    generator = np.random.default_rng(2)
    effects = generator.random(60).repeat(20)
    values = np.clip(effects + 0.05 * generator.standard_normal(1200), 0, 1)
    names = np.arange(60).repeat(20)
    alone, clustered = mean_interval(values, kind="bounded"), mean_interval(values, kind="bounded", clusters=names)
    # 20 items that agree know as much as one: the interval is about sqrt(20) times as wide.
    assert (clustered.high - clustered.low) / (alone.high - alone.low) == pytest.approx(20**0.5, rel=0.15)
    assert clustered.method == "bootstrap-percentile-clustered"


def test_a_single_cluster_shows_no_spread():
    interval = clustered_interval([3.0], [5.0], kind="bounded")
    assert (interval.low, interval.high) == (None, None)
    assert "single cluster" in interval.reason


def test_a_cluster_without_items_is_refused():
    with pytest.raises(ValueError, match="no items"):
        clustered_interval([1.0, 0.0], [1.0, 0.0], kind="bounded")


def test_the_design_effect_of_clusters_that_agree_is_their_size():
    generator = np.random.default_rng(4)
    means = generator.random(2000)
    values = means.repeat(5)
    effect = design_effect(means * 5, np.full(2000, 5.0), float(values.var(ddof=1)))
    assert effect == pytest.approx(5, rel=0.01)


def test_independent_items_have_a_design_effect_of_about_one():
    values = np.random.default_rng(5).random(10_000)
    assert design_effect(values.reshape(-1, 5).sum(axis=1), np.full(2000, 5.0), float(values.var())) < 1.1
