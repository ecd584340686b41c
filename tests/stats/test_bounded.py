"""Means of scores between bounds: coverage by simulation, exact ends for 0/1 values, width where nothing differs."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from steelyard.stats.means import clustered_interval, mean_interval

SAMPLES = 600


def f1_like(generator, size):
    return np.where(
        generator.random(size) < 0.45, generator.integers(0, 2, size), np.round(generator.beta(2, 2, size), 1)
    )


def near_one(generator, size):
    return np.where(generator.random(size) < 0.95, 1.0, generator.random(size))


def rare(generator, size):
    return np.where(generator.random(size) < 0.05, generator.random(size), 0.0)


POPULATIONS = {f1_like: 0.5, near_one: 0.975, rare: 0.025}


def covered(intervals, truth):
    return float(np.mean([found.low <= truth <= found.high for found in intervals]))


@pytest.mark.parametrize("size", [5, 20, 200])
@pytest.mark.parametrize("population", POPULATIONS, ids=lambda population: population.__name__)
def test_the_interval_of_a_bounded_mean_covers_it(population, size):
    generator = np.random.default_rng(size)
    found = [mean_interval(population(generator, size), kind="bounded", rounds=400) for _ in range(SAMPLES)]
    assert covered(found, POPULATIONS[population]) >= 0.94 - 3 * math.sqrt(0.06 * 0.94 / SAMPLES)


@pytest.mark.parametrize("population", POPULATIONS, ids=lambda population: population.__name__)
def test_it_covers_where_items_of_a_cluster_agree(population):
    generator, found = np.random.default_rng(1), []
    for _ in range(SAMPLES):
        sizes = generator.integers(1, 10, 20)
        sums = [
            np.where(generator.random(k) < 0.3, population(generator, k), population(generator, 1)).sum() for k in sizes
        ]
        found.append(clustered_interval(sums, sizes, kind="bounded", rounds=400))
    assert covered(found, POPULATIONS[population]) >= 0.94 - 3 * math.sqrt(0.06 * 0.94 / SAMPLES)


@pytest.mark.parametrize(("right", "n"), [(0, 10), (3, 10), (19, 20), (40, 50)])
def test_for_values_of_0_and_1_the_ends_are_clopper_and_pearsons(right, n):
    found = mean_interval([1.0] * right + [0.0] * (n - right), kind="bounded", rounds=40_000)
    assert (found.low, found.high) == pytest.approx(proportion_confint(right, n, method="beta"), abs=0.006)


@pytest.mark.parametrize("n", [1, 10, 100])
def test_equal_values_are_as_far_from_the_bounds_as_an_event_that_none_of_n_showed(n):
    found = mean_interval([0.25] * n, kind="bounded", rounds=40_000)
    unseen = 1 - 0.025 ** (1 / n)
    assert found.low == pytest.approx(0.25 * (1 - unseen), abs=0.002)
    assert found.high == pytest.approx(0.25 + 0.75 * unseen, abs=0.002)


def test_many_values_have_the_normal_interval():
    values = np.random.default_rng(2).beta(2, 5, 100_000)
    found, error = mean_interval(values, kind="bounded", rounds=4000), values.std() / len(values) ** 0.5
    assert (found.low, found.high) == pytest.approx(
        (values.mean() - 1.96 * error, values.mean() + 1.96 * error), abs=0.15 * error
    )


def test_clusters_widen_the_interval_where_items_of_a_cluster_agree():
    values, names = np.random.default_rng(3).random(60).repeat(20), np.arange(60).repeat(20)
    alone = mean_interval(values, kind="bounded")
    clustered = mean_interval(values, kind="bounded", clusters=names)
    # 20 items that agree know as much as one: the interval is about sqrt(20) times as wide.
    assert (clustered.high - clustered.low) / (alone.high - alone.low) == pytest.approx(20**0.5, rel=0.15)
    assert (alone.method, clustered.method) == ("bayesian-bootstrap-bounded", "bayesian-bootstrap-bounded-clustered")


@settings(deadline=None)
@given(st.lists(st.sampled_from([0.0, 1e-9, 0.3, 0.5, 1.0]), min_size=1, max_size=80))
def test_the_mean_lies_in_its_interval_which_has_width(values):
    found = mean_interval(values, kind="bounded", rounds=200)
    assert 0 <= found.low <= math.fsum(values) / len(values) <= found.high <= 1
    assert found.low < found.high


def test_percentages_have_bounds_of_their_own():
    score, percent = (
        mean_interval(np.array([0.2, 0.5, 1.0]) * k, kind=kind) for k, kind in ((1, "bounded"), (100, "percent"))
    )
    assert (percent.low, percent.high) == pytest.approx((100 * score.low, 100 * score.high))


def test_counts_and_rows_give_the_same_interval():
    values = np.random.default_rng(0).choice([0.0, 0.25, 1.0], 500)
    distinct, counts = np.unique(values, return_counts=True)
    assert mean_interval(values, kind="bounded") == mean_interval(distinct, counts, kind="bounded")


def test_the_seed_decides_the_draws_and_the_order_of_rows_does_not():
    values = np.random.default_rng(0).random(700)
    assert mean_interval(values, seed=3, kind="bounded") == mean_interval(values[::-1], seed=3, kind="bounded")
    assert mean_interval(values, seed=3, kind="bounded") != mean_interval(values, seed=4, kind="bounded")


def test_a_single_cluster_shows_no_spread():
    found = clustered_interval([3.0], [5.0], kind="bounded")
    assert (found.low, found.high) == (None, None)
    assert "single cluster" in found.reason
