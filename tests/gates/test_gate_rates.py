"""The gate itself, tried on runs whose truth is known: how often it fails equal runs, and how often it finds a drop."""

import numpy as np
import pytest

from steelyard.comparison.means import MeanMeasure
from steelyard.gates.decisions import decide_all
from steelyard.records.comparisons import Figure
from steelyard.records.gates import Evidence, MetricRule

PAIRS = 2000
ITEMS = 1000
CHANGED = 0.15
RULE = MetricRule(metric="f1", limit="no_significant_drop", value=0.05)
ROWS = np.arange(ITEMS)


def runs(generator: np.random.Generator, drop: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the 0/1 scores of two runs of which 15 % of the items change, `drop` more of them for the worse."""
    baseline = (generator.random(ITEMS) < 0.6).astype(float)
    fate = generator.random(ITEMS)
    lost, gained = (CHANGED + drop) / 2, (CHANGED - drop) / 2
    # Rates are of all items, and only a right item can be lost, only a wrong one gained.
    candidate = np.where((baseline == 1) & (fate < lost / 0.6), 0.0, baseline)
    return baseline, np.where((baseline == 0) & (fate < gained / 0.4), 1.0, candidate)


def failing(generator: np.random.Generator, drops: list[float]) -> np.ndarray:
    """Return which gates of a policy fail: one gate per slice, Holm over all of them."""
    cases = []
    for drop in drops:
        baseline, candidate = runs(generator, drop)
        paired = MeanMeasure(baseline, candidate).paired(ROWS, ROWS)
        figure = Figure(ITEMS, paired.candidate)
        evidence = Evidence(task="t", title="gate", metric="f1", direction="higher", candidate=figure, paired=paired)
        cases.append((RULE, evidence))
    return np.array([entry.outcome == "fail" for entry in decide_all(cases)])


@pytest.mark.slow
def test_a_drop_gate_holds_its_level_and_finds_a_drop(capsys):
    generator = np.random.default_rng(20240131)
    equal = np.mean([failing(generator, [0.0])[0] for _ in range(PAIRS)])
    dropped = np.mean([failing(generator, [0.05])[0] for _ in range(PAIRS)])
    with capsys.disabled():
        print(f"\n  no_significant_drop 0.05: fails {equal:.4f} of equal pairs, {dropped:.4f} of 5-point drops")
    assert equal <= 0.05
    assert dropped >= 0.95


@pytest.mark.slow
def test_slice_gates_hold_the_level_together_and_find_a_drop_in_one(capsys):
    generator = np.random.default_rng(20240201)
    equal = np.mean([failing(generator, [0.0, 0.0, 0.0]).any() for _ in range(PAIRS)])
    dropped = np.mean([failing(generator, [0.05, 0.0, 0.0])[0] for _ in range(PAIRS)])
    with capsys.disabled():
        print(f"\n  three slices with Holm: fails {equal:.4f} of equal pairs, {dropped:.4f} of drops in one slice")
    assert equal <= 0.05
    assert dropped >= 0.95
