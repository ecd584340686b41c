"""Seed 004's first workflow, filled in with a run's numbers: what kind of mistake stands behind a low accuracy."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.conversations.columns import TurnColumns
from steelyard.conversations.means import ConversationMean

NOTABLE = 0.02
FEWEST_CONVERSATIONS = 4
"""What fewer conversations show could be a matter of those few."""
"""From this share of turns on a pattern is worth acting on; below it the table says so."""


@dataclass(frozen=True, slots=True)
class _Pattern:
    name: str
    low: str
    high: str
    what: str
    """What the turns in between are."""
    advice: str


_PATTERNS = (
    _Pattern(
        "Scaling issues",
        "numerical_match",
        "unit_agnostic_match",
        "have the right digits in another scale (times 100 or 0.01)",
        "ask for one scale, or for a percent sign where a percentage is meant",
    ),
    _Pattern(
        "Sign or direction confusion",
        "numerical_match",
        "sign_agnostic_match",
        "have the right magnitude with the wrong sign",
        "say in the prompt which way a change is counted",
    ),
    _Pattern(
        "Rounding precision issues",
        "exact_numeric_match",
        "numerical_match",
        "are right within 1 % and not exact",
        "let the model give more digits, or compute with a tool",
    ),
    _Pattern(
        "Percent and text formats",
        "numerical_match",
        "general_match",
        "match once a percent sign is reconciled, or as text",
        "fix the format of answers in the prompt",
    ),
)


class Diagnosis:
    """Counts the turns between two rungs of the ladder, pattern by pattern.

    The seed compares numerical with soft matches for rounding; soft is inside numerical, so that gap is always 0, and
    exact matches are compared instead (page 40).
    """

    def __init__(self) -> None:
        self._found = {pattern: ConversationMean("rate") for pattern in _PATTERNS}
        self._matched: Counter[str] = Counter()

    def add(self, columns: TurnColumns) -> None:
        """Add turns of whole conversations."""
        self._matched.update({rung: int(mask.sum()) for rung, mask in columns.matches.items()})
        for pattern, between in self._found.items():
            inside = columns.matches[pattern.high] & ~columns.matches[pattern.low]
            between.add(inside.astype(np.float64), columns.conversation)

    def described(self) -> list[dict[str, Any]]:
        """Return a row per pattern: both accuracies, the gap with n and interval, whether it is notable, a reading."""
        return [self._row(pattern, between) for pattern, between in self._found.items()]

    def _row(self, pattern: _Pattern, between: ConversationMean) -> dict[str, Any]:
        gap, n, turns = between.described(), between.n, int(between.total)
        notable = bool(n and gap["mean"] >= NOTABLE and between.n_held >= FEWEST_CONVERSATIONS)
        return {
            "pattern": pattern.name,
            "low": pattern.low,
            "low_accuracy": self._matched[pattern.low] / n if n else None,
            "high": pattern.high,
            "high_accuracy": self._matched[pattern.high] / n if n else None,
            "gap": gap["mean"],
            "turns": turns,
            "n": n,
            "ci_low": gap["ci_low"],
            "ci_high": gap["ci_high"],
            "notable": notable,
            "reading": _reading(pattern, turns, n, notable=notable),
        }


def _reading(pattern: _Pattern, turns: int, n: int, *, notable: bool) -> str:
    if not turns:
        return f"No turn fits: none of {n} turns {pattern.what}."
    share = f"{turns} of {n} turns ({100 * turns / n:.1f} %) {pattern.what}"
    return f"{share}: {pattern.advice}." if notable else f"{share}: too few to act on."
