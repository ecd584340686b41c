"""What `re` itself says of single characters: which of them a class takes, and what is lower case."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from re import _compiler, _constants, _parser  # type: ignore[attr-defined]
from typing import Any, TypeAlias

import regex

Ranges: TypeAlias = Sequence[tuple[int, int]]
"""Code points from the first to before the second."""

ASCII_END, UNICODE_END = 0x80, 0x110000
_LETTERS_LIKE_ASCII = "\u0130\u0131\u017f\u212a"
"""The letters beyond ASCII that equal one of ASCII where case is ignored: those of Turkish, the long s, the kelvin."""
_LETTERS_AND_NUMBERS = r"[\p{L}\p{N}_]"


@lru_cache(maxsize=1024)
def taken(operation: Any, argument: Any, flags: int, *, beyond: bool) -> Ranges:
    """Return the characters that one element of a parsed pattern takes: `re` is asked about each.

    `argument` is hashable: the members of a class are a tuple.
    """
    if beyond and operation is _constants.LITERAL and argument < ASCII_END:
        return _same_letter(argument, flags)
    members = list(argument) if operation is _constants.IN else argument
    one = _subpattern([(operation, members)])
    many = _subpattern([(_constants.MAX_REPEAT, (1, _constants.MAXREPEAT, one))])
    compiled = _compiler.compile(many, flags)
    return tuple(found.span() for found in compiled.finditer(_alphabet(UNICODE_END if beyond else ASCII_END)))


def _same_letter(point: int, flags: int) -> Ranges:
    """Return the characters that equal one of ASCII where case is ignored; asking about all others takes its time."""
    one = _compiler.compile(_subpattern([(_constants.LITERAL, point)]), flags)
    found = sorted(set(map(ord, chr(point).lower() + chr(point).upper() + _LETTERS_LIKE_ASCII)))
    return tuple((other, other + 1) for other in found if one.match(chr(other)))


def _subpattern(elements: list[Any]) -> Any:
    return _parser.SubPattern(_parser.State(), elements)


@lru_cache(maxsize=2)
def _alphabet(end: int) -> str:
    return "".join(map(chr, range(end)))


@lru_cache(maxsize=4)
def word_characters(flags: int, *, beyond: bool) -> Ranges:
    r"""Return what `\w` takes."""
    return taken(_constants.IN, ((_constants.CATEGORY, _constants.CATEGORY_WORD),), flags, beyond=beyond)


@lru_cache(maxsize=1)
def further_letters() -> Ranges:
    r"""Return what `[\p{L}\p{N}_]` takes in `regex` beyond the `\w` of `re`: characters of a newer Unicode."""
    found = regex.finditer(f"{_LETTERS_AND_NUMBERS}+", _alphabet(UNICODE_END))
    return without([match.span() for match in found], word_characters(int(re.UNICODE), beyond=True))


_CLASSES = (r"\w", r"\d", r"\s")
_alike = set(map(chr, range(ASCII_END)))
_unlike: set[str] = set()


def are_classed_alike(text: str) -> bool:
    r"""Return whether `re` and `regex` agree for every character beyond ASCII whether it is a word, digit or space.

    >>> are_classed_alike("caf\u00e9 \u4e2d"), are_classed_alike("cafe\u0301")
    (True, False)
    """
    found = set(text)
    for character in found - _alike - _unlike:
        agreed = all(bool(re.match(kind, character)) == bool(regex.match(kind, character)) for kind in _CLASSES)
        (_alike if agreed else _unlike).add(character)
    return found <= _alike


def without(ranges: Ranges, others: Ranges) -> Ranges:
    """Return what is in some ranges and not in others; both are in order.

    >>> without([(0, 10), (20, 30)], [(5, 25), (28, 29)])
    [(0, 5), (25, 28), (29, 30)]
    """
    found, rest = [], list(reversed(ranges))
    for first, end in (*others, (UNICODE_END, UNICODE_END + 1)):
        while rest and rest[-1][0] < end:
            start, stop = rest.pop()
            if start < first:
                found.append((start, min(stop, first)))
            if stop > end:
                rest.append((max(start, end), stop))
    return found


def lowered(text: str, *, ascii_only: bool = False) -> str:
    """Return a text in lower case as `re` compares it: character for character, so that places stay.

    >>> lowered("STRAẞE İ"), lowered("STRAẞE İ", ascii_only=True)
    ('straße i', 'straẞe İ')
    """
    if text.isascii():
        return text.lower()
    return text.translate(_ASCII_LOWER_CASE if ascii_only else _lower_case())


_ASCII_LOWER_CASE = {point: chr(point).lower() for point in range(ASCII_END)}


@lru_cache(maxsize=1)
def _lower_case() -> dict[int, str]:
    """Return what is not lower case; of the one character whose lower case is two, `re` takes the first."""
    return {point: low[0] for point in range(UNICODE_END) if (low := chr(point).lower()) != chr(point)}
