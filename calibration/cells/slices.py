"""The search for weak slices, where no slice is weak."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from calibration.cell import Cell
from calibration.scores import F1_LIKE, NEAR_ONE, Generator, Population, rate
from steelyard.aggregate.tallies import TagTallies
from steelyard.aggregate.worst_slices import WeakSlices
from steelyard.records.blocks import Labels
from steelyard.stats.binning import ValueCounts

TAGS = {"source": 4, "difficulty": 3, "topic": 8}
FOUND = "a data set without weak slices shows one"


def _alarms(population: Population, n: int) -> Callable[[Generator, int], int]:
    def simulate(generator: Generator, simulations: int) -> int:
        return sum(_shows_one(population.draw(generator, (n,)), generator) for _ in range(simulations))

    return simulate


def _shows_one(scores: np.ndarray, generator: Generator) -> bool:
    tallies = TagTallies()
    names = {key: [f"{key}{code}" for code in range(count)] for key, count in TAGS.items()}
    codes = {key: generator.integers(0, count, len(scores), dtype=np.int32) for key, count in TAGS.items()}
    tallies.update(scores, {key: Labels(names[key], codes[key]) for key in TAGS})
    return any(entry["p_value"] <= 0.05 for entry in WeakSlices(tallies, ValueCounts(scores)).worst())


def _cell(population: Population, n: int) -> Cell:
    case = f"{population.name}, three tags, n = {n:,}"
    return Cell("weak slices", case, FOUND, "at most", 0.05, _alarms(population, n))


CELLS: tuple[Cell, ...] = (_cell(F1_LIKE, 200), _cell(NEAR_ONE, 1000), _cell(rate(0.7), 1000))
