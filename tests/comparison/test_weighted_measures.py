"""Ratios of counts over two runs: the ratio of sums, not the mean of ratios."""

import numpy as np
import pytest

from steelyard.comparison.measures import WeightedMeasure

NAN = float("nan")
BASELINE = (np.array([0.5, 1.0, NAN]), np.array([2.0, 8.0, 0.0]))
CANDIDATE = (np.array([1.0, 0.5, NAN]), np.array([2.0, 8.0, 0.0]))
ROWS = np.arange(3)


def test_a_figure_is_the_ratio_of_sums():
    measured = WeightedMeasure("golden_recall", BASELINE, CANDIDATE, "higher")
    assert measured.figure(0).value == 0.9  # (1 + 8) / 10
    assert measured.figure(1).value == 0.6  # (2 + 4) / 10
    assert measured.figure(0).n == 2  # the third item has nothing to weigh


def test_a_difference_has_an_interval_where_the_weights_agree():
    paired = WeightedMeasure("golden_recall", BASELINE, CANDIDATE, "higher").paired(ROWS, ROWS)
    assert paired.delta == pytest.approx(-0.3)
    assert (paired.improved, paired.regressed) == (1, 1)
    # Two items: drawing one of them twice gives the two ends, +0.5 and -0.5.
    assert (paired.ci_low, paired.ci_high) == (pytest.approx(-0.5), pytest.approx(0.5))


def test_where_the_weights_differ_there_is_a_difference_and_a_reason():
    other = (CANDIDATE[0], np.array([4.0, 8.0, 0.0]))
    paired = WeightedMeasure("evidence_coverage_rate", BASELINE, other, "higher").paired(ROWS, ROWS)
    assert paired.delta == pytest.approx(8 / 12 - 0.9)
    assert (paired.ci_low, bool(paired.reason)) == (None, True)


def test_a_lower_rate_is_an_improvement_where_lower_is_better():
    values = np.array([1.0, 0.0]), np.array([1.0, 1.0])
    paired = WeightedMeasure("over_abstention_rate", values, (np.zeros(2), np.ones(2)), "lower").paired(
        np.arange(2), np.arange(2)
    )
    assert (paired.delta, paired.improved, paired.regressed) == (-0.5, 1, 0)
