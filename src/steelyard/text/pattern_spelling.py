r"""A parsed pattern spelled so that `re` and `regex` read it alike.

The two differ in what `\w`, `\s`, `\d` and `\b` take beyond ASCII, in which letters are equal when case is ignored,
and in syntax that only `regex` has. So every element is written out from what the parser of `re` made of it: a class as
the characters that `re` takes, no flags but those of one element, and nothing that needs `regex` to read it right.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any, Literal, TypeAlias

from steelyard.text.pattern_tables import (
    ASCII_END,
    UNICODE_END,
    Ranges,
    further_letters,
    taken,
    without,
    word_characters,
)

_IGNORE_CASE, _MULTILINE, _DOT_ALL = int(re.IGNORECASE), int(re.MULTILINE), int(re.DOTALL)
_CLASS_FLAGS = int(re.IGNORECASE | re.ASCII | re.UNICODE)
_REPEATS = {
    _constants.MAX_REPEAT: "",
    _constants.MIN_REPEAT: "?",
    _constants.POSSESSIVE_REPEAT: "+",
}
_SIGNS = {(0, 1): "?", (0, _constants.MAXREPEAT): "*", (1, _constants.MAXREPEAT): "+"}
_NOTHING = "(?!)"
_DEEPEST = 100
_MANY = 300
"""A class of more ranges than this has a shorter spelling as all words and something more, or as none and less."""


Texts: TypeAlias = Literal["ascii", "alike", "any"]
"""Which texts a spelling is for: those in ASCII, those of characters that both libraries class alike, or any."""


class NoSpelling(Exception):  # noqa: N818 - a finding about a pattern, not a fault
    """A pattern that `regex` cannot be made to read as `re` does."""


@dataclass(frozen=True, slots=True)
class Spelling:
    """A pattern for `regex`."""

    text: str
    is_lowered: bool
    """Whether texts are searched in lower case: so what a group took is compared without regard to case."""
    ascii_only: bool
    """Whether only letters of ASCII have two cases."""


def spelling(tree: Any, texts: Texts) -> Spelling:
    """Return the spelling of a parsed pattern for a kind of texts."""
    writer = _Writer(texts)
    text = writer.sequence(tree, tree.state.flags)
    if writer.ignores_case_of_groups and writer.heeds_case:
        raise NoSpelling("a group is taken up again without regard to case, while other parts heed case")
    return Spelling(text, writer.ignores_case_of_groups, bool(tree.state.flags & int(re.ASCII)))


class _Writer:
    def __init__(self, texts: Texts) -> None:
        self._texts = texts
        self._beyond = texts != "ascii"
        self._depth = 0
        self._open: list[int] = []
        self.ignores_case_of_groups = False
        self.heeds_case = False

    def sequence(self, elements: Any, flags: int) -> str:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise NoSpelling(f"its groups stand more than {_DEEPEST} deep in each other")
        found = "".join(self._element(operation, argument, flags) for operation, argument in elements)
        self._depth -= 1
        return found

    def _element(self, operation: Any, argument: Any, flags: int) -> str:
        match operation:
            case _constants.LITERAL | _constants.NOT_LITERAL | _constants.IN:
                return self._characters(operation, argument, flags)
            case _constants.ANY:
                return "(?s:.)" if flags & _DOT_ALL else "."
            case _constants.AT:
                return self._place(argument, flags)
            case _constants.BRANCH:
                return f"(?:{'|'.join(self.sequence(branch, flags) for branch in argument[1])})"
            case _constants.SUBPATTERN:
                return self._group(argument, flags)
            case _constants.MAX_REPEAT | _constants.MIN_REPEAT | _constants.POSSESSIVE_REPEAT:
                return self._repeat(operation, argument, flags)
            case _:
                return self._further(operation, argument, flags)

    def _further(self, operation: Any, argument: Any, flags: int) -> str:
        match operation:
            case _constants.ASSERT | _constants.ASSERT_NOT:
                direction, inner = argument
                kind = "=" if operation is _constants.ASSERT else "!"
                return f"(?{'<' if direction < 0 else ''}{kind}{self.sequence(inner, flags)})"
            case _constants.ATOMIC_GROUP:
                return f"(?>{self.sequence(argument, flags)})"
            case _constants.GROUPREF:
                self.ignores_case_of_groups |= bool(flags & _IGNORE_CASE)
                self.heeds_case |= not flags & _IGNORE_CASE
                return rf"\g<{argument}>"
            case _constants.GROUPREF_EXISTS:
                group, found, missing = argument
                if group in self._open:
                    raise NoSpelling("whether a group took part is asked inside that group")
                other = f"|{self.sequence(missing, flags)}" if missing else ""
                return f"(?({group}){self.sequence(found, flags)}{other})"
            case _constants.FAILURE:
                return _NOTHING
            case _:
                raise NoSpelling(f"{str(operation).lower()} is not supported")

    def _characters(self, operation: Any, argument: Any, flags: int) -> str:
        self.heeds_case |= not flags & _IGNORE_CASE
        if operation is _constants.LITERAL and not flags & _IGNORE_CASE:
            return _character(argument)
        if self._texts == "alike" and operation is _constants.IN and not flags & int(re.IGNORECASE | re.ASCII):
            return _class_as_written(argument)
        members = tuple(argument) if operation is _constants.IN else argument
        return self._class(taken(operation, members, flags & _CLASS_FLAGS, beyond=self._beyond))

    def _class(self, ranges: Ranges) -> str:
        end = UNICODE_END if self._beyond else ASCII_END
        if not ranges:
            return _NOTHING
        if len(ranges) == 1 and ranges[0][1] - ranges[0][0] == 1:
            return _character(ranges[0][0])
        if list(ranges) == [(0, end)]:
            return "(?s:.)"
        return f"[{''.join(map(_range, ranges)) if len(ranges) <= _MANY else _with_words(ranges)}]"

    def _place(self, place: Any, flags: int) -> str:
        match place:
            case _constants.AT_BEGINNING:
                return "(?m:^)" if flags & _MULTILINE else r"\A"
            case _constants.AT_END:
                return "(?m:$)" if flags & _MULTILINE else "$"
            case _constants.AT_BEGINNING_STRING:
                return r"\A"
            case _constants.AT_END_STRING:
                return r"\Z"
            case _constants.AT_BOUNDARY:
                return self._boundary(flags)
            case _constants.AT_NON_BOUNDARY:
                # An empty text has no place that is no boundary, before Python 3.14.
                return f"(?!{self._boundary(flags)})" + ("" if re.search(r"\B", "") else r"(?!\A\Z)")
            case _:
                raise NoSpelling(f"{str(place).lower()} is not supported")

    def _boundary(self, flags: int) -> str:
        if self._texts != "any" or flags & int(re.ASCII):
            return r"(?a:\b)" if flags & int(re.ASCII) else r"\b"
        word = self._class(word_characters(int(re.UNICODE), beyond=True))
        return f"(?:(?<={word})(?!{word})|(?<!{word})(?={word}))"

    def _group(self, argument: Any, flags: int) -> str:
        group, added, removed, inner = argument
        if added & _parser.TYPE_FLAGS & ~flags:
            raise NoSpelling("a part of it is for ASCII, or for Unicode, other than the rest: write (?a) at its start")
        self._open.append(group)
        text = self.sequence(inner, (flags | added) & ~removed)
        self._open.pop()
        return f"(?:{text})" if group is None else f"({text})"

    def _repeat(self, operation: Any, argument: Any, flags: int) -> str:
        least, most, inner = argument
        exact = f"{{{least},{'' if most is _constants.MAXREPEAT else most}}}"
        return f"(?:{self.sequence(inner, flags)}){_SIGNS.get((least, most), exact)}{_REPEATS[operation]}"


_CATEGORIES = {
    "CATEGORY_WORD": r"\w",
    "CATEGORY_NOT_WORD": r"\W",
    "CATEGORY_DIGIT": r"\d",
    "CATEGORY_NOT_DIGIT": r"\D",
    "CATEGORY_SPACE": r"\s\x1c-\x1f",
    "CATEGORY_NOT_SPACE": r"[^\s\x1c-\x1f]",
}
"""Of ASCII, `re` takes four separators for spaces that `regex` does not."""


def _class_as_written(members: Any) -> str:
    return f"[{''.join(_member(kind, value) for kind, value in members)}]"


def _member(kind: Any, value: Any) -> str:
    match kind:
        case _constants.NEGATE:
            return "^"
        case _constants.LITERAL:
            return _character(value)
        case _constants.RANGE:
            return _range((value[0], value[1] + 1))
        case _:
            return _CATEGORIES[str(value)]


def _with_words(ranges: Ranges) -> str:
    r"""Return the inside of a class of many ranges, which are those of `\w` or `\W` and a few more."""
    words = word_characters(int(re.UNICODE), beyond=True)
    if not without(words, ranges):
        return _words() + "".join(map(_range, without(ranges, words)))
    others = without([(0, UNICODE_END)], ranges)
    if not without(words, others):
        return "^" + _words() + "".join(map(_range, without(others, words)))
    return "".join(map(_range, ranges))


def _words() -> str:
    further = "".join(map(_range, further_letters()))
    return rf"[[\p{{L}}\p{{N}}_]--[{further}]]" if further else r"[\p{L}\p{N}_]"


def _range(found: tuple[int, int]) -> str:
    first, end = found
    return _character(first) if end - first == 1 else f"{_character(first)}-{_character(end - 1)}"


def _character(point: int) -> str:
    """Return a character as it may stand in a class and outside one: of ASCII, only letters and digits as they are."""
    character = chr(point)
    return character if point >= ASCII_END or character.isalnum() else f"\\x{point:02x}"
