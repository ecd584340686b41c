"""The macro-F1 interval per resample, and the paired permutation test of 100k pairs with 1,000 rounds."""

from __future__ import annotations

import numpy as np
from measure import Cost, interleaved, run_function
from setting import Result, Setting
from sklearn.metrics import f1_score
from workloads import texts, workload

from steelyard.aggregate.classification import ConfusionTally
from steelyard.kernels.labels import labels_block
from steelyard.records.blocks import TextColumn
from steelyard.stats.flips import sign_flip_p_value
from steelyard.stats.matrices import LabelCounts, f1_interval


def measure(setting: Setting) -> list[Result]:
    return [_macro_f1(setting), _permutation()]


def _macro_f1(setting: Setting) -> Result:
    predictions, references = texts(workload(setting.folder, "cls", 100_000))
    tally = ConfusionTally()
    tally.update(labels_block(TextColumn.of(references)), labels_block(TextColumn.of(predictions)))
    matrix = tally.confusion().matrix
    padded = np.concatenate([matrix, np.zeros((len(matrix), 1), np.int64)], axis=1)
    truth, guess = np.array(references), np.array(predictions)
    generator, rounds = np.random.default_rng(0), setting.size(5, 2)

    def peer() -> None:
        for _ in range(rounds):
            rows = generator.integers(0, len(truth), len(truth))
            f1_score(truth[rows], guess[rows], average="macro")

    def ours() -> Cost:
        cost = run_function(lambda: f1_interval(LabelCounts.of_matrix(padded), "macro_f1", rounds=1000, seed=0))
        return Cost(cost.seconds / 1000 * rounds)

    costs = interleaved(ours, lambda: run_function(peer), 3)
    return Result("macro-F1 interval, per resample", "scikit-learn in a loop", 100, *costs)


def _permutation() -> Result:
    generator = np.random.default_rng(1)
    differences = np.round(generator.random(100_000), 3) - np.round(generator.random(100_000), 3)

    def peer() -> None:
        observed = abs(differences.mean())
        draws = np.random.default_rng(0)
        hits = 0
        for _ in range(1000):
            signs = draws.integers(0, 2, len(differences)) * 2 - 1
            hits += abs((differences * signs).mean()) >= observed

    costs = interleaved(
        lambda: run_function(lambda: sign_flip_p_value(differences, rounds=1000, seed=0)),
        lambda: run_function(peer),
        3,
    )
    return Result("paired permutation test, 100k pairs, 1,000 rounds", "numpy loop", 40, *costs)
