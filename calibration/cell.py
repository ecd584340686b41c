"""A cell of the calibration table: one claim about one procedure, and how often it held in simulations."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

Simulate = Callable[[np.random.Generator, int], "int | tuple[int, int]"]
"""Simulates so often with a generator, and returns how often the thing happened, with how many counted if not all."""


@dataclass(frozen=True)
class Cell:
    """One claim: the rate of `what` is at least, or at most, `limit`."""

    group: str
    name: str
    what: str
    side: Literal["at least", "at most", "told"]
    limit: float | None
    simulate: Simulate
    simulations: int = 2000

    def run(self, simulations: int | None = None) -> Measured:
        """Simulate with the cell's own seed, which its name decides."""
        count = simulations or self.simulations
        found = self.simulate(np.random.Generator(np.random.PCG64(self.seed)), count)
        happened, of = found if isinstance(found, tuple) else (found, count)
        return Measured(self, happened, of)

    @property
    def title(self) -> str:
        """What no other cell is called."""
        return f"{self.group}/{self.name}/{self.what}"

    @property
    def seed(self) -> int:
        """A number that the cell's title decides, the same on every machine."""
        return zlib.crc32(self.title.encode())


@dataclass(frozen=True)
class Measured:
    """A cell with what its simulations gave."""

    cell: Cell
    happened: int
    of: int

    @property
    def rate(self) -> float:
        """How often it happened."""
        return self.happened / self.of if self.of else math.nan

    @property
    def allowance(self) -> float:
        """Three standard errors of the simulation at the limit."""
        if self.cell.limit is None or not self.of:
            return 0.0
        return 3 * math.sqrt(self.cell.limit * (1 - self.cell.limit) / self.of)

    @property
    def held(self) -> bool:
        """Whether the claim holds, within three standard errors of the simulation."""
        if self.cell.limit is None:
            return True
        if self.cell.side == "at least":
            return self.rate >= self.cell.limit - self.allowance
        return self.rate <= self.cell.limit + self.allowance

    def row(self) -> str:
        """Return the cell as a row of the table."""
        limit = "" if self.cell.limit is None else f"{self.cell.side} {self.cell.limit:g}"
        mark = "" if self.held else " **(missed)**"
        return f"| {self.cell.name} | {self.cell.what} | {self.rate:.4f}{mark} | {limit} | {self.of} |"
