"""What extraction gives: an answer that was found, or the reason why there is none. The error tags of this room."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from steelyard.numbers.grammar import Quantity

PARSE_ERROR = "parse_error"
AMBIGUOUS_ANSWER = "ambiguous_answer"
TYPE_MISMATCH = "type_mismatch"
NOT_A_NUMBER = "not_a_number"
UNCLOSED_REASONING = "unclosed_reasoning"
INVALID_UNICODE = "invalid_unicode"
REGEX_TIMEOUT = "regex_timeout"

ERROR_TAGS: dict[str, str] = {
    PARSE_ERROR: "there is an output, but no answer in it",
    AMBIGUOUS_ANSWER: "the output gives two answers that disagree",
    TYPE_MISMATCH: "the output is JSON of another type than the answer's",
    NOT_A_NUMBER: "the answer is not a number in the grammar of numbers",
    UNCLOSED_REASONING: "a reasoning block was opened and never closed",
    INVALID_UNICODE: "the output has a lone surrogate, which is no character",
    REGEX_TIMEOUT: "the task's pattern ran for longer than a second on this output",
}
"""Every tag that canonicalisation can set, with its meaning."""


@dataclass(frozen=True, slots=True)
class Found:
    """An answer as it stands in the text; a string, except that a JSON field may hold any JSON value."""

    value: Any
    start: int | None = None
    """Where the answer's marker, or the answer itself, begins in the text."""
    quantity: Quantity | None = None
    """The number, where it was read in its surroundings."""


@dataclass(frozen=True, slots=True)
class NotFound:
    """No answer, and why."""

    tags: tuple[str, ...]
    reason: str


Outcome: TypeAlias = Found | NotFound


def nothing(reason: str) -> NotFound:
    """Return the outcome for a text without an answer in it."""
    return NotFound((PARSE_ERROR,), reason)


def ambiguous(candidates: list[str]) -> NotFound:
    """Return the outcome for candidates that disagree."""
    return NotFound((AMBIGUOUS_ANSWER,), f"the answers {' and '.join(sorted(set(candidates))[:5])} disagree")
