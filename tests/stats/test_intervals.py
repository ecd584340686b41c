"""Intervals of means and rates against statsmodels and scipy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from steelyard.stats.intervals import design_effect, wilson
from steelyard.stats.means import clustered_interval, mean_interval


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


def test_clusters_of_one_item_are_independent_items():
    values = [0.0, 0.5, 1.0, 0.25, 0.5]
    assert mean_interval(values, kind="bounded", clusters=list("abcde")) == mean_interval(values, kind="bounded")


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
