"""Rates over items in clusters: coverage and steadiness by simulation, ends against statsmodels and by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from statsmodels.stats.proportion import proportion_confint

from steelyard.stats.intervals import wilson
from steelyard.stats.means import clustered_interval, mean_interval

CLUSTERS = st.lists(
    st.integers(1, 30).flatmap(lambda size: st.tuples(st.integers(0, size), st.just(size))), min_size=2, max_size=40
)


def of_rate(right, sizes):
    return clustered_interval(np.asarray(right, np.float64), np.asarray(sizes, np.float64), kind="rate")


def made_clusters(generator, clusters, size, rate, alike, *, equal):
    """Return successes and sizes of clusters whose own rates are drawn from a beta; `alike` is their correlation."""
    sizes = np.full(clusters, size) if equal else generator.geometric(1 / size, clusters)
    total = 1 / alike - 1
    rates = generator.beta(rate * total, (1 - rate) * total, clusters)
    return generator.binomial(sizes, rates), sizes


@pytest.mark.parametrize("alike", [0.001, 0.1, 0.5, 0.9])
@pytest.mark.parametrize(("clusters", "size"), [(5, 5), (20, 2), (20, 30), (100, 4)])
def test_the_interval_of_a_clustered_rate_covers_it(clusters, size, alike):
    generator = np.random.default_rng(clusters * size)
    for rate in (0.5, 0.8, 0.95):
        made = (made_clusters(generator, clusters, size, rate, alike, equal=size != 4) for _ in range(400))
        held = [found.low <= rate <= found.high for found in (of_rate(*pair) for pair in made)]
        assert np.mean(held) >= 0.94 - 3 * math.sqrt(0.06 * 0.94 / 400)


def test_one_more_wrong_item_hardly_ever_raises_an_end():
    generator, risen = np.random.default_rng(1), []
    while len(risen) < 10_000:
        clusters, size = int(generator.integers(2, 120)), int(generator.integers(1, 40))
        rate, alike = 1 - 0.9 * generator.random() ** 3, generator.uniform(0.01, 0.99)
        right, sizes = made_clusters(generator, clusters, size, rate, alike, equal=generator.random() < 0.5)
        if generator.random() < 0.3:
            right = sizes.copy()  # the edge from which every change leads away
        if not right.any() or (sizes == 1).all():
            continue
        worse = right.copy()
        worse[generator.choice(np.flatnonzero(right))] -= 1
        before, after = of_rate(right, sizes), of_rate(worse, sizes)
        risen.append(max(after.low - before.low, after.high - before.high))
    assert max(risen) <= 0.005


@given(st.integers(2, 60), st.integers(2, 30))
def test_where_all_is_right_a_cluster_counts_as_one_observation(clusters, size):
    found = of_rate([size] * clusters, [size] * clusters)
    quantile = scipy_stats.t.ppf(0.975, clusters - 1)
    low, _ = proportion_confint(clusters, clusters, alpha=2 * scipy_stats.norm.sf(quantile), method="wilson")
    assert (found.low, found.high) == (pytest.approx(low, abs=1e-9), 1.0)


def test_ends_by_hand():
    # Four clusters of 5 of which 4, 5, 5 and 2 are right: 0.8, residuals 0, 1, 1, -2, squares 6 * 4/3 = 8.
    # The effect is (8 + 1.5 * 25) / (3.2 + 1.5 * 5) = 4.2523, so 4.7033 items; t of 3 degrees of freedom is 3.1824.
    effect, quantile = 45.5 / 10.7, 3.182446305
    n, centre = 20 / effect, 16 / effect + quantile**2 / 2
    half = quantile * math.sqrt(16 / effect * 0.2 + quantile**2 / 4)
    found = of_rate([4, 5, 5, 2], [5, 5, 5, 5])
    assert (found.low, found.high) == pytest.approx(
        ((centre - half) / (n + quantile**2), (centre + half) / (n + quantile**2))
    )
    assert found.method == "wilson-design-effect"


@given(CLUSTERS)
def test_the_rate_lies_in_its_interval_which_has_width(clusters):
    right, sizes = (np.array(column) for column in zip(*clusters, strict=True))
    found = of_rate(right, sizes)
    assert 0 <= found.low <= right.sum() / sizes.sum() <= found.high <= 1
    assert found.low < found.high


@given(CLUSTERS)
def test_right_and_wrong_are_mirrored(clusters):
    right, sizes = (np.array(column) for column in zip(*clusters, strict=True))
    found, mirrored = of_rate(right, sizes), of_rate(sizes - right, sizes)
    assert (found.low, found.high) == pytest.approx((1 - mirrored.high, 1 - mirrored.low), abs=1e-9)


def test_the_method_follows_the_kind_and_never_the_values():
    assert mean_interval([1.0, 0.0, 1.0], kind="rate").method == "wilson"
    assert mean_interval([1.0, 0.0, 1.0], kind="bounded").method != "wilson"
    assert mean_interval([1.0, 0.0, 1.0], kind="amount").method != "wilson"


def test_clusters_of_one_item_are_independent_items():
    assert of_rate([1, 0, 1], [1, 1, 1]) == wilson(2, 3)


def test_a_single_cluster_shows_no_spread():
    found = of_rate([7], [10])
    assert (found.low, found.high) == (None, None)
    assert "single cluster" in found.reason
