"""Seed 004's first workflow, filled in with a run's numbers: what kind of mistake stands behind a low accuracy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from steelyard.conversations.columns import TurnColumns
from steelyard.conversations.means import described

NOTABLE = 0.02
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


def diagnosis(columns: TurnColumns) -> list[dict[str, Any]]:
    """Return one row per pattern: both accuracies, the gap with n and interval, whether it is notable, and a reading.

    The seed compares numerical with soft matches for rounding; soft is inside numerical, so that gap is always 0, and
    exact matches are compared instead (page 40).
    """
    return [_row(pattern, columns) for pattern in _PATTERNS]


def _row(pattern: _Pattern, columns: TurnColumns) -> dict[str, Any]:
    low, high = columns.matches[pattern.low], columns.matches[pattern.high]
    between = high & ~low
    gap = described(between.astype(np.float64), columns.conversation)
    sure = gap["ci_low"] is not None and gap["ci_low"] > 0
    notable = bool(sure and gap["mean"] >= NOTABLE)
    return {
        "pattern": pattern.name,
        "low": pattern.low,
        "low_accuracy": float(low.mean()) if len(low) else None,
        "high": pattern.high,
        "high_accuracy": float(high.mean()) if len(high) else None,
        "gap": gap["mean"],
        "turns": int(between.sum()),
        "n": gap["n"],
        "ci_low": gap["ci_low"],
        "ci_high": gap["ci_high"],
        "notable": notable,
        "reading": _reading(pattern, int(between.sum()), len(columns), notable=notable),
    }


def _reading(pattern: _Pattern, turns: int, n: int, *, notable: bool) -> str:
    if not turns:
        return f"No turn fits: none of {n} turns {pattern.what}."
    share = f"{turns} of {n} turns ({100 * turns / n:.1f} %) {pattern.what}"
    return f"{share}: {pattern.advice}." if notable else f"{share}: too few to act on."
