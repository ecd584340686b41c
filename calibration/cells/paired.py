"""Paired differences: how often the interval holds the truth, and the test sees what is not there."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from calibration.cell import Cell, Simulate
from calibration.scores import EXPONENTIAL, F1_LIKE, NEAR_ONE, SKEWED, Pairs, Population, rate_pairs, score_pairs
from steelyard.stats.paired import PairedKind, compare_pairs

GROUP = "two runs"
ROUNDS = 1000
"""Of the product's 10,000: the interval's own noise is then three times larger, which the limits bear."""

Draw = Callable[[np.random.Generator, int], Pairs]


def covers(draw: Draw, kind: PairedKind) -> Simulate:
    """Return a simulation of how often the interval holds the true difference."""

    def simulate(generator: np.random.Generator, simulations: int) -> int:
        made = draw(generator, simulations)
        held = 0
        for first, second in zip(made.baseline, made.candidate, strict=True):
            found = compare_pairs(first, second, kind=kind, clusters=made.clusters, rounds=ROUNDS)
            held += found.ci_low is not None and found.ci_low <= made.delta <= found.ci_high
        return held

    return simulate


def alarms(draw: Draw, kind: PairedKind, level: float = 0.05) -> Simulate:
    """Return a simulation of how often a two-sided test at a level finds a difference where there is none."""

    def simulate(generator: np.random.Generator, simulations: int) -> int:
        made = draw(generator, simulations)
        pairs = zip(made.baseline, made.candidate, strict=True)
        return sum(
            compare_pairs(*pair, kind=kind, clusters=made.clusters, rounds=ROUNDS).p_value < level for pair in pairs
        )

    return simulate


def rates(n: int, regress: float, fix: float) -> Draw:
    """Return paired 0/1 scores."""
    return lambda generator, count: rate_pairs(generator, (count, n), regress=regress, fix=fix)


def scores(n: int, population: Population, changed: float) -> Draw:
    """Return paired scores of a population, some drawn anew."""
    return lambda generator, count: score_pairs(generator, (count, n), population, changed=changed)


def clustered(groups: int, size: int) -> Draw:
    """Return paired 0/1 scores in clusters that change together."""

    def draw(generator: np.random.Generator, count: int) -> Pairs:
        rights = (generator.random((2, count, groups)) < 0.7).astype(float)
        noisy = generator.random((2, count, groups, size)) < 0.2
        values = np.where(noisy, generator.random(noisy.shape) < 0.7, rights[..., None]).reshape(
            2, count, groups * size
        )
        return Pairs(values[0], values[1], 0.0, np.repeat(np.arange(groups), size))

    return draw


CELLS = (
    *(
        Cell(
            GROUP,
            f"0/1, n {n}, {regress:g} regress, {fix:g} fixed",
            "95 % interval covers",
            "at least",
            0.94,
            covers(rates(n, regress, fix), "rate"),
        )
        for n, regress, fix in ((20, 0.10, 0.10), (100, 0.02, 0.02), (100, 0.08, 0.02), (1000, 0.05, 0.05))
    ),
    Cell(GROUP, "0/1, 20 clusters of 5", "95 % interval covers", "at least", 0.92, covers(clustered(20, 5), "rate")),
    *(
        Cell(
            GROUP,
            f"{population.name}, n {n}",
            "95 % interval covers",
            "at least",
            0.92,
            covers(scores(n, population, 0.5), population.kind),
        )
        for population, n in (
            (F1_LIKE, 20),
            (F1_LIKE, 100),
            (NEAR_ONE, 20),
            (NEAR_ONE, 100),
            (SKEWED, 50),
            (EXPONENTIAL, 50),
        )
    ),
    Cell(GROUP, "0/1, n 100, McNemar", "false alarm at 5 %", "at most", 0.05, alarms(rates(100, 0.1, 0.1), "rate")),
    Cell(
        GROUP,
        "f1-like, n 20, sign flips",
        "false alarm at 5 %",
        "at most",
        0.05,
        alarms(scores(20, F1_LIKE, 0.5), "bounded"),
    ),
    Cell(
        GROUP,
        "f1-like, n 100, sign flips",
        "false alarm at 5 %",
        "at most",
        0.05,
        alarms(scores(100, F1_LIKE, 0.5), "bounded"),
    ),
    Cell(
        GROUP,
        "0/1, 20 clusters of 5, sign flips",
        "false alarm at 5 %",
        "at most",
        0.05,
        alarms(clustered(20, 5), "rate"),
    ),
)
