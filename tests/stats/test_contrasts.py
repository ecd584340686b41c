"""A slice against the rest, against scipy and statsmodels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from statsmodels.stats.proportion import confint_proportions_2indep

from steelyard.stats import Moments, two_sample

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
    contrast = two_sample(rate(successes, n), rate(others, other_n), binary=True)
    theirs = confint_proportions_2indep(successes, n, others, other_n, method="newcomb")
    assert (contrast.ci_low, contrast.ci_high) == pytest.approx(theirs, abs=1e-9)


def test_other_values_have_welchs_interval():
    generator = np.random.default_rng(0)
    first, second = generator.beta(2, 3, 40), generator.beta(3, 2, 500)
    contrast = two_sample(moments(first), moments(second), binary=False)
    theirs = scipy_stats.ttest_ind(first, second, equal_var=False)
    ends = theirs.confidence_interval(0.95)
    assert (contrast.ci_low, contrast.ci_high) == pytest.approx((ends.low, ends.high), rel=1e-6)


def test_a_design_effect_is_the_same_as_so_many_fewer_items():
    thinned = two_sample(rate(30, 100), rate(300, 600), binary=True)
    clustered = two_sample(rate(120, 400), rate(1200, 2400), binary=True, design_effect=4)
    assert (clustered.ci_low, clustered.ci_high) == pytest.approx((thinned.ci_low, thinned.ci_high))
    assert clustered.method == "newcombe-independent-design-effect"


def test_a_design_effect_widens_welchs_interval():
    generator = np.random.default_rng(0)
    first, second = moments(generator.random(400)), moments(generator.random(4000))
    plain, clustered = (two_sample(first, second, binary=False, design_effect=effect) for effect in (1, 4))
    assert clustered.ci_high - clustered.ci_low == pytest.approx(2 * (plain.ci_high - plain.ci_low), rel=0.01)


@pytest.mark.parametrize("binary", [True, False])
def test_an_empty_side_has_no_contrast_and_says_so(binary):
    assert two_sample(rate(0, 0), rate(3, 5), binary=binary).reason == "the slice has no items"
    assert two_sample(rate(3, 5), rate(0, 0), binary=binary).reason == "the slice has all items"


def test_no_spread_anywhere_is_no_interval():
    contrast = two_sample(Moments(3, 0.75, 0.1875), Moments(4, 2.0, 1.0), binary=False)
    assert (contrast.difference, contrast.ci_low) == (-0.25, None)
    assert "spread" in contrast.reason
