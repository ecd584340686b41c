"""Paired statistics of comparisons against scipy, statsmodels and scikit-learn."""

from functools import partial

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import accuracy_score, f1_score
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

from steelyard.comparison.labels import LabelPairs, MatrixMeasure
from steelyard.comparison.means import MeanMeasure
from steelyard.comparison.slices import with_holm
from steelyard.records.blocks import Labels
from steelyard.records.comparisons import Delta, Figure, Paired, SliceRow

ROWS = np.arange(400)


def binary(seed: int) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    baseline = (generator.random(400) < 0.6).astype(float)
    return baseline, np.where(generator.random(400) < 0.2, 1 - baseline, baseline)


@pytest.mark.parametrize("seed", range(5))
def test_mcnemar_is_that_of_statsmodels(seed: int):
    baseline, candidate = binary(seed)
    table = [[np.sum((baseline == a) & (candidate == b)) for b in (0, 1)] for a in (0, 1)]
    paired = MeanMeasure(baseline, candidate).paired(ROWS, ROWS)
    assert paired.p_value == pytest.approx(mcnemar(table, exact=True).pvalue)
    assert (paired.improved, paired.regressed) == (table[0][1], table[1][0])


@pytest.mark.parametrize("seed", range(3))
def test_sign_flips_agree_with_scipy_s_permutation_test(seed: int):
    generator = np.random.default_rng(seed)
    baseline = generator.random(400)
    candidate = np.clip(baseline + generator.normal(0.01, 0.1, 400), 0, 1)
    paired = MeanMeasure(baseline, candidate, kind="bounded").paired(ROWS, ROWS)
    oracle = stats.permutation_test(
        (candidate - baseline,), np.mean, permutation_type="samples", n_resamples=20_000, rng=np.random.default_rng(1)
    )
    # Two draws of 10,000 and 20,000 signs: three standard errors of the difference.
    slack = 3 * np.sqrt(oracle.pvalue * (1 - oracle.pvalue) * (1 / 10_000 + 1 / 20_000)) + 1e-3
    assert abs(paired.p_value - oracle.pvalue) < slack
    assert paired.test == "sign-flip-permutation"


def test_the_interval_is_that_of_random_weights_on_the_differences_and_on_the_worst_one_that_could_be():
    generator = np.random.default_rng(7)
    baseline = generator.random(400)
    differences = np.clip(baseline + generator.normal(0.05, 0.2, 400), 0, 1) - baseline
    paired = MeanMeasure(baseline, baseline + differences, kind="bounded").paired(ROWS, ROWS)
    weights = stats.dirichlet.rvs(np.ones(401), size=20_000, random_state=3)
    low = np.quantile(weights @ np.append(differences, -1.0), 0.025)
    high = np.quantile(weights @ np.append(differences, 1.0), 0.975)
    assert (paired.ci_low, paired.ci_high) == (pytest.approx(low, abs=1e-3), pytest.approx(high, abs=1e-3))


def labels(seed: int) -> tuple[list[str], list[str], list[str]]:
    generator = np.random.default_rng(seed)
    truth = generator.choice(["a", "b", "c", "d"], 400, p=[0.5, 0.3, 0.15, 0.05])
    first = np.where(generator.random(400) < 0.7, truth, generator.choice(["a", "b", "c"], 400))
    second = np.where(generator.random(400) < 0.25, truth, first)
    return truth.tolist(), first.tolist(), second.tolist()


@pytest.mark.parametrize("average", ["macro", "weighted"])
@pytest.mark.parametrize("seed", range(3))
def test_f1_over_classes_is_that_of_scikit_learn(seed: int, average: str):
    truth, first, second = labels(seed)
    pairs = LabelPairs.of((Labels.of(truth), Labels.of(first)), (Labels.of(truth), Labels.of(second)))
    measured = MatrixMeasure(f"{average}_f1", pairs)
    wanted = [f1_score(truth, guess, average=average, zero_division=0) for guess in (first, second)]
    assert [measured.figure(side).value for side in (0, 1)] == pytest.approx(wanted)
    assert measured.paired(ROWS, ROWS).delta == pytest.approx(wanted[1] - wanted[0])
    some = np.arange(0, 400, 3)
    part = f1_score([truth[row] for row in some], [first[row] for row in some], average=average, zero_division=0)
    assert measured.figure(0, some).value == pytest.approx(part)


def test_accuracy_is_that_of_scikit_learn_and_tested_by_mcnemar():
    truth, first, second = labels(0)
    pairs = LabelPairs.of((Labels.of(truth), Labels.of(first)), (Labels.of(truth), Labels.of(second)))
    paired = MatrixMeasure("accuracy", pairs).paired(ROWS, ROWS)
    assert paired.test == "mcnemar-exact"
    assert paired.candidate == pytest.approx(accuracy_score(truth, second))


def test_the_swap_test_agrees_with_swaps_made_one_by_one():
    truth, first, second = (np.array(column) for column in labels(4))
    pairs = LabelPairs.of((Labels.of(truth), Labels.of(first)), (Labels.of(truth), Labels.of(second)))
    observed = abs(f1_score(truth, second, average="macro") - f1_score(truth, first, average="macro"))
    generator = np.random.default_rng(5)
    extreme = 0
    for _ in range(400):
        swap = generator.random(400) < 0.5
        one, two = np.where(swap, second, first), np.where(swap, first, second)
        apart = abs(f1_score(truth, two, average="macro") - f1_score(truth, one, average="macro"))
        extreme += apart >= observed - 1e-12
    p_value = MatrixMeasure("macro_f1", pairs).paired(ROWS, ROWS).p_value
    share = extreme / 400
    assert abs(p_value - share) < 4 * np.sqrt(share * (1 - share) / 400) + 0.01


def test_exchanging_sides_negates_the_difference_of_an_f1_exactly():
    truth, first, second = labels(2)
    one, two = (Labels.of(truth), Labels.of(first)), (Labels.of(truth), Labels.of(second))
    forward = MatrixMeasure("macro_f1", LabelPairs.of(one, two)).paired(ROWS, ROWS)
    backward = MatrixMeasure("macro_f1", LabelPairs.of(two, one)).paired(ROWS, ROWS)
    assert forward.p_value == backward.p_value
    assert forward.ci_low == pytest.approx(-backward.ci_high, abs=1e-12)


def test_equal_guesses_give_no_difference_and_do_not_exclude_what_was_not_seen():
    truth, first, _ = labels(1)
    same = (Labels.of(truth), Labels.of(first))
    paired = MatrixMeasure("macro_f1", LabelPairs.of(same, same)).paired(ROWS, ROWS)
    assert (paired.delta, paired.p_value) == (0.0, 1.0)
    assert paired.ci_high == -paired.ci_low == pytest.approx(1 - 0.025 ** (1 / 400))


@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_an_f1_over_clusters_exchanges_and_draws_whole_clusters(average: str):
    truth, first, second = (np.array(column) for column in labels(6))
    clusters = ROWS // 8
    pairs = LabelPairs.of(*((Labels.of(truth.tolist()), Labels.of(guess.tolist())) for guess in (first, second)))
    paired = MatrixMeasure(f"{average}_f1", pairs).paired(ROWS, ROWS, clusters)
    f1 = partial(f1_score, average=average, zero_division=0)
    observed = f1(truth, second) - f1(truth, first)
    generator = np.random.default_rng(5)
    swapped, drawn = [], []
    for _ in range(300):
        swap = (generator.random(50) < 0.5)[clusters]
        swapped.append(f1(truth, np.where(swap, first, second)) - f1(truth, np.where(swap, second, first)))
        rows = (generator.integers(0, 50, 50)[:, None] * 8 + np.arange(8)).ravel()
        drawn.append(f1(truth[rows], second[rows]) - f1(truth[rows], first[rows]))
    share = float(np.mean(np.abs(swapped) >= abs(observed) - 1e-12))
    assert (paired.delta, paired.units) == (pytest.approx(observed), 50)
    assert abs(paired.p_value - share) < 4 * np.sqrt(share * (1 - share) / 300) + 0.01
    assert paired.standard_error == pytest.approx(np.std(drawn), rel=0.2)


def test_a_guess_that_is_no_answer_is_wrong_for_every_class():
    same = (Labels.of(["a", "b"]), Labels.of(["a", None]))
    measured = MatrixMeasure("macro_f1", LabelPairs.of(same, same))
    assert measured.figure(0).value == pytest.approx(
        f1_score(["a", "b"], ["a", "none"], average="macro", labels=["a", "b"])
    )


def test_holm_over_slices_is_that_of_statsmodels():
    p_values = [0.01, 0.04, 0.03, 0.5]
    rows = [
        SliceRow(f"s{place}", {}, {"b": Delta(0.0, Paired(0.0, None, None, p, "t", 1, 0, 0, 1, None))})
        for place, p in enumerate(p_values)
    ]
    found = with_holm({"one": rows[:2], "two": rows[2:]})
    corrected = [row.deltas["b"].paired.p_holm for listed in found.values() for row in listed]
    assert corrected == pytest.approx(multipletests(p_values, method="holm")[1])


def test_null_items_are_left_out_of_figures_and_pairs():
    measured = MeanMeasure(np.array([1.0, np.nan, 0.0]), np.array([1.0, 1.0, np.nan]))
    assert measured.figure(0) == Figure(2, 0.5)
    assert measured.paired(np.arange(3), np.arange(3)).n == 1
