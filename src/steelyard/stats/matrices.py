"""Intervals of classification metrics from the confusion matrix alone.

Drawing n rows again and counting them is drawing the cells from a multinomial, so a resample costs the number of
non-empty cells, not the number of rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from steelyard.stats.grid import Floats, Integers
from steelyard.stats.intervals import BOOTSTRAP, DEGENERATE, NO_VALUES, Interval
from steelyard.stats.resampling import percentile_ends

MatrixStatistic: TypeAlias = Literal["macro_f1", "weighted_f1", "accuracy"]

BOOTSTRAP_DESIGN = "bootstrap-percentile-design-effect"
_CELLS_AT_ONCE = 4_000_000


def bootstrap_matrix(
    confusion: npt.ArrayLike,
    statistic: MatrixStatistic,
    *,
    rounds: int = 1000,
    seed: int = 0,
    level: float = 0.95,
    design_effect: float = 1.0,
) -> Interval:
    """Return the percentile bootstrap interval of a classification metric.

    `confusion` has a row for each true label and a column for each predicted one, in the same order, then one column
    for predictions outside the labels. Macro-F1 averages over the labels that are in truth or prediction of the
    original sample, in every resample the same ones; a label that a resample lacks has F1 0 there, as scikit-learn's
    `f1_score(labels=…, zero_division=0)`. With a design effect above 1 items are not independent, and a resample has so
    many times fewer of them.
    """
    matrix = _checked(confusion)
    truths, guesses = np.nonzero(matrix)
    cells = truths, guesses, matrix[truths, guesses]
    return bootstrap_cells(
        cells, len(matrix), statistic, rounds=rounds, seed=seed, level=level, design_effect=design_effect
    )


def bootstrap_cells(
    filled: tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], Integers],
    labels: int,
    statistic: MatrixStatistic,
    *,
    rounds: int = 1000,
    seed: int = 0,
    level: float = 0.95,
    design_effect: float = 1.0,
) -> Interval:
    """Return the same from the cells that hold something: true labels, predicted labels, counts.

    A predicted label of `labels` is none of them. However many labels there are, the cost is that of the cells.
    """
    truths, guesses, counts = filled
    cells = _Cells(truths, guesses, labels)
    n = int(counts.sum())
    if n == 0:
        return Interval(None, None, BOOTSTRAP, level, NO_VALUES)
    if len(counts) == 1:
        value = float(cells.statistic(counts[:, None], statistic)[0])
        return Interval(value, value, DEGENERATE, level, "all items have one true and one predicted label")
    generator = np.random.Generator(np.random.PCG64(seed))
    drawn = max(1, round(n / design_effect))
    draws = [
        cells.statistic(np.ascontiguousarray(generator.multinomial(drawn, counts / n, size=size).T), statistic)
        for size in _portions(rounds, len(counts))
    ]
    method = BOOTSTRAP if design_effect == 1 else BOOTSTRAP_DESIGN
    return Interval(*percentile_ends(np.concatenate(draws), level), method, level)


def _checked(confusion: npt.ArrayLike) -> Integers:
    matrix = np.asarray(confusion, dtype=np.int64)
    if matrix.ndim != 2 or matrix.shape[1] != matrix.shape[0] + 1:
        raise ValueError("a confusion matrix has a row for each label, and a column for each label and one for others")
    if (matrix < 0).any():
        raise ValueError("a count is negative")
    return matrix


def _portions(rounds: int, cells: int) -> list[int]:
    at_once = max(1, _CELLS_AT_ONCE // cells)
    return [min(at_once, rounds - start) for start in range(0, rounds, at_once)]


@dataclass(frozen=True, slots=True)
class _Cells:
    """The non-empty cells of a matrix. Drawn counts have a row for each cell and a column for each resample."""

    truths: npt.NDArray[np.intp]
    guesses: npt.NDArray[np.intp]
    labels: int

    def statistic(self, drawn: Integers, name: MatrixStatistic) -> Floats:
        """Return the metric of each resample."""
        if name == "accuracy":
            accuracy: Floats = drawn[self.truths == self.guesses].sum(axis=0) / drawn[:, 0].sum()
            return accuracy
        support = self._totals(drawn, self.truths)
        f1 = self._f1(drawn, support)
        if name == "weighted_f1":
            weighted: Floats = np.add.reduce(f1 * support, axis=0) / drawn[:, 0].sum()
            return weighted
        present = np.union1d(self.truths, self.guesses[self.guesses < self.labels])
        macro: Floats = np.add.reduce(f1[present], axis=0) / len(present)
        return macro

    def _f1(self, drawn: Integers, support: Integers) -> Floats:
        right = self.truths == self.guesses
        hits = np.zeros_like(support)
        hits[self.truths[right]] = drawn[right]
        named = support + self._totals(drawn, self.guesses)
        f1: Floats = np.divide(2 * hits, named, out=np.zeros(named.shape), where=named > 0)
        return f1

    def _totals(self, drawn: Integers, axis: npt.NDArray[np.intp]) -> Integers:
        order = np.argsort(axis, kind="stable")
        present, starts = np.unique(axis[order], return_index=True)
        totals = np.zeros((self.labels + 1, drawn.shape[1]), dtype=np.int64)
        totals[present] = np.add.reduceat(drawn[order], starts, axis=0)
        return totals[: self.labels]
