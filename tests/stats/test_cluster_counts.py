"""Clusters counted by total and size give the intervals of clusters kept one by one."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.stats.cluster_counts import ClusterCounts
from steelyard.stats.intervals import design_effect
from steelyard.stats.means import clustered_interval

CLUSTER = st.lists(st.sampled_from([0.0, 1.0, 0.25, 2 / 3]), min_size=1, max_size=4)
BINARY_CLUSTER = st.lists(st.sampled_from([0.0, 1.0]), min_size=1, max_size=4)


def totals(clusters):
    return np.array([math.fsum(values) for values in clusters]), np.array([float(len(values)) for values in clusters])


def counted(clusters, block):
    found = ClusterCounts()
    for start in range(0, len(clusters), block):
        found.add(*totals(clusters[start : start + block]))
    return found


@settings(max_examples=60, deadline=None)
@given(st.lists(CLUSTER, min_size=1, max_size=60), st.integers(1, 70))
def test_intervals_of_counted_clusters_are_those_of_clusters_kept(clusters, block):
    found = counted(clusters, block)
    assert found.n == len(clusters)
    assert found.interval("bounded", rounds=200) == clustered_interval(*totals(clusters), kind="bounded", rounds=200)


@settings(max_examples=40, deadline=None)
@given(st.lists(BINARY_CLUSTER, min_size=1, max_size=60), st.integers(1, 70))
def test_rates_too(clusters, block):
    expected = clustered_interval(*totals(clusters), kind="rate")
    assert counted(clusters, block).interval("rate") == expected


@pytest.mark.parametrize("size", [500, 5000])
def test_thousands_of_single_values_are_drawn_as_ever(size):
    values = np.random.default_rng(1).random(size)
    found = ClusterCounts()
    found.add(values, np.ones(size))
    assert found.interval("bounded") == clustered_interval(values, np.ones(size), kind="bounded")


def test_parts_merge():
    clusters = [[1.0, 0.0], [1.0], [0.0, 0.25], [1.0, 0.0]] * 5
    whole, parts = counted(clusters, 100), counted(clusters[:7], 3)
    parts.merge(counted(clusters[7:], 2))
    assert parts.interval("bounded") == whole.interval("bounded")


def test_the_design_effect_is_that_of_clusters_kept():
    draws = np.random.default_rng(2)
    clusters = [draws.choice([0.0, 1.0, 0.5], draws.integers(1, 6)).tolist() for _ in range(300)]
    values = np.concatenate(clusters)
    expected = design_effect(*totals(clusters), float(values.var(ddof=1)))
    assert counted(clusters, 17).design_effect(float(values @ values)) == pytest.approx(expected, rel=1e-12)
    assert counted([[1.0]], 1).design_effect(1.0) == 1.0


def test_memory_is_that_of_distinct_pairs():
    found = ClusterCounts()
    for _ in range(50):
        found.add(np.arange(1000) % 3 * 1.0, np.full(1000, 3.0))
    units = found.units()
    assert (len(units.sums), found.n) == (3, 50_000)
