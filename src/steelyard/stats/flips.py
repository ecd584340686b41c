"""The sign-flip permutation test: under no difference, each unit's difference could as well have had the other sign.

Only sizes without signs are used for the draws, so exchanging baseline and candidate gives exactly the same p. Few
units: all sign patterns. Few distinct sizes: binomial counts. Up to 8,192 units: eight random signs at a time through
a table of 256 sums. Else the sizes are put into 64 groups of neighbours: the number of plus signs in a group is
binomial, and what the sizes of a group differ among themselves is added as one normal value of exactly that variance.
The sum keeps its variance and its symmetry, and a round costs 64 binomials, whatever the number of units.

Beside it Holm's correction.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from steelyard.stats.bins import exact_sum
from steelyard.stats.resampling import GROUPS, Floats, Grid, Integers, few, grid_of, group_starts

_UNITS_BY_TABLE = 8192
_TIE = 1e-12
"""Sums closer than this share of the sum of all sizes are equal: they differ by rounding only."""

_SIGNS = 1.0 - 2.0 * np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")


def sign_flip_p_value(differences: Floats, *, rounds: int = 10_000, seed: int = 0) -> float:
    """Return the two-sided p of the sum of differences under random signs.

    >>> sign_flip_p_value(np.array([1.0, 1.0, 1.0, 1.0, 1.0]))
    0.0625
    """
    sizes = np.abs(differences[differences != 0])
    if len(sizes) == 0:
        return 1.0
    limit = abs(exact_sum(differences).value)
    if len(sizes) < rounds.bit_length():
        sums = _all_sums(np.sort(sizes))
        return int(np.count_nonzero(_extreme(sums, limit, sizes))) / len(sums)
    sums = _sums(sizes, rounds, np.random.Generator(np.random.PCG64(seed)))
    return (1 + int(np.count_nonzero(_extreme(sums, limit, sizes)))) / (1 + rounds)


def _extreme(sums: Floats, limit: float, sizes: Floats) -> npt.NDArray[np.bool_]:
    return np.abs(sums) >= limit - _TIE * exact_sum(sizes).value


def _sums(sizes: Floats, rounds: int, generator: np.random.Generator) -> Floats:
    """Return the sum of sizes under random signs, `rounds` times."""
    grid = grid_of(sizes) if len(sizes) > _UNITS_BY_TABLE else None
    if grid is not None and not few(grid):
        return _sums_by_groups(grid, rounds, generator)
    distinct, counts = np.unique(sizes, return_counts=True)
    if len(distinct) <= GROUPS:
        return _sums_by_counts(distinct, counts, rounds, generator)
    return _sums_by_table(np.sort(sizes), rounds, generator)


def _sums_by_counts(sizes: Floats, counts: Integers, rounds: int, generator: np.random.Generator) -> Floats:
    sums = np.zeros(rounds)
    for size, count in zip(sizes.tolist(), counts.tolist(), strict=True):
        sums += size * (2.0 * generator.binomial(count, 0.5, size=rounds) - count)
    return sums


def _sums_by_groups(grid: Grid, rounds: int, generator: np.random.Generator) -> Floats:
    starts = group_starts(grid.means, grid.counts)
    counts = np.add.reduceat(grid.counts, starts)
    means = np.add.reduceat(grid.means * grid.counts, starts) / counts
    inside = grid.means - np.repeat(means, np.diff(np.append(starts, len(grid.means))))
    spread = math.fsum(grid.counts * (inside * inside + grid.variances))
    sums: Floats = _sums_by_counts(means, counts, rounds, generator)
    return sums + math.sqrt(spread) * generator.standard_normal(rounds)


def _sums_by_table(sizes: Floats, rounds: int, generator: np.random.Generator) -> Floats:
    sums = np.zeros(rounds)
    for table in _tables(sizes):
        sums += table[np.frombuffer(generator.bytes(rounds), dtype=np.uint8)]
    return sums


def _all_sums(sizes: Floats) -> Floats:
    """Return the sum under every pattern of signs."""
    patterns = np.arange(1 << len(sizes))
    sums = np.zeros(len(patterns))
    for place, table in enumerate(_tables(sizes)):
        sums += table[(patterns >> (8 * place)) & 255]
    return sums


def _tables(sizes: Floats) -> Floats:
    """Return, for each eight sizes, their sum under each of the 256 patterns of signs."""
    eights = np.concatenate((sizes, np.zeros(-len(sizes) % 8))).reshape(-1, 8)
    tables = np.zeros((len(eights), 256))
    for place in range(8):
        tables += eights[:, place, None] * _SIGNS[None, :, place]
    return tables


# Correction of p-values for having looked in many places.


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Return Holm's adjusted p-values; None stays None and does not count as a test.

    >>> holm([0.01, None, 0.04])
    [0.02, None, 0.04]
    """
    tested = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p, place) in enumerate(tested):
        highest = max(highest, min(1.0, (len(tested) - rank) * p))
        adjusted[place] = highest
    return adjusted
