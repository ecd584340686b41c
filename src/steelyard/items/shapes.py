"""Shapes of rows: which keys stand in which order, and what kind of value each has.

What a field means (id, input, reference, prediction, tag) depends on names and kinds alone, so it is decided once per
shape, by the same functions that decide it for a single row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

TEXT, INTEGER, FRACTION, TRUE, FALSE, NULL, OBJECT, ARRAY, END = 1, 2, 3, 4, 5, 6, 7, 8, 9
_CONSTANTS: dict[int, Any] = {TRUE: True, FALSE: False, NULL: None}
_FIRST_NUMBER = 10**15


@dataclass(frozen=True, slots=True)
class Member:
    """One value of a row."""

    path: tuple[str, ...]
    """Its key, after the key of the object it stands in."""
    kind: int


@dataclass(frozen=True, slots=True)
class Shape:
    """The members of a row in the order they are written."""

    members: tuple[Member, ...]

    @classmethod
    def decoded(cls, content: bytes) -> Shape:
        """Return a shape as the scan writes it: kind, length of key, key; objects are closed by END."""
        members: list[Member] = []
        outer: tuple[str, ...] = ()
        place = 0
        while place < len(content):
            kind = content[place]
            if kind == END:
                outer = ()
                place += 1
                continue
            end = place + 2 + content[place + 1]
            path = (*outer, content[place + 2 : end].decode())
            members.append(Member(path, kind))
            outer = path if kind == OBJECT else outer
            place = end
        return cls(tuple(members))

    @property
    def has_duplicates(self) -> bool:
        """Whether a key stands twice in one object, which only the strict reader may report."""
        return len({member.path for member in self.members}) < len(self.members)

    def example(self) -> dict[str, Any]:
        """Return a row of this shape whose texts and numbers tell which member they are; see `member_of`."""
        fields: dict[str, Any] = {}
        for place, member in enumerate(self.members):
            holder = fields if len(member.path) == 1 else fields[member.path[0]]
            holder[member.path[-1]] = _example(member.kind, place)
        return fields

    def member_of(self, value: Any) -> int | None:
        """Return the member that a value of the example (or a number as text) stands for, or None."""
        for place, member in enumerate(self.members):
            example = _example(member.kind, place)
            if member.kind == TEXT and value == example:
                return place
            if member.kind == INTEGER and type(value) in (int, str) and str(value) == str(example):
                return place
            if member.kind in (FRACTION, ARRAY) and type(value) is type(example) and value == example:
                return place
        return None


def _example(kind: int, place: int) -> Any:
    if kind == TEXT:
        return f"\ue000member {place}\ue000"
    if kind == INTEGER:
        return _FIRST_NUMBER + place
    if kind == FRACTION:
        return _FIRST_NUMBER + place + 0.5
    if kind == ARRAY:
        return [f"\ue000member {place}\ue000"]
    return {} if kind == OBJECT else _CONSTANTS[kind]
