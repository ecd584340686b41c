"""Items, predictions and the one state each item ends in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import msgspec

State: TypeAlias = Literal["scored", "unparsed", "missing", "failed", "timeout"]
STATES: tuple[State, ...] = ("scored", "unparsed", "missing", "failed", "timeout")
SKIPPED: tuple[State, ...] = ("missing", "failed", "timeout")
"""States without an output. They score 0 and stay in the denominator."""

UNAVAILABLE = "unavailable: a dry run asks no model"
"""What stands in place of a score's explanation where there is no score to explain."""
UNTAGGED = "_untagged"
"""Where an item goes in a slice whose tag it lacks; refused as a literal value in data."""


class Item(msgspec.Struct, frozen=True):
    """One thing to answer, as read from a dataset."""

    id: str
    input: str
    fields: dict[str, Any]
    """The whole row, from which references are taken."""
    tags: dict[str, str]
    line: int
    conversation: str | None = None
    turn: int | None = None
    held_keys: tuple[str, ...] = ()
    """The fields of the row out of which a key was taken."""


class Prediction(msgspec.Struct, frozen=True):
    """What a model gave for an item: its output and what is known about it, or the error instead of one."""

    fields: dict[str, Any]
    """The whole row, from which the output is taken."""
    state: State | None = None
    """Set where the model gave no output: `failed` or `timeout`."""
    error: str | None = None
    measures: dict[str, float | int | None] = {}
    """Its numbers by the names of `records.measures`."""
    line: int | None = None
    held_key: bool = False
    """Whether a key was taken out of it: here, or before it came into the journal."""


# Which fields of a row hold what, where a configuration says so.


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
