"""The complexity ceiling of conversations, where accuracy does not depend on the number of operations."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from calibration.cell import Cell
from calibration.scores import Generator, clustered_rates
from steelyard.conversations.complexity import Complexity

CONVERSATIONS, TURNS = 60, 4
OPERATIONS, SHARES = (1, 2, 3), (0.5, 0.3, 0.2)


def _invented(share: float) -> Callable[[Generator, int], int]:
    def simulate(generator: Generator, simulations: int) -> int:
        return sum(_has_ceiling(share, generator) for _ in range(simulations))

    return simulate


def _has_ceiling(share: float, generator: Generator) -> bool:
    right = clustered_rates(generator, CONVERSATIONS, TURNS, share, 0.2).ravel()
    operations = generator.choice(OPERATIONS, len(right), p=SHARES)
    found = Complexity()
    found.add(right, operations, np.arange(CONVERSATIONS).repeat(TURNS))
    return found.described()["ceiling"] is not None


def _cell(share: float) -> Cell:
    case = f"{share * 100:.0f} % right, {CONVERSATIONS} conversations of {TURNS} turns"
    return Cell("complexity ceiling", case, "a run without a ceiling shows one", "at most", 0.05, _invented(share))


CELLS: tuple[Cell, ...] = tuple(_cell(share) for share in (0.05, 0.15, 0.70))
