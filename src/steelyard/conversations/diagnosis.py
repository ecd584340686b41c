"""Seed 004's first workflow, filled in with a run's numbers: what kind of mistake stands behind a low accuracy."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from steelyard.conversations.breakdowns import TurnColumns
from steelyard.conversations.complexity import percent
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


# How one wrong turn leads to the next.


Integers: TypeAlias = npt.NDArray[np.int64]
Mask: TypeAlias = npt.NDArray[np.bool_]


class Propagation:
    """The first failing turns, and how often a wrong turn follows a wrong one and a right one."""

    def __init__(self) -> None:
        self._first: Counter[int] = Counter()
        self._conversations = 0
        self._after_wrong = ConversationMean("rate")
        self._after_right = ConversationMean("rate")

    def add(self, right: Mask, turn: Integers, conversation: Integers) -> None:
        """Add turns of whole conversations; those of one conversation stand side by side, in order."""
        starts = np.append(True, conversation[1:] != conversation[:-1])[: len(right)]
        after_wrong, after_right = np.zeros(len(right), np.bool_), np.zeros(len(right), np.bool_)
        after_wrong[1:], after_right[1:] = ~right[:-1], right[:-1]
        wrong = (~right).astype(np.float64)
        for mean, follows in ((self._after_wrong, after_wrong & ~starts), (self._after_right, after_right & ~starts)):
            mean.add(wrong[follows], conversation[follows])
        failing = np.flatnonzero(~right)
        _, firsts = np.unique(conversation[failing], return_index=True)
        self._first.update(turn[failing[firsts]].tolist())
        self._conversations += int(starts.sum())

    def described(self) -> dict[str, Any]:
        """Return all of it, with a reading."""
        after_wrong, after_right = self._after_wrong.described(), self._after_right.described()
        last = max(self._first, default=-1)
        return {
            "first_failing_turn": {str(index): self._first[index] for index in range(last + 1)},
            "conversations_without_failure": self._conversations - self._first.total(),
            "wrong_after_wrong": after_wrong,
            "wrong_after_right": after_right,
            "reading": _reading_of_propagation(after_wrong, after_right),
        }


def _reading_of_propagation(wrong: dict[str, Any], right: dict[str, Any]) -> str:
    if wrong["mean"] is None or right["mean"] is None:
        return "There are too few turns to say whether errors propagate."
    text = f"A wrong turn is followed by a wrong one in {percent(wrong)} of {wrong['n']} cases, a right turn in "
    text += f"{percent(right)} of {right['n']}"
    if wrong["ci_low"] is not None and right["ci_high"] is not None and wrong["ci_low"] > right["ci_high"]:
        return f"{text}: errors propagate."
    return f"{text}: the intervals overlap, so propagation is not shown."
