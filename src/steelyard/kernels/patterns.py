r"""Patterns without repetition over a block: `\.$`, `^(?:Sure|Of course)`, `\[\d\]`.

Such a pattern is a list of alternatives, each a sequence of single characters or classes with an anchor at either end.
A pattern with anything else has no block form. Classes whose members beyond ASCII depend on Unicode's tables (`\w`,
`\d`, `\s`) ask the item form about texts that have such characters.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from steelyard.kernels.compiled import BYTES, INTEGERS, Loop
from steelyard.kernels.memory import arrays
from steelyard.records.blocks import TextColumn

search_loop = Loop(
    "steelyard.kernels.loops.patterns",
    "search",
    (BYTES, INTEGERS, INTEGERS, BYTES, BYTES, INTEGERS, INTEGERS, INTEGERS, BYTES, INTEGERS),
)

_NO, _YES, _UNKNOWN = 0, 1, 2
_ANYWHERE, _LINE_END, _TEXT_END = 0, 1, 2
_MOST_SEQUENCES = 64
_OTHER_SYNTAX = ("[[", "[:", "--", "&&", "||", "~~", "(?", "\\N", "\\u", "\\U")
"""What `regex` may read otherwise than `re` does, whose parser is used here; `(?:` is allowed."""
_ASCII = [chr(point) for point in range(128)]

Flags: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class _Position:
    """One character of a sequence."""

    ascii: bytes
    """A flag for each ASCII character."""
    beyond: int


@dataclass(frozen=True, slots=True)
class _Sequence:
    positions: tuple[_Position, ...] = ()
    at_start: bool = False
    at_end: int = _ANYWHERE


class _NoBlockForm(Exception):  # noqa: N818 - a finding about a pattern, not a fault
    pass


class PatternBlock:
    """A search over many texts, equal to `regex.search` text by text."""

    def __init__(self, sequences: Sequence[_Sequence], found: Callable[[str], bool]) -> None:
        positions = [position for sequence in sequences for position in sequence.positions]
        self._found = found
        self._classes = np.frombuffer(b"".join(position.ascii for position in positions) or bytes(128), np.uint8)
        self._beyond = np.array([position.beyond for position in positions] or [0], np.uint8)
        self._lasts = np.cumsum([len(sequence.positions) for sequence in sequences]).astype(np.int64)
        self._at_start = np.array([sequence.at_start for sequence in sequences], np.int64)
        self._at_end = np.array([sequence.at_end for sequence in sequences], np.int64)

    def search(self, column: TextColumn) -> Flags:
        """Return in which texts the pattern is found."""
        found, slow = np.empty(len(column), np.uint8), np.empty(len(column), np.int64)
        forms = self._classes, self._beyond, self._lasts, self._at_start, self._at_end
        left = search_loop(*arrays(column), *forms, found, slow)
        for row in slow[:left].tolist():
            found[row] = self._found(column[row])
        return found.astype(np.bool_)


def pattern_block(pattern: str, found: Callable[[str], bool]) -> PatternBlock | None:
    r"""Return the block form of a pattern, or None; `found` is its item form.

    >>> block = pattern_block(r"\.$", lambda text: text.endswith("."))
    >>> block.search(TextColumn.of(["yes.", "no", "yes.\n"])).tolist()
    [True, False, True]
    """
    if any(syntax in pattern.replace("(?:", "(") for syntax in _OTHER_SYNTAX):
        return None
    try:
        sequences = _sequences(_parser.parse(pattern))
    except (_NoBlockForm, re.error):
        return None
    return PatternBlock(sequences, found) if len(sequences) <= _MOST_SEQUENCES else None


def _sequences(parsed: Any) -> list[_Sequence]:
    """Return the alternatives of a parsed pattern."""
    found = [_Sequence()]
    for operation, argument in parsed:
        parts = _parts(operation, argument)
        if len(found) * len(parts) > _MOST_SEQUENCES:
            raise _NoBlockForm
        found = [_joined(left, right) for left, right in product(found, parts)]
    return found


def _parts(operation: Any, argument: Any) -> list[_Sequence]:
    match operation:
        case _constants.LITERAL:
            return [_Sequence((_literal(argument),))]
        case _constants.NOT_LITERAL | _constants.ANY | _constants.IN:
            return [_Sequence((_class(operation, argument),))]
        case _constants.AT:
            return [_anchor(argument)]
        case _constants.SUBPATTERN if not argument[1] and not argument[2]:
            return _sequences(argument[3])
        case _constants.BRANCH:
            return [sequence for alternative in argument[1] for sequence in _sequences(alternative)]
        case _:
            raise _NoBlockForm


def _joined(left: _Sequence, right: _Sequence) -> _Sequence:
    if (left.positions and right.at_start) or (left.at_end and right.positions) or (left.at_end and right.at_end):
        raise _NoBlockForm
    at_end = left.at_end or right.at_end
    return _Sequence(left.positions + right.positions, left.at_start or right.at_start, at_end)


def _literal(point: int) -> _Position:
    if point >= 128:
        raise _NoBlockForm
    return _Position(bytes(index == point for index in range(128)), _NO)


def _class(operation: Any, argument: Any) -> _Position:
    if operation is _constants.ANY:
        return _Position(bytes(character != "\n" for character in _ASCII), _YES)
    members = [(_constants.NEGATE, None), (_constants.LITERAL, argument)]
    members = members if operation is _constants.NOT_LITERAL else argument
    negated = members[0][0] is _constants.NEGATE
    if any(not _is_ascii(*member) for member in members):
        raise _NoBlockForm
    taken = [any(_takes(member, index) for member in members) != negated for index in range(128)]
    category = any(kind is _constants.CATEGORY for kind, _ in members)
    return _Position(bytes(taken), _UNKNOWN if category else _YES if negated else _NO)


def _is_ascii(kind: Any, value: Any) -> bool:
    if kind is _constants.LITERAL:
        return bool(value < 128)
    if kind is _constants.RANGE:
        return bool(value[1] < 128)
    return kind in (_constants.NEGATE, _constants.CATEGORY)


def _takes(member: tuple[Any, Any], index: int) -> bool:
    kind, value = member
    if kind is _constants.LITERAL:
        return bool(index == value)
    if kind is _constants.RANGE:
        return bool(value[0] <= index <= value[1])
    return kind is _constants.CATEGORY and re.match(_CATEGORIES[str(value)], chr(index)) is not None


_CATEGORIES = {
    f"CATEGORY_{'NOT_' if letter.isupper() else ''}{name}": f"\\{letter}"
    for name, letters in (("DIGIT", "dD"), ("SPACE", "sS"), ("WORD", "wW"))
    for letter in letters
}


def _anchor(kind: Any) -> _Sequence:
    match kind:
        case _constants.AT_BEGINNING | _constants.AT_BEGINNING_STRING:
            return _Sequence(at_start=True)
        case _constants.AT_END:
            return _Sequence(at_end=_LINE_END)
        case _constants.AT_END_STRING:
            return _Sequence(at_end=_TEXT_END)
        case _:
            raise _NoBlockForm
