"""A metric over two runs: its value over any rows of either side, and the paired difference over shared rows.

Four kinds: the mean of a per-item number, a figure from the confusion matrix, a mean weighted by a count (a loss by its
tokens, a ratio by its denominator), and a figure of sums over the whole text. Whatever is computed here is computed
from items, never taken from stored totals, and every kind knows clusters.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from steelyard.comparison.corpus import CorpusMeasure
from steelyard.comparison.labels import LabelPairs, MatrixMeasure
from steelyard.comparison.means import Clusters, MeanMeasure, WeightedMeasure
from steelyard.comparison.repeated_labels import RepeatedMatrixMeasure
from steelyard.records.blocks import Floats
from steelyard.records.columns import WEIGHT, ItemColumns, Rows
from steelyard.records.comparisons import Figure, Paired
from steelyard.records.plans import LOSS_METRICS, MATRIX_METRICS, RULE_PREFIX
from steelyard.records.scores import Direction
from steelyard.registry import value_kind
from steelyard.stats.paired import PairedKind


class Measure(Protocol):
    """What a comparison asks of a metric."""

    def figure(self, side: int, rows: Rows | None = None) -> Figure:
        """Return the metric over rows of the baseline (side 0) or of the candidate (side 1); None is all rows."""

    def paired(self, baseline_rows: Rows, candidate_rows: Rows, clusters: Clusters = None) -> Paired:
        """Return the difference over pairs of rows."""

    def scores(self, side: int, rows: Rows) -> Floats | None:
        """Return per-item values where an item has one of its own, else None."""


def measure(name: str, direction: Direction | None, baseline: ItemColumns, candidate: ItemColumns) -> Measure | None:
    """Return a metric over two runs, or None where either run cannot compute it from its items."""
    if name in LOSS_METRICS:
        losses = baseline.losses(), candidate.losses()
        return WeightedMeasure(name, losses[0], losses[1]) if losses[0] and losses[1] else None
    if name in MATRIX_METRICS:
        classes = baseline.classes(), candidate.classes()
        if classes[0] and classes[1]:
            labels, repeats = LabelPairs.of(classes[0], classes[1]), (baseline.repeats, candidate.repeats)
            return MatrixMeasure(name, labels) if repeats == (1, 1) else RepeatedMatrixMeasure(name, labels, repeats)
    stored = baseline.number(name), candidate.number(name)
    if stored[0] is None or stored[1] is None:
        return None
    kind, reach = _kind(name, stored[0], stored[1], averaged=max(baseline.repeats, candidate.repeats) > 1)
    weights = baseline.number(name + WEIGHT), candidate.number(name + WEIGHT)
    if weights[0] is not None and weights[1] is not None:
        sides = (stored[0], weights[0]), (stored[1], weights[1])
        return WeightedMeasure(name, *sides, direction, bounded=kind != "unbounded", weightless=True)
    return MeanMeasure(stored[0], stored[1], direction, kind, reach)


def reach_of(measured: Measure) -> float | None:
    """Return how far two values of a metric can be apart; None where nothing bounds it."""
    match measured:
        case MeanMeasure():
            return None if measured.kind == "unbounded" else measured.reach
        case WeightedMeasure():
            return 1.0 if measured.bounded else None
        case CorpusMeasure():
            return measured.reach
        case _:
            return 1.0


def _kind(name: str, *columns: Floats, averaged: bool) -> tuple[PairedKind, float]:
    """Return what kind of numbers a metric's items have, as it was registered, and how far two can be apart.

    The mean of several repeats of a rate is none.
    """
    values = "rate" if name.startswith(RULE_PREFIX) else value_kind(name)
    if values == "percent":
        return "bounded", 100.0
    if values in ("amount", "unbounded"):
        return "unbounded", 0.0
    if values == "bounded" or (values == "rate" and averaged):
        return "bounded", 1.0
    # A rate of one judgement is none where it is averaged; what is not registered is known by its numbers alone.
    known = [column[~np.isnan(column)] for column in columns]
    if not averaged and all(bool(((column == 0.0) | (column == 1.0)).all()) for column in known):
        return "rate", 1.0
    inside = all(bool(((column >= 0.0) & (column <= 1.0)).all()) for column in known)
    return ("bounded", 1.0) if inside else ("unbounded", 0.0)
