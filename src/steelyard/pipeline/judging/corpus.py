"""Corpus metrics in the stream: the whole numbers of each item, and the figure that their sums make."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from steelyard.canonical.objects import answer_text
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
    return CorpusFigure(len(item_counts(metric, "", ("",))), figure)  # type: ignore[arg-type]


def item_counts(metric: Metric, prediction: str, references: Sequence[str]) -> Sequence[int]:
    """Return one item's numbers; what has no answer is counted as an empty one, so it stays in the denominator."""
    assert metric.definition.counts is not None
    return metric.definition.counts(prediction, references, **metric.parameters)


def count_columns(metrics: Sequence[Metric], pairs: Sequence[tuple[str | None, Answer]]) -> dict[str, Counts]:
    """Return the numbers of a block of predictions and expected answers, one row each."""
    texts = [(prediction or "", references_of(expected)) for prediction, expected in pairs]
    return {metric.name: np.array([item_counts(metric, *text) for text in texts], np.int64) for metric in metrics}


def references_of(expected: Answer) -> tuple[str, ...]:
    """Return every text that is a right answer."""
    return (expected.value, *expected.aliases) if isinstance(expected, Text | Choice) else (answer_text(expected),)
