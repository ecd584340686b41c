"""The line above every figure and every verdict of a run of which more than half has no answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steelyard.errors import excerpt


def hardly_answered(name: str, n_items: int, n_answered: int) -> str:
    """Return the line of a run of which more than half has no answer; empty for any other.

    >>> hardly_answered("nightly", 40, 19)
    'nightly has no answer to 21 of its 40 items: more than half is unanswered'
    """
    silent = n_items - n_answered
    if 2 * silent <= n_items:
        return ""
    return f"{excerpt(name)} has no answer to {silent:,} of its {n_items:,} items: more than half is unanswered"


def results_warnings(name: str, results: Mapping[str, Any], *, dry: bool = False) -> list[str]:
    """Return what stands above the figures of a run; a dry run says itself that it answered nothing."""
    card = results.get("scorecard")
    if dry or not card:
        return []
    line = hardly_answered(name, card["n_items"], card["states"]["scored"])
    return [line] if line else []
