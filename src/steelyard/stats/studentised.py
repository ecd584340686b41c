"""The studentised bootstrap: how far a mean can lie from the truth, in standard errors of its own.

Unlike a plain bootstrap it follows the skew of the values, because the standard error is that of each sample.
"""

from __future__ import annotations

import numpy as np

from steelyard.stats.grid import Floats
from steelyard.stats.resampling import GROUPS, ROWS, Units, grouped, totals_of

STUDENTISED = "bootstrap-t"
STUDENTISED_CLUSTERED = "bootstrap-t-clustered"
STUDENT = "student-t"
STUDENT_CLUSTERED = "student-t-clustered"

FEW_UNITS = 20
"""Below this many units a studentised bootstrap is erratic, and Student's t is used."""

_DISTINCT = 256
"""Above this many distinct units neighbours are drawn together."""

_CELLS_AT_ONCE = 4_000_000
_NOISE = 1e-12
"""A spread below this share of the squares is what rounding leaves of equal values."""


def studentised(units: Units, rounds: int, seed: int) -> Floats:
    """Return the mean over its standard error in bootstrap samples of residuals, whose own mean is 0.

    Infinite where a sample has no spread.
    """
    generator = np.random.Generator(np.random.PCG64(seed))
    if GROUPS < len(units.sums) <= _DISTINCT and units.n <= ROWS:
        sums, squares = _drawn_rows(np.repeat(units.sums, units.counts), rounds, generator)
    else:
        sums, squares = _drawn_counts(units if len(units.sums) <= GROUPS else grouped(units), rounds, generator)
    n = units.n
    spread = np.maximum(squares - sums * sums / n, 0.0)
    spread[spread <= _NOISE * squares] = 0.0
    errors = np.sqrt(spread * n / (n - 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios: Floats = np.where(sums == 0.0, 0.0, sums / errors)
    return ratios


def _drawn_rows(values: Floats, rounds: int, generator: np.random.Generator) -> tuple[Floats, Floats]:
    at_once = max(1, _CELLS_AT_ONCE // len(values))
    sums, squares = [], []
    for start in range(0, rounds, at_once):
        drawn = values[generator.integers(0, len(values), size=(len(values), min(at_once, rounds - start)))]
        sums.append(np.add.reduce(drawn, axis=0))
        squares.append(np.add.reduce(drawn * drawn, axis=0))
    return np.concatenate(sums), np.concatenate(squares)


def _drawn_counts(units: Units, rounds: int, generator: np.random.Generator) -> tuple[Floats, Floats]:
    drawn = generator.multinomial(units.n, units.counts / units.n, size=rounds).T.astype(np.float64)
    sums = totals_of(drawn, units.sums)
    if units.variances.any():
        sums += np.sqrt(totals_of(drawn, units.variances)) * generator.standard_normal(rounds)
    return sums, totals_of(drawn, units.sums * units.sums + units.variances)
