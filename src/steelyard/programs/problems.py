"""What can be wrong with a turn program, shown with a caret under the place."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Literal, TypeAlias
from unicodedata import east_asian_width

from steelyard.errors import InputError, Problem, escape

Kind: TypeAlias = Literal[
    "empty",
    "too-long",
    "unknown-operation",
    "argument-count",
    "bad-argument",
    "later-step",
    "parenthesis",
    "separator",
    "no-table",
    "unknown-row",
    "bad-cell",
    "not-a-number",
    "division-by-zero",
    "overflow",
    "not-real",
]

CONTEXT = 40
"""How many characters of the program are shown before, at and after the place."""


class ProgramError(InputError, ValueError):
    """A turn program that cannot be read, or that has no value."""

    def __init__(
        self, kind: Kind, message: str, *, source: str, start: int, end: int | None = None, hint: str = ""
    ) -> None:
        self.kind: Kind = kind
        """Which of the mistakes it is, for programs that must tell them apart."""
        self.column = start + 1
        self.pointer = pointer(source, start, start + 1 if end is None else end)
        """The part of the program around the place, and carets under the place; safe to show."""
        shown = f"column {self.column}: {message}"
        super().__init__(Problem(code="bad-program", message=shown, hint=hint, column=self.column))

    def __str__(self) -> str:
        first, *rest = super().__str__().split("\n")
        return "\n".join([first, self.pointer, *rest])


def pointer(source: str, start: int, end: int) -> str:
    """Return the part of `source` around a place, and carets under the place."""
    before = escape(source[max(0, start - CONTEXT) : start])
    marked = escape(source[start : min(end, start + CONTEXT)])
    after = escape(source[min(end, start + CONTEXT) :][:CONTEXT])
    return f"    {before}{marked}{after}\n    {' ' * _width(before)}{'^' * max(1, _width(marked))}"


def _width(text: str) -> int:
    return sum(2 if east_asian_width(character) in "WF" else 1 for character in text)


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return a did-you-mean for a name that is not known, or nothing when none is near."""
    # Closeness is quadratic in the length of the name, and no name we know is this long.
    close = get_close_matches(name, list(known), n=1) if len(name) <= 100 else []
    return f"did you mean {close[0]!r}?" if close else ""
