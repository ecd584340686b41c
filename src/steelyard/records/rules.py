"""A format rule on raw output, as the scoring room takes it (page 20)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Rule:
    """A name and exactly one condition."""

    name: str
    pattern: str | None = None
    invert: bool = False
    """Passes when the pattern does not match."""
    max_tokens: int | None = None
    min_tokens: int | None = None
    json_schema: dict[str, Any] | bool | None = None
    one_of: tuple[str, ...] | None = None
