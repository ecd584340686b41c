"""Metrics as ratios of sums, with intervals over objectives."""

import numpy as np
import pytest

from steelyard.research.measures import COUNTS, EVIDENCE_COVERAGE, RATIOS, measure, ratio_interval


def units(*pairs):
    return [{"covered_claims": good, "verified_claims": total} for good, total in pairs]


def test_a_metric_is_a_ratio_of_sums_and_no_mean_of_ratios():
    found = measure(EVIDENCE_COVERAGE, units((1, 1), (0, 9)))
    assert (found.value, found.numerator, found.denominator) == (0.1, 1, 10)


def test_over_nothing_a_metric_is_null_with_a_reason():
    facts = measure(EVIDENCE_COVERAGE, units((0, 0))).facts()
    assert (facts["value"], facts["reason"], facts["ci_low"]) == (None, "the denominator is zero", None)


def test_single_observations_have_wilsons_interval():
    found = ratio_interval(np.array([1] * 8 + [0] * 2), np.ones(10, np.int64))
    # statsmodels: proportion_confint(8, 10, method="wilson")
    assert (found.low, found.high) == pytest.approx((0.4901624715, 0.9433178486))


def test_objectives_that_are_all_good_count_as_one_observation_each():
    found = ratio_interval(np.full(20, 50), np.full(20, 50))
    # Wilson by hand with Student's t of 19 degrees of freedom, 2.0930: 20 / (20 + 2.0930²)
    assert (found.low, found.high, found.method) == (pytest.approx(0.8203, abs=1e-4), 1.0, "wilson-design-effect")


def test_objectives_count_whole_where_they_differ():
    found = ratio_interval(np.array([10, 0, 10, 0, 9, 1]), np.full(6, 10))
    assert found.high - found.low > 0.5  # sixty independent claims would give about 0.25


def test_claims_of_a_single_objective_show_no_spread():
    found = ratio_interval(np.array([7]), np.array([10]))
    assert (found.low, found.high) == (None, None)


def test_every_count_belongs_to_one_ratio():
    names = [name for ratio in RATIOS for name in (ratio.numerator, ratio.denominator)]
    assert len(names) == len(set(names)) == len(COUNTS) == 14
