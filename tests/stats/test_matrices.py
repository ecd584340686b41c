"""Intervals of classification metrics from the matrix, against scikit-learn on resampled rows."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, f1_score

from steelyard.stats import bootstrap_matrix
from steelyard.stats.matrices import _Cells

MATRICES = st.integers(1, 5).flatmap(
    lambda size: st.lists(
        st.lists(st.integers(0, 6), min_size=size + 1, max_size=size + 1), min_size=size, max_size=size
    )
)


def rows_of(matrix):
    cells = [(true, guess) for true, row in enumerate(matrix) for guess, count in enumerate(row) for _ in range(count)]
    return np.array(cells).reshape(-1, 2).T


def by_scikit_learn(true, guess, statistic, labels):
    if statistic == "accuracy":
        return accuracy_score(true, guess)
    average = statistic.removesuffix("_f1")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # labels that a resample lacks
        return f1_score(true, guess, labels=labels, average=average, zero_division=0)


@given(MATRICES, st.sampled_from(["macro_f1", "weighted_f1", "accuracy"]))
def test_the_statistic_of_a_matrix_equals_scikit_learn(matrix, statistic):
    array = np.array(matrix)
    true, guess = rows_of(matrix)
    if len(true) == 0:
        return
    truths, guesses = np.nonzero(array)
    cells, counts = _Cells(truths, guesses, len(array)), array[truths, guesses]
    labels = [label for label in range(len(matrix)) if label in true or label in guess]
    expected = by_scikit_learn(true, guess, statistic, labels)
    assert cells.statistic(counts[:, None], statistic)[0] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("statistic", ["macro_f1", "weighted_f1", "accuracy"])
def test_the_interval_agrees_with_scikit_learn_on_drawn_rows(statistic):
    matrix = [[30, 5, 2, 1], [4, 20, 6, 0], [1, 3, 9, 2]]
    true, guess = rows_of(matrix)
    generator = np.random.default_rng(0)
    draws = []
    for _ in range(400):
        rows = generator.integers(0, len(true), len(true))
        draws.append(by_scikit_learn(true[rows], guess[rows], statistic, [0, 1, 2]))
    ours = bootstrap_matrix(matrix, statistic, rounds=10_000)
    low, high = np.quantile(draws, [0.025, 0.975])
    assert (ours.low, ours.high) == pytest.approx((low, high), abs=0.3 * np.std(draws))


def test_the_same_seed_gives_the_same_interval_and_another_seed_another():
    matrix = [[30, 5, 0], [4, 20, 1]]
    assert bootstrap_matrix(matrix, "macro_f1", seed=1) == bootstrap_matrix(matrix, "macro_f1", seed=1)
    assert bootstrap_matrix(matrix, "macro_f1", seed=1) != bootstrap_matrix(matrix, "macro_f1", seed=2)


def test_an_empty_matrix_has_no_interval():
    assert bootstrap_matrix([[0, 0]], "macro_f1").reason == "no values"


def test_one_full_cell_is_degenerate():
    interval = bootstrap_matrix([[7, 0]], "accuracy")
    assert (interval.low, interval.high, interval.method) == (1.0, 1.0, "degenerate")


@pytest.mark.parametrize("matrix", [[[1, 2], [3, 4]], [[1, -1]]])
def test_what_is_no_confusion_matrix_is_refused(matrix):
    with pytest.raises(ValueError, match=r"confusion matrix|negative"):
        bootstrap_matrix(matrix, "accuracy")
