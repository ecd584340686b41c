"""Tags that users expect to slice by and that data often lacks (page 20): derived when a slice asks for them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from steelyard.text.tokens import tokens

SHORT = 20
LONG = 100
"""Inputs under 20 tokens are short, from 100 on long, between them medium."""

PROGRAM_FIELDS = ("turn_program", "program", "ground_truth_program")


@dataclass(frozen=True, slots=True)
class Derivable:
    """What a tag can be derived from."""

    fields: Mapping[str, Any]
    input: str
    turn: int | None
    answer_type: str


def derived_tags(found: Derivable, tags: Mapping[str, str], wanted: Collection[str]) -> dict[str, str]:
    """Return the wanted tags that an item does not have itself and that can be derived."""
    derived: dict[str, str] = {}
    for name, derive in _DERIVATIONS.items():
        if name in wanted and name not in tags:
            value = derive(found)
            if value is not None:
                derived[name] = value
    return derived


def length_bucket(text: str) -> str:
    """Return how long an input is.

    >>> length_bucket("What is 2 + 2?")
    'short'
    """
    size = len(tokens(text, "basic"))
    return "short" if size < SHORT else "medium" if size < LONG else "long"


def _operations(found: Derivable) -> str | None:
    program = next((found.fields[name] for name in PROGRAM_FIELDS if isinstance(found.fields.get(name), str)), None)
    if program is None:
        return None
    from steelyard.programs import ProgramError, operations_per_turn  # noqa: PLC0415 - most items have no program

    try:
        return str(operations_per_turn(program))
    except ProgramError:
        return None


_DERIVATIONS: dict[str, Callable[[Derivable], str | None]] = {
    "length_bucket": lambda found: length_bucket(found.input),
    "turn": lambda found: None if found.turn is None else str(found.turn),
    "operations": _operations,
    "answer_type": lambda found: str(found.fields.get("answer_type", found.answer_type)),
}
