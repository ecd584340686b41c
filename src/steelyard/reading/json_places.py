"""Where in a JSON text something stands, for messages about values that a parser has already refused."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

_TOKEN = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[{}\[\]:,]|[^\s{}\[\]:,"]+', re.DOTALL)


@dataclass(frozen=True, slots=True)
class KeyPlace:
    """A key that stands a second time in its object."""

    key: str
    column: int
    line: int
    first_line: int


def duplicate_key(text: str) -> KeyPlace | None:
    """Return the first key that stands a second time in its object; the text up to there is well-formed."""
    seen: list[dict[str, int]] = []
    literal, position = "", 0
    for token in _TOKEN.finditer(text):
        if token.group() in ("{", "["):
            seen.append({})
        elif token.group() in ("}", "]"):
            seen.pop()
        elif token.group() == ":":
            key = json.loads(literal)
            first = seen[-1].setdefault(key, position)
            if first != position:
                return _place(text, key, position, first)
        literal, position = token.group(), token.start()
    return None


def _place(text: str, key: str, position: int, first: int) -> KeyPlace:
    line, column = line_and_column(text, position)
    return KeyPlace(key, column, line, line_and_column(text, first)[0])


def literal_column(text: str, literal: str) -> int | None:
    """Return the column of a bare literal such as `NaN`, outside strings, or None where it does not stand."""
    for match in _TOKEN.finditer(text):
        if match.group() == literal:
            return line_and_column(text, match.start())[1]
    return None


def line_and_column(text: str, position: int) -> tuple[int, int]:
    """Return the line and the column of a position, both from 1."""
    return text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position)
