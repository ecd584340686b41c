"""Intervals of figures that are no means of items: classification metrics, and sums over the whole text."""

from __future__ import annotations

import numpy as np

from steelyard.aggregate.classification import Confusion
from steelyard.aggregate.means import NO_VALUE
from steelyard.aggregate.resampled import ResampledSums
from steelyard.records.plans import CorpusFigure, ReportPlan
from steelyard.stats import (
    Interval,
    MatrixStatistic,
    bootstrap_cells,
    clustered_interval,
    effective_rate,
    figure_interval,
    wilson,
)
from steelyard.stats.intervals import BOOTSTRAP


def matrix_interval(
    matrix: Confusion, name: MatrixStatistic, plan: ReportPlan, clusters: tuple[float, int] | None
) -> Interval:
    """Return Wilson's interval of a rate, else the bootstrap's over the matrix; clusters by effect and number."""
    hits, design_effect = int(matrix.hits.sum()), 1.0 if clusters is None else clusters[0]
    if name == "accuracy":
        if clusters is None or not matrix.total:
            return wilson(hits, matrix.total)
        return effective_rate(hits, matrix.total, *clusters)
    cells = matrix.rows, np.minimum(matrix.places, len(matrix.labels)), matrix.counts
    return bootstrap_cells(
        cells, len(matrix.labels), name, rounds=plan.rounds, seed=plan.seed, design_effect=design_effect
    )


def corpus_interval(sums: ResampledSums, figure: CorpusFigure, value: float | None, plan: ReportPlan) -> Interval:
    """Return the interval of a ratio of counts as of a rate in clusters, else of draws of the figure itself."""
    if figure.kind == "rate" and figure.width == 2:
        units = sums.ratio_units()
        return clustered_interval(units.sums, units.sizes, units.counts, kind="rate")
    if value is None:
        return Interval(None, None, BOOTSTRAP, reason=NO_VALUE)
    draws = figure.figure(sums.draws(rounds=plan.rounds, seed=plan.seed))
    return figure_interval(draws, value, sums.units, figure.kind, clustered=plan.clustered)
