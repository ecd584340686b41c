"""Repeats read as one run: items are the units, and each counts with the mean of its repeats."""

import numpy as np
import pytest
from sklearn.metrics import f1_score

from steelyard.runs.repeated import with_repeats
from steelyard.runs.stored import measured, open_run
from steelyard.stats.paired import compare_pairs
from tests.made_runs import make_repeats, make_run


def opened(folder, name):
    return with_repeats(open_run(folder, name))


def test_an_item_is_the_mean_of_its_repeats_and_counts_once(tmp_path):
    make_repeats(tmp_path, "a", [[1, 0, 0], [1, 1, 0], [1, 1, 0]])
    run = opened(tmp_path, "a")
    assert run.columns.number("f1") == pytest.approx([1, 2 / 3, 0])
    figure = run.figure("f1")
    assert (figure.n, figure.value) == (3, pytest.approx(5 / 9))


def test_items_are_paired_though_repeats_have_them_in_another_order(tmp_path):
    make_repeats(tmp_path, "a", [[1, 0], [0, 1]], each=[{"ids": ["x", "y"]}, {"ids": ["y", "x"]}])
    assert opened(tmp_path, "a").columns.number("f1").tolist() == [1, 0]


def test_silence_in_one_repeat_is_not_hidden_by_the_others(tmp_path):
    nan = float("nan")
    each = [
        {"numbers": {"mae": np.array([1.0, 2.0, 3.0])}},
        {"numbers": {"mae": np.array([3.0, nan, nan])}, "states": ["scored", "missing", "scored"]},
    ]
    make_repeats(tmp_path, "a", [[1, 1, 1], [1, 0, 1]], each=each)
    columns = opened(tmp_path, "a").columns
    # The second item was not answered; the third was, and has nothing that could be far off.
    assert columns.number("mae") == pytest.approx([2, nan, 3], nan_ok=True)
    states = columns.states()
    assert [states.names[code] for code in states.codes] == ["scored", "missing", "scored"]


def test_an_f1_over_classes_is_that_of_all_guesses(tmp_path):
    generator = np.random.default_rng(1)
    truth = generator.choice(["p", "q", "r"], 60).tolist()
    guesses = [generator.choice(["p", "q", "r"], 60).tolist() for _ in range(3)]
    each = [{"classes": (truth, own)} for own in guesses]
    scores = [np.equal(truth, own).astype(float) for own in guesses]
    make_repeats(tmp_path, "a", scores, each=each)
    make_run(tmp_path, "b", scores[0], classes=(truth, guesses[0]))
    own = measured("macro_f1", opened(tmp_path, "a"), opened(tmp_path, "b"))
    pooled = f1_score(truth * 3, [label for own in guesses for label in own], average="macro")
    assert own.figure(0).value == pytest.approx(pooled)
    rows = np.arange(60)
    found = own.paired(rows, rows)
    assert found.delta == pytest.approx(f1_score(truth, guesses[0], average="macro") - pooled)
    back = measured("macro_f1", opened(tmp_path, "b"), opened(tmp_path, "a")).paired(rows, rows)
    assert (back.delta, back.ci_low, back.ci_high) == pytest.approx((-found.delta, -found.ci_high, -found.ci_low))
    assert (found.n, found.units, back.p_value) == (60, 60, found.p_value)


def test_three_repeats_show_more_than_one_and_not_as_much_as_three_times_the_items():
    """The width of an interval falls with the noise within items, and never below that between them."""
    generator = np.random.default_rng(7)
    rates = generator.beta(2, 2, 400)
    first, second = (generator.random((3, 400)) < rates for _ in range(2))
    alone = compare_pairs(first[0].astype(float), second[0].astype(float), kind="rate")
    averaged = compare_pairs(first.mean(axis=0), second.mean(axis=0), kind="bounded")
    ratio = averaged.standard_error / alone.standard_error
    assert ratio == pytest.approx(1 / np.sqrt(3), rel=0.15)
