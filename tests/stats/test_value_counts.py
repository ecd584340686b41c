"""Summaries of streams: the same whatever the blocks, exact in the mean, bounded in size."""

import math
import statistics

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.stats.binning import ValueCounts, Values

SCORES = st.lists(st.one_of(st.floats(0, 1), st.sampled_from([0.0, 1.0, 0.5])), max_size=60)
NUMBERS = st.lists(st.floats(-1e12, 1e12), max_size=60)


def many(seed, size=20_000):
    return np.random.default_rng(seed).beta(0.7, 0.4, size)


@given(SCORES)
def test_mean_spread_and_ends_are_those_of_the_values(values):
    counts = ValueCounts(values)
    assert counts.n == len(values)
    if values:
        assert counts.mean == pytest.approx(statistics.fmean(values), abs=1e-15)
        assert counts.population_stddev == pytest.approx(statistics.pstdev(values), abs=1e-12)
        assert (counts.minimum, counts.maximum) == (min(values), max(values))
    else:
        assert (counts.mean, counts.population_stddev, counts.minimum, counts.maximum) == (None,) * 4


@given(NUMBERS, st.integers(0, 60))
def test_merged_parts_equal_the_whole(values, cut):
    whole, first, second = Values(values), Values(values[:cut]), Values(values[cut:])
    second.merge(first)
    assert (second.n, second.mean, second.interval("unbounded")) == (whole.n, whole.mean, whole.interval("unbounded"))


@pytest.mark.parametrize("kind", [ValueCounts, Values])
def test_beyond_4096_distinct_values_partition_and_order_still_do_not_matter(kind):
    values = many(1)
    whole, parts = kind(values), kind()
    for part in np.array_split(np.random.default_rng(2).permutation(values), 37):
        addition = kind(part)
        addition.merge(parts)
        parts = addition
    assert not whole.exact
    assert (parts.n, parts.mean, parts.interval("unbounded"), parts.minimum) == (
        whole.n,
        whole.mean,
        whole.interval("unbounded"),
        whole.minimum,
    )


def test_bins_keep_mean_and_spread_exactly():
    values = many(3)
    counts = ValueCounts(values)
    assert counts.mean == math.fsum(values) / len(values)
    assert counts.population_stddev == pytest.approx(float(np.std(values)), rel=1e-12)


def test_the_interval_from_bins_is_that_of_the_values():
    values = many(4)
    interval = ValueCounts(values).interval("unbounded")
    error = values.std() / math.sqrt(len(values))
    assert interval.low == pytest.approx(values.mean() - 1.96 * error, abs=0.25 * error)
    assert interval.high == pytest.approx(values.mean() + 1.96 * error, abs=0.25 * error)


@pytest.mark.parametrize("centre", [0.3, 1e6, -1e6])
def test_values_that_share_a_bin_keep_their_spread(centre):
    values = centre * (1 + 1e-4 * np.random.default_rng(5).standard_normal(20_000))
    interval = Values(values).interval("unbounded")
    error = values.std() / math.sqrt(len(values))
    assert interval.low is not None
    assert interval.high - interval.low == pytest.approx(2 * 1.96 * error, rel=0.1)
    assert interval.low < values.mean() < interval.high


def test_a_summary_does_not_grow_with_the_stream():
    counts = Values()
    for seed in range(40):
        counts.update(np.random.default_rng(seed).lognormal(0, 3, 10_000))
    kept = counts.to_values_and_counts()[0]
    assert counts.n == 400_000
    assert len(kept) < 6_000


@pytest.mark.parametrize("value", [-0.1, 1.1, math.nan, math.inf])
def test_a_score_outside_the_unit_interval_is_refused(value):
    with pytest.raises(ValueError, match="values must"):
        ValueCounts([value])


def test_the_interval_of_huge_numbers_is_undefined_and_says_why():
    interval = Values([1e300, -1e300, 2e300]).interval("unbounded")
    assert (interval.low, interval.high) == (None, None)
    assert "too large" in interval.reason


def test_negative_zero_is_zero():
    assert Values([-0.0, 0.0]).to_values_and_counts()[0].tolist() == [0.0]
