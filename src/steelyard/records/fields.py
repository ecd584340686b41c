"""Which fields of a row hold what, where a configuration says so."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FieldNames:
    """Field names that replace page 10's; None leaves the choice to page 10. `a.b` reaches into nested objects."""

    id: str | None = None
    input: str | None = None
    reference: str | None = None
    prediction: str | None = None
    confidence: str | None = None
    choices: str | None = None
    conversation: str | None = None
    turn: str | None = None
