"""Means of values without bounds: coverage by simulation, Student's ends against scipy, none where nothing spreads."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from steelyard.stats.means import clustered_interval, mean_interval

SAMPLES = 500
POPULATIONS = {
    "normal": (lambda g, n: g.normal(5, 1, n), 5.0),
    "exponential": (lambda g, n: g.exponential(1, n), 1.0),
    "lognormal": (lambda g, n: g.lognormal(0, 0.5, n), math.exp(0.125)),
    "one in five": (lambda g, n: g.exponential(1, n) * (g.random(n) < 0.2), 0.2),
    "counts": (lambda g, n: g.poisson(2, n) * 1.0, 2.0),
}


def covered(intervals, truth):
    return float(np.mean([found.low <= truth <= found.high for found in intervals if found.low is not None]))


@pytest.mark.parametrize("kind", ["amount", "unbounded"])
@pytest.mark.parametrize("size", [20, 60])
@pytest.mark.parametrize("name", POPULATIONS)
def test_the_interval_of_an_unbounded_mean_covers_it(name, size, kind):
    (draw, truth), generator = POPULATIONS[name], np.random.default_rng(size)
    found = [mean_interval(draw(generator, size), kind=kind, rounds=400) for _ in range(SAMPLES)]
    assert covered(found, truth) >= 0.93 - 3 * math.sqrt(0.07 * 0.93 / SAMPLES)


@pytest.mark.parametrize("name", ["normal", "exponential", "lognormal", "counts"])
def test_over_few_values_it_covers_on_the_scale_of_logarithms(name):
    (draw, truth), generator = POPULATIONS[name], np.random.default_rng(8)
    found = [mean_interval(draw(generator, 8), kind="amount", rounds=200) for _ in range(SAMPLES)]
    assert covered(found, truth) >= 0.92 - 3 * math.sqrt(0.08 * 0.92 / SAMPLES)


@pytest.mark.parametrize("clusters", [6, 40])
def test_it_covers_where_items_of_a_cluster_agree(clusters):
    generator, found = np.random.default_rng(clusters), []
    for _ in range(SAMPLES):
        sizes = generator.integers(1, 9, clusters)
        levels = generator.lognormal(0, 0.4, clusters)
        sums = [generator.exponential(level, k).sum() for level, k in zip(levels, sizes, strict=True)]
        found.append(clustered_interval(sums, sizes, kind="amount", rounds=300))
    assert covered(found, math.exp(0.08)) >= 0.92 - 3 * math.sqrt(0.08 * 0.92 / SAMPLES)
    assert {entry.method for entry in found} <= {"bootstrap-t-clustered", "student-t-log-clustered"}


def test_over_few_values_the_ends_are_students():
    values = [2.0, 3.5, 4.0, 4.25, 6.5]
    found = mean_interval(values, kind="unbounded")
    expected = scipy_stats.t.interval(0.95, 4, loc=np.mean(values), scale=scipy_stats.sem(values))
    assert (found.low, found.high, found.method) == (
        pytest.approx(expected[0]),
        pytest.approx(expected[1]),
        "student-t",
    )


def test_the_ends_on_the_scale_of_logarithms_by_hand():
    # Mean 4, squared distances 7.5, standard error sqrt(7.5 / 3 / 4) = 0.7906; t of 3 degrees of freedom is 3.1824, so
    # the ends are 4 times exp(±3.1824 * 0.7906 / 4) = exp(±0.6290).
    found = mean_interval([2.5, 3.0, 4.5, 6.0], kind="amount")
    assert (found.low, found.high) == pytest.approx((4 / math.exp(0.62899), 4 * math.exp(0.62899)), rel=1e-3)
    assert found.method == "student-t-log"


def test_the_studentised_bootstrap_is_that_of_a_plain_loop():
    values = np.random.default_rng(4).exponential(1, 60)
    generator, n = np.random.default_rng(5), len(values)
    rows = values[generator.integers(0, n, (20_000, n))]
    ratios = (rows.mean(axis=1) - values.mean()) / (rows.std(axis=1, ddof=1) / n**0.5)
    error = values.std(ddof=1) / n**0.5
    low, high = values.mean() - np.quantile(ratios, [0.975, 0.025]) * error
    found = mean_interval(values, kind="amount", rounds=20_000)
    assert found.method == "bootstrap-t"
    assert found.low == pytest.approx(low, abs=0.1 * error)
    assert found.high >= high - 0.1 * error


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([], "no values"),
        ([3.0], "a single value"),
        ([0.0] * 50, "all values are equal"),
        ([0.1] * 30, "all values are equal"),
        ([1e300, -1e300, 2e300], "too large"),
    ],
)
@pytest.mark.parametrize("kind", ["amount", "unbounded"])
def test_where_nothing_spreads_there_is_no_interval_and_the_reason_says_so(values, reason, kind):
    found = mean_interval(values, kind=kind)
    assert (found.low, found.high) == (None, None)
    assert reason in found.reason


VALUE = st.floats(0, 1e9) | st.sampled_from([0.0, 1.0, 1e-300, 1e140])


@settings(deadline=None)
@given(st.lists(VALUE, min_size=2, max_size=60), st.sampled_from(["amount", "unbounded"]))
def test_the_mean_lies_in_its_interval(values, kind):
    found = mean_interval(values, kind=kind, rounds=100)
    if found.low is None:
        return
    mean = math.fsum(values) / len(values)
    assert found.low <= mean <= found.high
    assert found.low < found.high
    assert math.isfinite(found.high)
    assert kind == "unbounded" or found.low >= 0
