"""A slice against the rest, against scipy and statsmodels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from statsmodels.stats.proportion import confint_proportions_2indep

from steelyard.stats.slices import Moments, two_sample

GROUPS = st.tuples(st.integers(1, 300), st.integers(1, 300)).flatmap(
    lambda sizes: st.tuples(st.integers(0, sizes[0]), st.just(sizes[0]), st.integers(0, sizes[1]), st.just(sizes[1]))
)


def rate(successes, n):
    return Moments(n, float(successes), float(successes))


def moments(values):
    return Moments(len(values), float(np.sum(values)), float(np.sum(np.square(values))))


@given(GROUPS)
def test_rates_have_the_interval_of_the_reference_package(groups):
    successes, n, others, other_n = groups
    contrast = two_sample(rate(successes, n), rate(others, other_n), "rate")
    theirs = confint_proportions_2indep(successes, n, others, other_n, method="newcomb")
    assert (contrast.ci_low, contrast.ci_high) == pytest.approx(theirs, abs=1e-9)


POPULATIONS = {
    "f1": lambda g, n: np.clip(np.round(g.normal(0.6, 0.35, n), 1), 0, 1),
    "near 1": lambda g, n: np.where(g.random(n) < 0.95, 1.0, g.random(n)),
    "rare": lambda g, n: np.where(g.random(n) < 0.05, g.random(n), 0.0),
    "rouge": lambda g, n: g.beta(2, 5, n),
}


@pytest.mark.parametrize("rest", [50, 800])
@pytest.mark.parametrize("n", [5, 20])
@pytest.mark.parametrize("name", POPULATIONS)
def test_the_interval_of_a_slice_that_is_no_weaker_holds_no_difference(name, n, rest):
    """Welch's does so in 23 to 60 % of slices of 5 to 20 scores near 1 among 800."""
    draw, generator = POPULATIONS[name], np.random.default_rng(n * rest)
    pairs = [(moments(draw(generator, n)), moments(draw(generator, rest))) for _ in range(1000)]
    found = [two_sample(part, others, "bounded") for part, others in pairs]
    held = np.mean([contrast.ci_low <= 0 <= contrast.ci_high for contrast in found])
    assert held >= 0.92 - 3 * np.sqrt(0.92 * 0.08 / 1000)


@pytest.mark.parametrize("name", POPULATIONS)
def test_over_many_items_the_interval_is_welchs(name):
    draw, generator = POPULATIONS[name], np.random.default_rng(0)
    first, second = draw(generator, 4000), draw(generator, 9000)
    contrast = two_sample(moments(first), moments(second), "bounded")
    ends = scipy_stats.ttest_ind(first, second, equal_var=False).confidence_interval(0.95)
    assert (contrast.ci_low, contrast.ci_high) == pytest.approx((ends.low, ends.high), abs=0.1 * (ends.high - ends.low))


def test_the_method_follows_the_kind_and_never_the_values():
    """A token F1 whose items all happen to be 0 or 1 is no rate."""
    found = two_sample(rate(2, 10), rate(60, 90), "bounded")
    assert found.method == "newcombe-independent-scaled"


def test_a_design_effect_is_the_same_as_so_many_fewer_items():
    thinned = two_sample(rate(30, 100), rate(300, 600), "rate")
    clustered = two_sample(rate(120, 400), rate(1200, 2400), "rate", design_effect=4)
    assert (clustered.ci_low, clustered.ci_high) == pytest.approx((thinned.ci_low, thinned.ci_high))
    assert clustered.method == "newcombe-independent-design-effect"


def test_a_design_effect_widens_the_interval():
    generator = np.random.default_rng(0)
    first, second = moments(generator.random(400)), moments(generator.random(4000))
    plain, clustered = (two_sample(first, second, "bounded", design_effect=effect) for effect in (1, 4))
    assert clustered.ci_high - clustered.ci_low == pytest.approx(2 * (plain.ci_high - plain.ci_low), rel=0.02)


@pytest.mark.parametrize("kind", ["rate", "bounded"])
def test_an_empty_side_has_no_contrast_and_says_so(kind):
    assert two_sample(rate(0, 0), rate(3, 5), kind).reason == "the slice has no items"
    assert two_sample(rate(3, 5), rate(0, 0), kind).reason == "the slice has all items"


def test_scores_without_any_spread_still_have_an_interval_with_width():
    contrast = two_sample(Moments(3, 0.75, 0.1875), Moments(4, 2.0, 1.0), "bounded")
    assert contrast.ci_low < contrast.difference == -0.25 < contrast.ci_high
