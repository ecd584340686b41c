"""Drift: how far a metric moved over the items that have a value in both runs."""

import numpy as np
import pytest

from steelyard.comparison.changes import drift_report, drift_row
from steelyard.comparison.means import MeanMeasure, WeightedMeasure

NONE = float("nan")
ROWS = np.arange(4)


def test_an_error_does_not_fall_by_leaving_out_what_is_hard():
    errors = MeanMeasure(np.array([0.0, 0.0, 0.0, 4.0]), np.array([0.0, 0.0, 1.0, NONE]), "lower", "unbounded")
    row = drift_row(errors, "lower", ROWS, ROWS)
    assert (row["baseline"], row["current"], row["n"], row["regressed"]) == (0.0, pytest.approx(1 / 3), 3, 1)


def test_a_loss_is_over_the_items_that_have_one_in_both_runs():
    tokens = np.array([1.0, 1.0, 1.0, 1.0])
    sides = (np.array([1.0, 1.0, 1.0, 9.0]), tokens), (np.array([1.0, 1.0, 1.0, NONE]), tokens)
    row = drift_row(WeightedMeasure("eval_loss", *sides), "lower", ROWS, ROWS)
    assert (row["baseline"], row["current"], row["n"]) == (1.0, 1.0, 3)


def test_runs_with_primary_scores_of_two_names_drift_in_what_they_share():
    f1 = MeanMeasure(np.ones(4), np.zeros(4))
    pairing = type("Pairing", (), {"baseline_rows": ROWS, "candidate_rows": ROWS})()
    found = drift_report({"f1": (f1, "higher")}, "answer_correctness", ["lang"], pairing, (None, None))
    assert (found["metrics"]["f1"]["delta"], found["tags"], found["slices"]) == (-1.0, {}, {})
