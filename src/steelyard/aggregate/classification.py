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

Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Confusion:
    """Counts by true label (rows) and predicted label (columns: the labels, then what is no label)."""

    labels: tuple[str, ...]
    columns: tuple[str, ...]
    matrix: Counts

    @property
    def square(self) -> Counts:
        """The part whose columns are labels."""
        return self.matrix[:, : len(self.labels)]


class ConfusionTally:
    """Counts of (true, predicted) pairs over blocks; merges."""

    def __init__(self) -> None:
        self.pairs: Counter[tuple[str, str | None]] = Counter()

    def update(self, truth: Labels, guess: Labels, rows: npt.NDArray[np.bool_] | None = None) -> None:
        """Count the pairs of a block, or of some of its rows."""
        width = len(guess.names) + 1
        codes = truth.codes.astype(np.int64) * width + (guess.codes.astype(np.int64) + 1)
        counts = np.bincount(codes if rows is None else codes[rows], minlength=0)
        for code in np.flatnonzero(counts).tolist():
            row, column = divmod(code, width)
            self.pairs[truth.names[row], guess.names[column - 1] if column else None] += int(counts[code])

    def merge(self, other: ConfusionTally) -> None:
        """Add another tally's counts."""
        self.pairs.update(other.pairs)

    def confusion(self, choices: Sequence[str] = ()) -> Confusion:
        """Return the matrix. Without declared choices the labels are those in truth or prediction."""
        occurring = {true for true, _ in self.pairs}
        guessed = {guess for _, guess in self.pairs if guess is not None}
        labels = tuple(sorted(occurring | (set(choices) & (occurring | guessed)) if choices else occurring | guessed))
        column_of = {label: index for index, label in enumerate(labels)}
        extra = [INVALID] if guessed - set(labels) else []
        extra += [UNANSWERED] if any(guess is None for _, guess in self.pairs) else []
        columns = (*labels, *extra)
        column_of |= {name: len(labels) + index for index, name in enumerate(extra)}
        matrix = np.zeros((len(labels), len(columns)), np.int64)
        for (true, guess), count in self.pairs.items():
            name = UNANSWERED if guess is None else guess if guess in column_of else INVALID
            matrix[column_of[true], column_of[name]] += count
        return Confusion(labels, columns, matrix)


def _ratio(numerator: npt.NDArray[Any], denominator: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Divide, with 0 where the denominator is 0 (scikit-learn's `zero_division=0`)."""
    result = np.zeros(len(numerator), np.float64)
    np.divide(numerator, denominator, out=result, where=denominator != 0)
    return result


@metric("support", kind="classification", direction=None, bounded=False)
def support(confusion: Confusion) -> Counts:
    """Count the items per true label."""
    counts: Counts = confusion.matrix.sum(axis=1)
    return counts


@metric("precision_per_class", kind="classification", direction=None)
def precision_per_class(confusion: Confusion) -> npt.NDArray[np.float64]:
    """Per label: right answers over all answers of that label."""
    return _ratio(np.diag(confusion.square), confusion.square.sum(axis=0))


@metric("recall_per_class", kind="classification", direction=None)
def recall_per_class(confusion: Confusion) -> npt.NDArray[np.float64]:
    """Per label: right answers over all items of that label."""
    return _ratio(np.diag(confusion.square), support(confusion))


@metric("f1_per_class", kind="classification", direction=None)
def f1_per_class(confusion: Confusion) -> npt.NDArray[np.float64]:
    """Per label: the harmonic mean of precision and recall."""
    hits = np.diag(confusion.square)
    return _ratio(2 * hits, confusion.square.sum(axis=0) + support(confusion))


@metric("accuracy", kind="classification")
def accuracy(confusion: Confusion) -> float | None:
    """Fraction of correct predictions, unanswered items in the denominator."""
    total = int(confusion.matrix.sum())
    return int(np.trace(confusion.square)) / total if total else None


@metric("macro_f1", kind="classification")
def macro_f1(confusion: Confusion) -> float | None:
    """F1 averaged over the labels present in truth or prediction, each with the same weight."""
    return float(np.mean(f1_per_class(confusion))) if confusion.labels else None


@metric("weighted_f1", kind="classification")
def weighted_f1(confusion: Confusion) -> float | None:
    """F1 averaged over the labels, each weighted by its support."""
    weights = support(confusion)
    return float(np.average(f1_per_class(confusion), weights=weights)) if weights.sum() else None


@metric("confusion_matrix", kind="classification", direction=None, bounded=False)
def confusion_matrix(confusion: Confusion) -> Counts:
    """Return the full matrix as a nested list: rows true, columns predicted, labels sorted."""
    return confusion.matrix


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
