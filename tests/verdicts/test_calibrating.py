"""A calibration tells how often a gate is wrong: held to plain simulations of models whose truth is known."""

import json

import numpy as np
import pytest
from scipy.stats import binom

from steelyard.errors import UsageError
from steelyard.runs.sealing import seal_derived
from steelyard.verdicts.calibrating import CalibrateOptions, calibrate
from tests.made_runs import make_run

SIMULATIONS = 800
MAX_DROP = "gates: [{metric: score, max_drop: 0.03}]"
NO_DROP = "gates: [{metric: score, no_significant_drop: 0.05}]"


def abilities(seed, n=150):
    """Return how likely each item is answered rightly: some always, some never, some by chance."""
    generator = np.random.Generator(np.random.PCG64(seed))
    return np.clip(generator.beta(3.0, 1.0 + 0.2 * seed, n), 0, 1)


def made_baseline(folder, rights, repeats, seed, **more):
    """Write a run and its repeats, in which each item is right by its own chance."""
    generator = np.random.Generator(np.random.PCG64(1000 + seed))
    for number in range(1, repeats + 1):
        name = "base" if number == 1 else f"base.r{number}"
        make_run(folder / "runs", name, (generator.random(len(rights)) < rights).astype(float), **more)
    if repeats > 1:
        say_repeats(folder / "runs/base", repeats)


def say_repeats(path, repeats):
    """Record beside a run that it was repeated, as an evaluation with repeats does."""
    content = {"repeats": repeats, "metrics": {}, "scorers": ["score@v1"]}
    (path / "eval/repeats.json").write_text(json.dumps(content))
    seal_derived(path)


def calibrated(folder, policy, **more):
    (folder / "gates.yaml").write_text(policy)
    options = {"simulations": SIMULATIONS, **more}
    return calibrate(
        CalibrateOptions(baseline="base", runs_dir=folder / "runs", policy=folder / "gates.yaml", **options)
    )


def equal_pairs(rights, count, seed):
    """Return improved and regressed items of pairs of equal runs, by plain simulation."""
    generator = np.random.Generator(np.random.PCG64(seed))
    first = generator.random((count, len(rights))) < rights
    second = generator.random((count, len(rights))) < rights
    return (second & ~first).sum(axis=1), (first & ~second).sum(axis=1)


def drop_fails(improved, regressed, n):
    return np.round((regressed - improved) / n, 6) > 0.03


def exact_test_fails(improved, regressed, n):
    """Return where the one-sided exact test finds a drop at 5 %."""
    return binom.sf(regressed - 1, improved + regressed, 0.5) < 0.05


@pytest.mark.parametrize(
    "seed", [*range(2), *(pytest.param(seed, marks=pytest.mark.campaign) for seed in range(2, 10))]
)
@pytest.mark.parametrize(("policy", "fails"), [(MAX_DROP, drop_fails), (NO_DROP, exact_test_fails)])
def test_the_false_alarm_of_repeats_is_the_true_one_within_three_hundredths(tmp_path, seed, policy, fails):
    rights = abilities(seed)
    made_baseline(tmp_path, rights, 4, seed)
    found = calibrated(tmp_path, policy)
    truth = fails(*equal_pairs(rights, 20_000, seed), len(rights)).mean()
    assert found.false_alarm.value == pytest.approx(truth, abs=0.03)


@pytest.mark.parametrize("flip_rate", [0.04, 0.15])
def test_the_false_alarm_of_a_stated_flip_rate_is_that_of_coins_thrown_for_flipped_items(tmp_path, flip_rate):
    n = 200
    make_run(tmp_path / "runs", "base", [1.0] * 140 + [0.0] * 60)
    found = calibrated(tmp_path, MAX_DROP, flip_rate=flip_rate)
    generator = np.random.Generator(np.random.PCG64(5))
    flipped = generator.binomial(n, flip_rate, 20_000)
    regressed = generator.binomial(flipped, 0.5)
    truth = drop_fails(flipped - regressed, regressed, n).mean()
    assert found.false_alarm.value == pytest.approx(truth, abs=0.03)
    assert found.flip_rate == pytest.approx(flip_rate, abs=0.005)


def test_worse_runs_are_worse_by_the_stated_drop(tmp_path):
    make_run(tmp_path / "runs", "base", [1.0] * 140 + [0.0] * 60)
    found = calibrated(tmp_path, MAX_DROP, flip_rate=0.05, drop=0.10)
    broken = np.random.Generator(np.random.PCG64(6)).binomial(140, 0.10 / 0.7, 20_000)
    assert found.miss.value == pytest.approx((np.round(broken / 200, 6) <= 0.03).mean(), abs=0.05)


def test_a_gate_that_never_fails_has_no_false_alarm_and_misses_everything(tmp_path):
    make_run(tmp_path / "runs", "base", [1.0] * 40 + [0.0] * 10)
    found = calibrated(tmp_path, "gates: [{metric: score, max_drop: 1.0}]", flip_rate=0.1, simulations=50)
    assert found.false_alarm.count == 0
    assert found.miss.count == 50


def test_the_same_seed_gives_the_same_calibration(tmp_path):
    make_run(tmp_path / "runs", "base", [1.0] * 40 + [0.0] * 10)
    first, second = (calibrated(tmp_path, MAX_DROP, flip_rate=0.1, simulations=60, seed=3) for _ in range(2))
    assert first == second


def test_a_classification_keeps_its_true_labels_and_draws_guesses(tmp_path):
    truth = ["a"] * 30 + ["b"] * 30
    guess = ["a"] * 25 + ["b"] * 30 + ["a"] * 5
    right = [float(one == other) for one, other in zip(truth, guess, strict=True)]
    make_run(tmp_path / "runs", "base", right, classes=(truth, guess))
    found = calibrated(tmp_path, "gates: [{metric: macro_f1, max_drop: 0.05}]", flip_rate=0.1, simulations=40)
    assert 0 < found.miss.count < 40


def test_clustered_repeats_move_together(tmp_path):
    n, size = 40, 5
    generator = np.random.Generator(np.random.PCG64(8))
    clusters = [f"c{row // size}" for row in range(n * size)]
    for name in ("base", "base.r2"):
        make_run(tmp_path / "runs", name, np.repeat(generator.integers(0, 2, n), size).astype(float), clusters=clusters)
    say_repeats(tmp_path / "runs/base", 2)
    found = calibrated(tmp_path, MAX_DROP, simulations=400)
    assert found.false_alarm.value > 0.3  # 40 coins thrown, not 200: a drop beyond 0.03 is common


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({}, "has no repeats"),
        ({"flip_rate": 0.9}, "cannot change on these items"),
        ({"flip_rate": 1.5}, "expected a share"),
        ({"flip_rate": 0.1, "drop": 0.9}, "cannot drop by 0.9"),
        ({"flip_rate": 0.1, "simulations": 0}, "expected 1 or more"),
    ],
)
def test_what_cannot_be_imagined_is_refused(tmp_path, more, says):
    make_run(tmp_path / "runs", "base", [1.0] * 40 + [0.0] * 10)
    with pytest.raises(UsageError, match=says):
        calibrated(tmp_path, MAX_DROP, **more)
