"""Classification from the confusion matrix: rows true, columns predicted, labels sorted (page 20)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.records.blocks import Labels
from steelyard.registry import metric

UNANSWERED = "_unanswered"
"""The column of items without an answer."""
INVALID = "_invalid"
"""The column of answers outside the declared choices."""

FEW_CELLS = 1 << 16
LARGEST_MATRIX = 1000
"""Beyond so many labels the matrix is not written out; `confusion_matrix.json` then lists its cells."""

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Confusion:
    """Counts by true label (rows) and predicted label (columns: the labels, then what is no label), cell by cell.

    Only cells that hold something are kept: a model that answers in free text can make as many labels as items.
    """

    labels: tuple[str, ...]
    columns: tuple[str, ...]
    rows: Counts
    places: Counts
    counts: Counts

    @property
    def matrix(self) -> Counts:
        """All cells, empty ones too; for up to 1,000 labels."""
        matrix = np.zeros((len(self.labels), len(self.columns)), np.int64)
        matrix[self.rows, self.places] = self.counts
        return matrix

    @property
    def total(self) -> int:
        """How many items there are."""
        return int(self.counts.sum())

    @property
    def hits(self) -> Counts:
        """Right answers of each label."""
        right = self.rows == self.places
        return self._by_label(self.rows[right], self.counts[right])

    @property
    def support(self) -> Counts:
        """Items of each true label."""
        return self._by_label(self.rows, self.counts)

    @property
    def predicted(self) -> Counts:
        """Answers of each label, right or wrong."""
        known = self.places < len(self.labels)
        return self._by_label(self.places[known], self.counts[known])

    def _by_label(self, labels: Counts, counts: Counts) -> Counts:
        sums = np.zeros(len(self.labels), np.int64)
        np.add.at(sums, labels, counts)
        return sums


class ConfusionTally:
    """Counts of (true, predicted) pairs over blocks; merges."""

    def __init__(self) -> None:
        self.pairs: Counter[tuple[str, str | None]] = Counter()

    def update(self, truth: Labels, guess: Labels, rows: npt.NDArray[np.bool_] | None = None) -> None:
        """Count the pairs of a block, or of some of its rows."""
        width = len(guess.names) + 1
        codes = truth.codes.astype(np.int64) * width + (guess.codes.astype(np.int64) + 1)
        cells, counts = _counted(codes if rows is None else codes[rows], len(truth.names) * width)
        for code, count in zip(cells.tolist(), counts.tolist(), strict=True):
            row, column = divmod(code, width)
            self.pairs[truth.names[row], guess.names[column - 1] if column else None] += count

    def merge(self, other: ConfusionTally) -> None:
        """Add another tally's counts."""
        self.pairs.update(other.pairs)

    def confusion(self, choices: Sequence[str] = ()) -> Confusion:
        """Return the matrix. Without declared choices the labels are those in truth or prediction."""
        occurring = {true for true, _ in self.pairs}
        guessed = {guess for _, guess in self.pairs if guess is not None}
        labels = tuple(sorted(occurring | (set(choices) & (occurring | guessed)) if choices else occurring | guessed))
        place_of = {label: place for place, label in enumerate(labels)}
        invalid = [INVALID] if guessed.difference(place_of) else []
        unanswered = [UNANSWERED] if any(guess is None for _, guess in self.pairs) else []
        cells: Counter[tuple[int, int]] = Counter()
        for (true, guess), count in self.pairs.items():
            elsewhere = len(labels) + (len(invalid) if guess is None else 0)
            cells[place_of[true], elsewhere if guess is None else place_of.get(guess, elsewhere)] += count
        listed = np.array([(*cell, count) for cell, count in sorted(cells.items())], np.int64).reshape(-1, 3)
        return Confusion(labels, (*labels, *invalid, *unanswered), *listed.T)


def _counted(codes: Counts, cells: int) -> tuple[Counts, Counts]:
    """Return the cells that occur and how often; counting all of them is faster where they are few."""
    if cells > FEW_CELLS:
        return np.unique(codes, return_counts=True)
    counts = np.bincount(codes, minlength=cells)
    found = np.flatnonzero(counts)
    return found, counts[found]


def _ratio(numerator: npt.NDArray[Any], denominator: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Divide, with 0 where the denominator is 0 (scikit-learn's `zero_division=0`)."""
    result = np.zeros(len(numerator), np.float64)
    np.divide(numerator, denominator, out=result, where=denominator != 0)
    return result


@metric("support", kind="classification", direction=None, values="amount")
def support(confusion: Confusion) -> Counts:
    """Count the items per true label."""
    return confusion.support


@metric("precision_per_class", kind="classification", direction=None)
def precision_per_class(confusion: Confusion) -> npt.NDArray[np.float64]:
    """Per label: right answers over all answers of that label."""
    return _ratio(confusion.hits, confusion.predicted)


@metric("recall_per_class", kind="classification", direction=None)
def recall_per_class(confusion: Confusion) -> npt.NDArray[np.float64]:
    """Per label: right answers over all items of that label."""
    return _ratio(confusion.hits, confusion.support)


@metric("f1_per_class", kind="classification", direction=None)
def f1_per_class(confusion: Confusion) -> npt.NDArray[np.float64]:
    """Per label: the harmonic mean of precision and recall."""
    return _ratio(2 * confusion.hits, confusion.predicted + confusion.support)


@metric("accuracy", kind="classification", values="rate")
def accuracy(confusion: Confusion) -> float | None:
    """Fraction of correct predictions, unanswered items in the denominator."""
    return int(confusion.hits.sum()) / confusion.total if confusion.total else None


@metric("macro_f1", kind="classification")
def macro_f1(confusion: Confusion) -> float | None:
    """F1 averaged over the labels present in truth or prediction, each with the same weight."""
    return float(np.mean(f1_per_class(confusion))) if confusion.labels else None


@metric("weighted_f1", kind="classification")
def weighted_f1(confusion: Confusion) -> float | None:
    """F1 averaged over the labels, each weighted by its support."""
    weights = confusion.support
    return float(np.average(f1_per_class(confusion), weights=weights)) if weights.sum() else None


@metric("confusion_matrix", kind="classification", direction=None, values="amount")
def confusion_matrix(confusion: Confusion) -> Counts | None:
    """Return the full matrix as a nested list: rows true, columns predicted, labels sorted."""
    return confusion.matrix if len(confusion.labels) <= LARGEST_MATRIX else None


_FIGURES = {
    "accuracy": accuracy,
    "macro_f1": macro_f1,
    "weighted_f1": weighted_f1,
    "precision_per_class": precision_per_class,
    "recall_per_class": recall_per_class,
    "f1_per_class": f1_per_class,
    "support": support,
    "confusion_matrix": confusion_matrix,
}


def unavailable(confusion: Confusion, names: Sequence[str]) -> dict[str, str]:
    """Return why a classification metric that was asked for is null."""
    if "confusion_matrix" not in names or len(confusion.labels) <= LARGEST_MATRIX:
        return {}
    return {"confusion_matrix": f"{len(confusion.labels)} labels; confusion_matrix.json lists the cells"}


def figures(confusion: Confusion, names: Sequence[str]) -> dict[str, Any]:
    """Return the named classification metrics as JSON values; per-class ones by label name."""
    found: dict[str, Any] = {}
    for name in names:
        value = _FIGURES[name](confusion)
        if isinstance(value, np.ndarray):
            listed = value.tolist()
            found[name] = listed if value.ndim == 2 else dict(zip(confusion.labels, listed, strict=True))
        else:
            found[name] = value
    return found
