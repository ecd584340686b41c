"""Whether 95 % intervals hold the truth in 95 % of simulated samples, and tests at 5 % alarm in 5 % of them.

The bounds around 95 % are four standard errors of the simulation, plus what the literature grants the method: the
percentile bootstrap and Wilson's interval are approximate at small n.
"""

import math

import numpy as np
import pytest

from steelyard.stats.binning import ValueCounts
from steelyard.stats.intervals import wilson
from steelyard.stats.matrices import LabelCounts, f1_interval
from steelyard.stats.means import clustered_interval, mean_interval
from steelyard.stats.paired import compare_pairs

pytestmark = pytest.mark.slow
SAMPLES = 600


def share(hits):
    return float(np.mean(hits)), 4 * math.sqrt(0.05 * 0.95 / len(hits))


def holds(interval, truth):
    return interval.low <= truth <= interval.high


@pytest.mark.parametrize("rate", [0.05, 0.3, 0.8])
def test_wilson_covers_rates(rate):
    generator = np.random.default_rng(1)
    found, noise = share([holds(wilson(int(k), 80), rate) for k in generator.binomial(80, rate, 4000)])
    assert found == pytest.approx(0.95, abs=noise + 0.02)


@pytest.mark.parametrize("size", [200, 1500, 6000])
def test_the_bootstrap_covers_means_by_rows_by_groups_and_by_bins(size):
    generator = np.random.default_rng(size)
    truth = 0.7 / (0.7 + 0.4)
    samples = (generator.beta(0.7, 0.4, size) for _ in range(SAMPLES))
    make = (lambda values: ValueCounts(values).interval("bounded", rounds=300)) if size > 4096 else None
    intervals = [make(values) if make else mean_interval(values, kind="bounded", rounds=300) for values in samples]
    found, noise = share([holds(interval, truth) for interval in intervals])
    assert found == pytest.approx(0.95, abs=noise + 0.015)


def test_the_bootstrap_covers_means_of_few_distinct_values():
    generator = np.random.default_rng(3)
    values, chances = np.array([0.0, 0.5, 1.0]), np.array([0.3, 0.1, 0.6])
    counts = generator.multinomial(300, chances, SAMPLES)
    hits = [holds(mean_interval(values, row, kind="bounded", rounds=300), float(values @ chances)) for row in counts]
    found, noise = share(hits)
    assert found == pytest.approx(0.95, abs=noise + 0.015)


def test_counting_clusters_covers_where_counting_items_does_not():
    generator = np.random.default_rng(4)
    clustered, alone = [], []
    for _ in range(SAMPLES):
        chances = generator.beta(2, 2, 120)
        right = generator.binomial(8, chances)
        clustered.append(holds(clustered_interval(right, np.full(120, 8.0), kind="rate"), 0.5))
        alone.append(holds(wilson(int(right.sum()), 960), 0.5))
    found, noise = share(clustered)
    assert found == pytest.approx(0.95, abs=noise + 0.015)
    assert np.mean(alone) < 0.85


def test_the_interval_of_macro_f1_covers_it():
    generator = np.random.default_rng(5)
    chances = np.array([[0.30, 0.06, 0.02, 0.02], [0.05, 0.25, 0.03, 0.01], [0.03, 0.05, 0.17, 0.01]])
    hits = np.diag(chances[:, :3])
    truth = float(np.mean(2 * hits / (chances.sum(axis=1) + chances[:, :3].sum(axis=0))))
    draws = generator.multinomial(500, chances.ravel(), SAMPLES).reshape(-1, 3, 4)
    counts = [LabelCounts.of_matrix(matrix) for matrix in draws]
    found, noise = share([holds(f1_interval(each, "macro_f1", rounds=300), truth) for each in counts])
    assert found == pytest.approx(0.95, abs=noise + 0.015)


@pytest.mark.parametrize("kind", ["rate", "bounded", "unbounded"])
def test_a_paired_comparison_covers_the_difference(kind):
    generator = np.random.default_rng(6)
    binary = kind == "rate"
    hits = []
    for _ in range(SAMPLES):
        ability = generator.beta(2, 1, 250)
        baseline = (generator.random(250) < ability) * 1.0 if binary else ability
        candidate = (generator.random(250) < ability * 0.9) * 1.0 if binary else ability * generator.random(250)
        result = compare_pairs(baseline, candidate, kind=kind, rounds=300)
        truth = 2 / 3 * (-0.1 if binary else -0.5)
        hits.append(result.ci_low <= truth <= result.ci_high)
    found, noise = share(hits)
    assert found == pytest.approx(0.95, abs=noise + 0.02)


@pytest.mark.parametrize("clusters", [None, np.arange(40).repeat(5)])
def test_equal_runs_are_called_different_in_at_most_5_percent_of_samples(clusters):
    generator = np.random.default_rng(7)
    alarms = []
    for _ in range(SAMPLES):
        shift = generator.normal(0, 0.3, 40).repeat(5) if clusters is not None else 0.0
        differences = generator.normal(0, 0.2, 200) + shift
        result = compare_pairs(np.zeros(200), differences, kind="unbounded", clusters=clusters, rounds=400)
        alarms.append(result.p_value <= 0.05)
    found, noise = share(alarms)
    assert found == pytest.approx(0.05, abs=noise)
