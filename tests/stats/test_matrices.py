"""Intervals of F1 over classes from label counts, against scikit-learn and against simulated truth."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score

from steelyard.stats.matrices import LabelCounts, f1_figures, f1_interval

MATRICES = st.integers(1, 5).flatmap(
    lambda size: st.lists(
        st.lists(st.integers(0, 6), min_size=size + 1, max_size=size + 1), min_size=size, max_size=size
    )
)
BOTH = pytest.mark.parametrize("name", ["macro_f1", "weighted_f1"])


def rows_of(matrix):
    cells = [(true, guess) for true, row in enumerate(matrix) for guess, count in enumerate(row) for _ in range(count)]
    return np.array(cells).reshape(-1, 2).T


def by_scikit_learn(true, guess, name, labels):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # labels that were never answered
        return f1_score(true, guess, labels=labels, average=name.removesuffix("_f1"), zero_division=0)


def figure(matrix, name):
    return float(f1_figures(name, *(column.astype(float) for column in LabelCounts.of_matrix(matrix).columns)))


def perfect(classes, each):
    return np.concatenate([np.eye(classes, dtype=int) * each, np.zeros((classes, 1), int)], axis=1)


@BOTH
@given(MATRICES)
def test_the_figure_of_label_counts_equals_scikit_learn(name, matrix):
    true, guess = rows_of(matrix)
    if len(true) == 0:
        return
    labels = [label for label in range(len(matrix)) if label in true or label in guess]
    assert figure(matrix, name) == pytest.approx(by_scikit_learn(true, guess, name, labels), abs=1e-12)


@BOTH
@given(MATRICES)
def test_an_interval_holds_the_figure_has_width_and_stays_between_0_and_1(name, matrix):
    if np.sum(matrix) == 0:
        return
    found = f1_interval(LabelCounts.of_matrix(matrix), name, rounds=50)
    assert 0 <= found.low <= figure(matrix, name) <= found.high <= 1
    assert found.low < found.high


@BOTH
def test_with_many_items_a_class_the_interval_is_that_of_scikit_learn_on_drawn_rows(name):
    matrix = [[900, 150, 60, 30], [120, 600, 180, 0], [30, 90, 270, 60]]
    true, guess = rows_of(matrix)
    generator = np.random.default_rng(0)
    draws = []
    for _ in range(300):
        rows = generator.integers(0, len(true), len(true))
        draws.append(by_scikit_learn(true[rows], guess[rows], name, [0, 1, 2]))
    found = f1_interval(LabelCounts.of_matrix(matrix), name, rounds=10_000)
    # Basic ends: the quantiles of drawn rows, turned around the figure.
    low, high = 2 * figure(matrix, name) - np.quantile(draws, [0.975, 0.025])
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.35 * np.std(draws))


@BOTH
def test_a_perfect_run_has_an_interval_that_ends_at_1_and_holds_what_so_many_items_leave_open(name):
    found = f1_interval(LabelCounts.of_matrix(perfect(50, 2)), name)
    assert found.high == 1.0
    # 1 - 0.025^(1/100) = 3.62 %: so frequent can an error be that none of 100 items shows.
    assert 0.85 < found.low <= 1 - 0.0362


def test_a_model_that_is_always_wrong_has_an_interval_that_begins_at_0():
    matrix = [[0, 50, 0], [50, 0, 0]]
    found = f1_interval(LabelCounts.of_matrix(matrix), "macro_f1")
    assert found.low == 0.0
    assert 0.036 <= found.high < 0.2


def test_the_same_seed_gives_the_same_interval_and_another_seed_another():
    counts = LabelCounts.of_matrix([[30, 5, 0], [4, 20, 1]])
    assert f1_interval(counts, "macro_f1", seed=1) == f1_interval(counts, "macro_f1", seed=1)
    assert f1_interval(counts, "macro_f1", seed=1) != f1_interval(counts, "macro_f1", seed=2)


def test_clusters_widen_the_interval_and_name_the_method():
    counts = LabelCounts.of_matrix([[60, 10, 0], [8, 40, 2]])
    alone, together = f1_interval(counts, "macro_f1"), f1_interval(counts, "macro_f1", clusters=(4.0, 24))
    assert together.high - together.low > 1.6 * (alone.high - alone.low)
    assert (alone.method, together.method) == ("bootstrap-smoothed", "bootstrap-smoothed-design-effect")


def test_a_single_cluster_and_no_items_at_all_have_no_interval():
    assert f1_interval(LabelCounts.of_matrix([[7, 1]]), "macro_f1", clusters=(1.0, 1)).reason.startswith("a single")
    assert f1_interval(LabelCounts.of_matrix([[0, 0]]), "macro_f1").reason == "no values"


def test_a_label_that_nobody_gave_changes_nothing():
    with_it = LabelCounts.of_matrix([[30, 5, 0, 0], [4, 20, 0, 1], [0, 0, 0, 0]])
    assert f1_interval(with_it, "macro_f1") == f1_interval(LabelCounts.of_matrix([[30, 5, 0], [4, 20, 1]]), "macro_f1")


@pytest.mark.parametrize("matrix", [[[1, 2], [3, 4]], [[1, -1]]])
def test_what_is_no_confusion_matrix_is_refused(matrix):
    with pytest.raises(ValueError, match=r"confusion matrix|negative"):
        LabelCounts.of_matrix(matrix)


@pytest.mark.slow
@BOTH
@pytest.mark.parametrize(("classes", "n"), [(50, 300), (150, 1000)])
def test_the_interval_over_many_classes_holds_the_truth(name, classes, n):
    generator = np.random.default_rng(classes)
    chances = made_truth(generator, classes)
    hits, support, guessed = np.diag(chances), chances.sum(axis=1), chances[:, :-1].sum(axis=0)
    truth = float(f1_figures(name, support, guessed, hits))
    samples = generator.multinomial(n, chances.ravel(), 400).reshape(-1, *chances.shape)
    found = [f1_interval(LabelCounts.of_matrix(sample), name, rounds=200) for sample in samples]
    held = np.mean([interval.low <= truth <= interval.high for interval in found])
    assert held >= 0.92 - 3 * np.sqrt(0.92 * 0.08 / 400)


def made_truth(generator, classes):
    """Return how often each pair of true and predicted label comes: even classes of 50 to 95 % right answers."""
    right = generator.uniform(0.5, 0.95, classes)
    wrong = generator.dirichlet(np.full(classes, 0.3), classes) * (1 - np.eye(classes))
    wrong *= ((1 - right) / wrong.sum(axis=1))[:, None]
    return np.concatenate([(np.diag(right) + wrong) / classes, np.zeros((classes, 1))], axis=1)
