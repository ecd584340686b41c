"""Intervals of figures that are no means of items: classification metrics, and sums over the whole text."""

from __future__ import annotations

from typing import Literal, TypeAlias

from steelyard.aggregate.classification import Confusion
from steelyard.aggregate.means import NO_VALUE
from steelyard.aggregate.resampled import ResampledSums
from steelyard.records.plans import CorpusFigure, ReportPlan
from steelyard.stats.intervals import BOOTSTRAP, Interval, wilson
from steelyard.stats.means import clustered_interval
from steelyard.stats.rates import effective_rate

MatrixStatistic: TypeAlias = Literal["accuracy", "macro_f1", "weighted_f1"]


def matrix_interval(
    matrix: Confusion, name: MatrixStatistic, value: float | None, plan: ReportPlan, clusters: tuple[float, int] | None
) -> Interval:
    """Return Wilson's interval of a rate, else that of an F1 over the labels; clusters by effect and number."""
    if name == "accuracy":
        hits = int(matrix.hits.sum())
        return (
            effective_rate(hits, matrix.total, *clusters) if clusters and matrix.total else wilson(hits, matrix.total)
        )
    from steelyard.stats.matrices import LabelCounts, f1_interval  # noqa: PLC0415 - for classifications alone

    counts = LabelCounts(matrix.support, matrix.hits, matrix.predicted)
    return f1_interval(counts, name, value, rounds=plan.rounds, seed=plan.seed, clusters=clusters)


def corpus_interval(sums: ResampledSums, figure: CorpusFigure, value: float | None, plan: ReportPlan) -> Interval:
    """Return the interval of a ratio of counts as of a rate in clusters, else of draws of the figure itself."""
    if figure.kind == "rate" and figure.width == 2:
        units = sums.ratio_units()
        return clustered_interval(units.sums, units.sizes, units.counts, kind="rate")
    if value is None:
        return Interval(None, None, BOOTSTRAP, reason=NO_VALUE)
    from steelyard.stats.figures import figure_interval  # noqa: PLC0415 - for figures over the whole text alone

    draws = figure.figure(sums.draws(rounds=plan.rounds, seed=plan.seed))
    return figure_interval(draws, value, sums.units, figure.kind, clustered=plan.clustered)
