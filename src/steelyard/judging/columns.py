"""Judged items and what becomes of them: the columns of a block."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from steelyard.canonical.objects import answer_text
from steelyard.judging.corpus import count_columns
from steelyard.judging.labels import LabelNames
from steelyard.reading.hashing import item_hash
from steelyard.records.answers import Answer
from steelyard.records.blocks import ErrorTags, Labels, ScoredBlock
from steelyard.records.items import Item, Prediction, State
from steelyard.records.measures import measures
from steelyard.records.scores import Scorecard
from steelyard.registry import Metric


@dataclass(frozen=True, slots=True)
class Verdict:
    """One item under one judgement."""

    state: State
    card: Scorecard
    expected: Answer
    answer: Answer | None
    predicted_text: str | None
    output: str | None
    raw_reference: Any


@dataclass(slots=True)
class Columns:
    """Growing columns of a block."""

    verdicts: list[Verdict] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    predictions: list[Prediction | None] = field(default_factory=list)
    scores: list[dict[str, float | None]] = field(default_factory=list)
    error_tags: list[tuple[str, ...]] = field(default_factory=list)


def scored_block(start: int, columns: Columns, *, labels: LabelNames | None, corpus: Sequence[Metric]) -> ScoredBlock:
    """Return judged items as a block, with classes where there are labels and counts for metrics over the text."""
    verdicts, items = columns.verdicts, columns.items
    names = sorted({name for row in columns.scores for name in row})
    tag_keys = sorted({key for item in items for key in item.tags})
    truth, guess = _classes(verdicts, labels)
    confidences = _confidences(columns, labels) if labels is not None else None
    return ScoredBlock(
        start=start,
        ids=[item.id for item in items],
        lines=[item.line for item in items],
        inputs=[item.input for item in items],
        item_hashes=[
            item_hash(item.input, verdict.raw_reference) for item, verdict in zip(items, verdicts, strict=True)
        ],
        states=Labels.of([verdict.state for verdict in verdicts]),
        expected=[answer_text(verdict.expected) for verdict in verdicts],
        predicted=[verdict.predicted_text for verdict in verdicts],
        outputs=[verdict.output for verdict in verdicts],
        primary=np.array([verdict.card.primary_score for verdict in verdicts], np.float64),
        passed=np.array([verdict.card.passed for verdict in verdicts], np.bool_),
        scores={name: _floats([row.get(name) for row in columns.scores]) for name in names},
        error_tags=ErrorTags.of(columns.error_tags),
        explain=[verdict.card.explain for verdict in verdicts],
        tags={key: Labels.of([item.tags.get(key) for item in items]) for key in tag_keys},
        truth=truth,
        guess=guess,
        confidence=None if confidences is None else _floats([value for value, _ in confidences]),
        confidence_kind=None if confidences is None else Labels.of([kind for _, kind in confidences]),
        clusters=Labels.of([item.conversation for item in items]),
        counts=count_columns(corpus, [(verdict.predicted_text, verdict.expected) for verdict in verdicts]),
        details=_details(columns),
    )


def _classes(verdicts: Sequence[Verdict], names: LabelNames | None) -> tuple[Labels | None, Labels | None]:
    if names is None:
        return None, None
    truth = [names.of(verdict.expected) for verdict in verdicts]
    guess = [None if verdict.answer is None else names.of(verdict.answer) for verdict in verdicts]
    return Labels.of(truth), Labels.of(guess)


def _confidences(columns: Columns, names: LabelNames) -> list[tuple[float | None, str | None]]:
    """Return the probability of each item's true label as far as it is known, and what it was taken from."""
    return [
        names.true_probability(prediction.fields if prediction else {}, verdict.expected, right=verdict.card.passed)
        for verdict, prediction in zip(columns.verdicts, columns.predictions, strict=True)
    ]


def _floats(values: Sequence[float | None]) -> Any:
    return np.array([math.nan if value is None else value for value in values], np.float64)


def _details(columns: Columns) -> dict[str, Sequence[Any]]:
    predictions, names = columns.predictions, [measure.name for measure in measures()]
    return {
        **{name: [entry.measures.get(name) if entry else None for entry in predictions] for name in names},
        "error": [entry.error if entry else None for entry in predictions],
        "conversation": [item.conversation for item in columns.items],
        "turn": [item.turn for item in columns.items],
    }
