"""Single runs: how often the interval of a figure holds the figure of endlessly many items."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from calibration.cell import Cell, Simulate
from calibration.scores import (
    EXPONENTIAL,
    F1_LIKE,
    NEAR_ONE,
    RARE,
    SKEWED,
    Classes,
    Floats,
    Generator,
    Population,
    clustered_rates,
    clustered_scores,
    rate,
)
from steelyard.records.scores import ValueKind
from steelyard.stats.intervals import Interval
from steelyard.stats.matrices import LabelCounts, f1_interval
from steelyard.stats.means import clustered_interval, mean_interval

GROUP = "one run"
COVERS = "95 % interval covers"
ALIKE = 0.3
"""How alike the items of a cluster are: the correlation inside it."""

Draw = Callable[[Generator], Floats]
Intervals = Callable[[Generator, int], Iterator[Interval]]
"""Yields the intervals of so many made runs."""


def covers(intervals: Intervals, truth: float) -> Simulate:
    """Return a simulation of how often an interval holds the truth."""

    def simulate(generator: Generator, simulations: int) -> int:
        found = ((entry.low, entry.high) for entry in intervals(generator, simulations))
        return sum(low is not None and high is not None and low <= truth <= high for low, high in found)

    return simulate


def means(population: Population, n: int, kind: ValueKind) -> Intervals:
    """Return the intervals of means of independent items."""
    return lambda generator, count: (
        mean_interval(scores, kind=kind) for scores in population.draw(generator, (count, n))
    )


def clustered(draw: Draw, size: int, kind: ValueKind) -> Intervals:
    """Return the intervals of means over items in clusters, of which `draw` gives a row for each."""

    def intervals(generator: Generator, count: int) -> Iterator[Interval]:
        for _ in range(count):
            sums = draw(generator).sum(axis=1)
            yield clustered_interval(sums, np.full(len(sums), float(size)), kind=kind)

    return intervals


def classes(made: Classes, n: int, name: str) -> Intervals:
    """Return the intervals of an F1 over classes."""
    return lambda generator, count: (f1_interval(LabelCounts(*made.draw(generator, n)), name) for _ in range(count))


def _mean(population: Population, n: int, kind: ValueKind, limit: float = 0.92) -> Cell:
    case = f"{population.name}, n {n}"
    return Cell(GROUP, case, COVERS, "at least", limit, covers(means(population, n, kind), population.mean))


def _f1(count: int, n: int, name: str) -> Cell:
    made = Classes(count)
    case = f"{name.replace('_f1', '')} F1, {count} classes, n {n:,}"
    return Cell(GROUP, case, COVERS, "at least", 0.92, covers(classes(made, n, name), made.truth(name)))


def _clustered(population: Population, groups: int, size: int, draw: Draw) -> Cell:
    case, kind = f"{population.name}, {groups} clusters of {size}", population.kind
    return Cell(GROUP, case, COVERS, "at least", 0.92, covers(clustered(draw, size, kind), population.mean))


CELLS: tuple[Cell, ...] = (
    _mean(rate(0.9), 20, "rate"),
    _clustered(rate(0.9), 20, 5, lambda generator: clustered_rates(generator, 20, 5, 0.9, ALIKE)),
    _mean(F1_LIKE, 20, "bounded"),
    _clustered(F1_LIKE, 20, 5, lambda generator: clustered_scores(generator, F1_LIKE, 20, 5)),
    _mean(NEAR_ONE, 20, "bounded"),
    _mean(RARE, 20, "bounded"),
    _mean(EXPONENTIAL, 20, "amount"),
    _mean(SKEWED, 50, "amount"),
    _f1(50, 200, "macro_f1"),
    _f1(150, 600, "macro_f1"),
    _f1(50, 200, "weighted_f1"),
)
