"""What a scorer says of one item."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

Direction: TypeAlias = Literal["higher", "lower"]
ValueKind: TypeAlias = Literal["rate", "bounded", "percent", "amount", "unbounded"]
"""What values a number can have, declared where it is registered: 0 or 1, 0 to 1, 0 to 100, 0 or more, any."""


class Score(msgspec.Struct, frozen=True):
    """What a scorer function returns; the registry adds `pass` by the threshold."""

    primary: float
    """In [0, 1] and finite."""
    explain: str = ""
    """One sentence a person can act on: what was expected, what was found, by how much it missed."""
    sub_scores: dict[str, float | None] = msgspec.field(default_factory=dict)
    """Null where a part is undefined for this item; it is left out of that part's mean."""
    error_tags: tuple[str, ...] = ()


class Scorecard(msgspec.Struct, frozen=True):
    """One item judged: seed 003's ScoreCard, with exactly its keys."""

    primary_score: float
    passed: bool = msgspec.field(name="pass")
    sub_scores: dict[str, float | None] = msgspec.field(default_factory=dict)
    error_tags: tuple[str, ...] = ()
    explain: str = ""
