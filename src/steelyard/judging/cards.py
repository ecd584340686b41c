"""One prediction to one scorecard: whatever canonicalisation made of an output, judged or not.

A scorer sees two answers and nothing else. What has no answer gets its card here.
"""

from __future__ import annotations

from steelyard.canonical.objects import answer_text
from steelyard.canonical.predictions import Parsed
from steelyard.errors import ConfigurationError, Problem, excerpt
from steelyard.records.answers import Answer
from steelyard.records.scores import Scorecard
from steelyard.registry import Scorer


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
