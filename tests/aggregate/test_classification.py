"""Classification figures from the matrix, against scikit-learn; what is outside the labels stays outside."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sklearn_metrics

from steelyard.aggregate.classification import ConfusionTally, figures, unavailable
from steelyard.records.blocks import Labels
from steelyard.records.plans import CLASSIFICATION_METRICS

NAMES = ["b", "a", "ä", "c c"]
PAIRS = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), min_size=1, max_size=60)


def tally(pairs):
    found = ConfusionTally()
    found.update(Labels.of([true for true, _ in pairs]), Labels.of([guess for _, guess in pairs]))
    return found


@pytest.mark.filterwarnings("ignore:A single label was found")
@given(PAIRS)
def test_every_figure_equals_scikit_learn(pairs):
    truth, guess = zip(*pairs, strict=True)
    ours = figures(tally(pairs).confusion(), CLASSIFICATION_METRICS)
    labels = sorted({*truth, *guess})
    precision, recall, f1, support = sklearn_metrics.precision_recall_fscore_support(
        truth, guess, labels=labels, zero_division=0
    )
    assert ours["accuracy"] == sklearn_metrics.accuracy_score(truth, guess)
    for name, theirs in (("precision", precision), ("recall", recall), ("f1", f1)):
        assert ours[f"{name}_per_class"] == pytest.approx(dict(zip(labels, theirs.tolist(), strict=True)), abs=1e-15)
    assert ours["support"] == dict(zip(labels, support.tolist(), strict=True))
    for average in ("macro", "weighted"):
        theirs = sklearn_metrics.f1_score(truth, guess, average=average, zero_division=0)
        assert ours[f"{average}_f1"] == pytest.approx(theirs, abs=1e-15)
    assert ours["confusion_matrix"] == sklearn_metrics.confusion_matrix(truth, guess, labels=labels).tolist()


@given(PAIRS, st.integers(0, 60))
def test_merged_tallies_equal_the_whole(pairs, cut):
    first, second = tally(pairs[:cut]), tally(pairs[cut:])
    second.merge(first)
    assert second.pairs == tally(pairs).pairs


def test_no_answer_and_an_answer_outside_the_choices_have_columns_of_their_own():
    confusion = tally([("yes", "yes"), ("yes", None), ("no", "maybe"), ("no", "no")]).confusion(["yes", "no"])
    assert confusion.labels == ("no", "yes")
    assert confusion.columns == ("no", "yes", "_invalid", "_unanswered")
    assert confusion.matrix.tolist() == [[1, 0, 1, 0], [0, 1, 0, 1]]


def test_unanswered_items_stay_in_the_denominator():
    ours = figures(tally([("a", "a"), ("a", None), ("b", "b")]).confusion(), ["accuracy", "recall_per_class"])
    assert ours == {"accuracy": 2 / 3, "recall_per_class": {"a": 0.5, "b": 1.0}}


def test_a_guess_that_no_reference_has_is_a_label_where_none_are_declared():
    # scikit-learn does the same: macro averages over labels in truth or prediction.
    truth, guess = ["a", "a"], ["a", "z"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = sklearn_metrics.f1_score(truth, guess, average="macro", zero_division=0)
    assert figures(tally(list(zip(truth, guess, strict=True))).confusion(), ["macro_f1"])["macro_f1"] == theirs


def test_an_empty_matrix_has_no_figures():
    assert figures(ConfusionTally().confusion(), ["accuracy", "macro_f1", "weighted_f1"]) == {
        "accuracy": None,
        "macro_f1": None,
        "weighted_f1": None,
    }


def test_some_rows_of_a_block_are_counted_alone():
    found = ConfusionTally()
    found.update(Labels.of(["a", "b", "a"]), Labels.of(["a", "a", None]), np.array([True, False, True]))
    assert dict(found.pairs) == {("a", "a"): 1, ("a", None): 1}


def test_labels_named_like_our_own_columns_stay_labels():
    confusion = tally([("_unanswered", "_unanswered"), ("a", None), ("a", "_invalid")]).confusion()
    assert confusion.labels == ("_invalid", "_unanswered", "a")
    assert confusion.columns == ("_invalid", "_unanswered", "a", "_unanswered")
    assert confusion.matrix.tolist() == [[0, 0, 0, 0], [0, 1, 0, 0], [1, 0, 0, 1]]


def test_free_text_in_place_of_labels_costs_cells_and_not_a_square():
    size = 60_000
    pairs = [("yes" if row % 2 else "no", f"answer number {row}" if row % 3 else "yes") for row in range(size)]
    confusion = tally(pairs).confusion()
    found = figures(confusion, ["accuracy", "macro_f1", "confusion_matrix"])
    assert found["accuracy"] == sum(true == guess for true, guess in pairs) / size
    assert found["confusion_matrix"] is None
    assert "labels" in unavailable(confusion, ["confusion_matrix"])["confusion_matrix"]
