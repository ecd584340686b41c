"""Judged items and what becomes of them: the columns of a block.

Before it: labels, and the card of one prediction.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from steelyard.canonical.predictions import Parsed
from steelyard.canonical.references import answer_text
from steelyard.errors import ConfigurationError, Problem, excerpt
from steelyard.judging.corpus import count_columns
from steelyard.reading.ids import item_hash
from steelyard.records.answers import Answer, Choice, Text
from steelyard.records.blocks import ErrorTags, Labels, ScoredBlock
from steelyard.records.items import Item, Prediction, State
from steelyard.records.measures import measures
from steelyard.records.scores import Scorecard
from steelyard.registry import Metric, Scorer
from steelyard.text.tokens import normalise

# Label names for classification: an answer that spells a label is that label; anything else stays what it is.


class LabelNames:
    """The labels of a task with their other spellings."""

    def __init__(
        self, labels: Iterable[str], aliases: Mapping[str, str] | None = None, confidence_field: str | None = None
    ) -> None:
        self.labels = tuple(labels)
        self.confidence_field = confidence_field or "confidence"
        self._names = {normalise(label, "basic"): label for label in reversed(self.labels)}
        for alias, label in (aliases or {}).items():
            self._names.setdefault(normalise(alias, "basic"), label)

    def of(self, answer: Answer) -> str:
        """Return the label that an answer spells, or the answer itself where it spells none."""
        assert isinstance(answer, Choice | Text)
        return self._names.get(normalise(answer.value, "basic"), answer.value)

    def true_probability(
        self, fields: Mapping[str, Any], expected: Answer, *, right: bool
    ) -> tuple[float | None, str | None]:
        """Return the probability given to the true label, as far as a prediction's row tells it, and what it is.

        Its own entry in `probabilities`; else the `confidence` in the predicted label when that is right, and one
        minus it when it is wrong.
        """
        known = fields.get("probabilities")
        given = probability(known.get(self.of(expected))) if isinstance(known, dict) else None
        if given is not None:
            return given, "true_label_probability"
        confidence = probability(fields.get(self.confidence_field))
        if confidence is None:
            return None, None
        return confidence if right else 1.0 - confidence, "confidence"


def probability(value: Any) -> float | None:
    """Return a value that is a number in [0, 1], or None."""
    fits = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
    return float(value) if fits else None


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


# One prediction to one scorecard: whatever canonicalisation made of an output, judged or not.
#
# A scorer sees two answers and nothing else. What has no answer gets its card here.


def card_of(scorer: Scorer, parsed: Parsed, expected: Answer, *, item_id: str | None = None) -> Scorecard:
    """Return the card of an output; the tags of canonicalisation stand before the scorer's own."""
    if parsed.answer is None:
        return unanswered(scorer, expected, parsed.tags, no_answer(answer_text(expected), parsed.reason))
    card = _scored(scorer, parsed.answer, expected, item_id)
    if not parsed.tags:
        return card
    return Scorecard(card.primary_score, card.passed, card.sub_scores, (*parsed.tags, *card.error_tags), card.explain)


def no_answer(expected: str, reason: str) -> str:
    """Return the explanation of an output without an answer; `expected` is the reference as a person reads it."""
    return f"Expected '{excerpt(expected)}', found no answer: {reason}."


def unanswered(scorer: Scorer, expected: Answer, tags: tuple[str, ...], explain: str) -> Scorecard:
    """Return the card of an item without an answer: 0, with sub-scores 0 where they are defined for its reference.

    A part is defined where scoring the reference against itself gives it a value; a part that is better when lower
    has no worst value, so it is null.
    """
    perfect = _scored(scorer, expected, expected, None).sub_scores
    directions = scorer.definition.sub_scores
    parts = {
        name: None if value is None or directions.get(name) != "higher" else 0.0 for name, value in perfect.items()
    }
    return Scorecard(primary_score=0.0, passed=False, sub_scores=parts, error_tags=tags, explain=explain)


def _scored(scorer: Scorer, answer: Answer, expected: Answer, item_id: str | None) -> Scorecard:
    try:
        return scorer(answer, expected)
    except ConfigurationError:
        raise
    except Exception as error:
        raise ConfigurationError(
            Problem(
                code="scorer-failed",
                message=f"{scorer.definition.key} raised {type(error).__name__}: {excerpt(str(error))}",
                hint="a scorer must give a score in [0, 1] for any two answers of its type",
                item_id=item_id,
            )
        ) from error
