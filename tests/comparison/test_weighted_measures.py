"""Ratios of counts over two runs: the ratio of sums, not the mean of ratios."""

import math

import numpy as np
import pytest
from scipy import stats

from steelyard.comparison.means import WeightedMeasure

NAN = float("nan")
BASELINE = (np.array([0.5, 1.0, NAN]), np.array([2.0, 8.0, 0.0]))
CANDIDATE = (np.array([1.0, 0.5, NAN]), np.array([2.0, 8.0, 0.0]))
ROWS = np.arange(3)


def test_a_figure_is_the_ratio_of_sums():
    measured = WeightedMeasure("golden_recall", BASELINE, CANDIDATE, "higher")
    assert measured.figure(0).value == 0.9  # (1 + 8) / 10
    assert measured.figure(1).value == 0.6  # (2 + 4) / 10
    assert measured.figure(0).n == 2  # the third item has nothing to weigh


def linearised(baseline: tuple[np.ndarray, np.ndarray], candidate: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Return what each item adds to a difference of two ratios, as sampling theory has it (Cochran, section 6.3)."""
    ratios = [float((values * weights).sum() / weights.sum()) for values, weights in (baseline, candidate)]
    added = [
        (values - ratio) * weights / weights.mean()
        for (values, weights), ratio in zip((baseline, candidate), ratios, strict=True)
    ]
    return added[1] - added[0]


def losses(seed: int, n: int = 400, *, same: bool = True) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
    generator = np.random.default_rng(seed)
    weights = generator.integers(5, 60, n).astype(float)
    others = weights if same else generator.integers(5, 60, n).astype(float)
    first = generator.gamma(2, 0.6, n)
    return (first, weights), (np.abs(first + generator.normal(-0.02, 0.3, n)), others)


@pytest.mark.parametrize("same", [True, False])
def test_delta_error_interval_and_p_are_of_one_statistic(same: bool):
    baseline, candidate = losses(1, same=same)
    rows = np.arange(400)
    paired = WeightedMeasure("eval_loss", baseline, candidate).paired(rows, rows)
    added = linearised(baseline, candidate)
    error = added.std(ddof=1) / math.sqrt(400)
    assert paired.delta == pytest.approx(
        np.average(candidate[0], weights=candidate[1]) - np.average(baseline[0], weights=baseline[1])
    )
    assert paired.standard_error == pytest.approx(error, rel=0.02)
    assert (paired.ci_low, paired.ci_high) == pytest.approx(
        (paired.delta - 1.96 * error, paired.delta + 1.96 * error), abs=0.4 * error
    )
    expected = 2 * stats.norm.sf(abs(paired.delta) / error)
    assert paired.p_value == pytest.approx(expected, abs=0.03)


def test_the_direction_is_that_of_the_weighted_mean_whatever_most_items_say():
    # Nine light items get a little better, one heavy item much worse.
    weights = np.array([1.0] * 9 + [100.0])
    first, second = np.ones(10), np.array([0.9] * 9 + [3.0])
    paired = WeightedMeasure("eval_loss", (first, weights), (second, weights)).paired(np.arange(10), np.arange(10))
    assert paired.delta > 0
    assert (paired.improved, paired.regressed) == (9, 1)
    assert paired.ci_low <= paired.delta <= paired.ci_high


@pytest.mark.parametrize("name", ["eval_loss", "perplexity", "golden_recall"])
@pytest.mark.parametrize("clustered", [False, True])
def test_exchanging_the_runs_changes_signs_only(name: str, clustered: bool):
    baseline, candidate = losses(3, 60, same=False)
    if name == "golden_recall":
        baseline, candidate = (np.minimum(baseline[0], 1), baseline[1]), (np.minimum(candidate[0], 1), candidate[1])
    rows, clusters = np.arange(60), np.arange(60) // 4 if clustered else None
    one = WeightedMeasure(name, baseline, candidate, bounded=name == "golden_recall").paired(rows, rows, clusters)
    two = WeightedMeasure(name, candidate, baseline, bounded=name == "golden_recall").paired(rows, rows, clusters)
    assert one.delta == -two.delta
    assert one.p_value == two.p_value
    assert (one.ci_low, one.ci_high) == pytest.approx((-two.ci_high, -two.ci_low), rel=1e-12)


def test_clusters_widen_the_interval_of_a_ratio():
    generator = np.random.default_rng(5)
    effects = generator.normal(0, 0.5, 30).repeat(8)
    weights, rows = np.full(240, 3.0), np.arange(240)
    measured = WeightedMeasure("eval_loss", (np.full(240, 5.0), weights), (5.0 + effects, weights))
    alone, clustered = measured.paired(rows, rows), measured.paired(rows, rows, np.arange(30).repeat(8))
    assert clustered.units == 30
    assert clustered.ci_high - clustered.ci_low > 2 * (alone.ci_high - alone.ci_low)
    assert clustered.p_value > alone.p_value


def test_perplexity_has_the_p_of_its_loss_and_an_interval_on_the_log_scale():
    baseline, candidate = losses(2)
    rows = np.arange(400)
    loss = WeightedMeasure("eval_loss", baseline, candidate).paired(rows, rows)
    perplexity = WeightedMeasure("perplexity", baseline, candidate).paired(rows, rows)
    first, second = (
        np.exp(np.average(baseline[0], weights=baseline[1])),
        np.exp(np.average(candidate[0], weights=candidate[1])),
    )
    assert perplexity.p_value == loss.p_value
    assert perplexity.delta == pytest.approx(second - first)
    assert perplexity.ci_low <= perplexity.delta <= perplexity.ci_high
    # To first order the ends of a logarithm are those of the loss times the perplexity.
    assert perplexity.ci_low == pytest.approx(loss.ci_low * math.sqrt(first * second), rel=0.01)


def test_a_perplexity_that_overflows_has_no_difference_and_says_so():
    sides = (np.array([800.0, 900.0]), np.ones(2)), (np.array([900.0, 800.0]), np.ones(2))
    paired = WeightedMeasure("perplexity", *sides).paired(np.arange(2), np.arange(2))
    assert (paired.delta, paired.ci_low) == (None, None)
    assert "overflows" in paired.reason


def test_a_claim_that_only_one_run_made_counts_in_that_run():
    baseline = np.array([1.0, NAN]), np.array([2.0, 0.0])
    candidate = np.array([1.0, 0.0]), np.array([2.0, 2.0])
    rows = np.arange(2)
    ratio = WeightedMeasure("citation_precision", baseline, candidate, "higher", bounded=True, weightless=True)
    assert ratio.paired(rows, rows).delta == pytest.approx(-0.5)
    assert WeightedMeasure("eval_loss", baseline, candidate).paired(rows, rows).n == 1


def test_a_lower_rate_is_an_improvement_where_lower_is_better():
    values = np.array([1.0, 0.0]), np.array([1.0, 1.0])
    paired = WeightedMeasure("over_abstention_rate", values, (np.zeros(2), np.ones(2)), "lower").paired(
        np.arange(2), np.arange(2)
    )
    assert (paired.delta, paired.improved, paired.regressed) == (-0.5, 1, 0)
