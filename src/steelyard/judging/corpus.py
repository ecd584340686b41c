"""Corpus metrics in the stream: the whole numbers of each item, and the figure that their sums make."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from steelyard.canonical.references import answer_text
from steelyard.records.answers import Answer, Choice, Text
from steelyard.records.blocks import Counts
from steelyard.records.plans import CorpusFigure
from steelyard.registry import Metric


def corpus_figures(metrics: Sequence[Metric]) -> dict[str, CorpusFigure]:
    """Return what a report needs to know of corpus metrics."""
    return {metric.name: _figure(metric) for metric in metrics}


def _figure(metric: Metric) -> CorpusFigure:
    assert metric.definition.function is not None
    figure = partial(metric.definition.function, **metric.parameters)
    width = len(item_counts(metric, "", Text("")))
    return CorpusFigure(width, figure, metric.definition.values)  # type: ignore[arg-type]


def item_counts(metric: Metric, prediction: str | None, expected: Answer) -> Sequence[int]:
    """Return one item's numbers; what has no answer is counted as an empty one, so it stays in the denominator."""
    definition = metric.definition
    assert definition.counts is not None
    wanted = expected if definition.counts_of == "answer" else references_of(expected)
    return definition.counts(prediction or "", wanted, **metric.parameters)


def count_columns(metrics: Sequence[Metric], pairs: Sequence[tuple[str | None, Answer]]) -> dict[str, Counts]:
    """Return the numbers of a block of predictions and expected answers, one row each."""
    return {metric.name: np.array([item_counts(metric, *pair) for pair in pairs], np.int64) for metric in metrics}


def references_of(expected: Answer) -> tuple[str, ...]:
    """Return every text that is a right answer."""
    return (expected.value, *expected.aliases) if isinstance(expected, Text | Choice) else (answer_text(expected),)
