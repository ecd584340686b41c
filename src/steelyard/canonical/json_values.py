"""JSON values where an answer's parts are meant. What is of another type is refused, never turned into it.

Beside them: lists that are written as text.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any, Literal, TypeAlias

from steelyard.canonical.answer_line import without_full_stop
from steelyard.canonical.json_text import RefusedJson, decode_strict
from steelyard.errors import excerpt, quoted

# Items of a list that is written as text, version 1. The first rule that fits is used.
#
# 1. A JSON array (fenced or not) of strings and numbers: its members. Square brackets around anything else are
# dropped. 2. Several lines: one item a line. Where some lines begin with a bullet (`-`, `*`, `•`, `–`, `·`, `1.`,
# `1)`, `(1)`, `1、`), only those are items, and the bullet is dropped. 3. One line: split at `;` and `；` where one
# stands, else at `,`, `，` and `、`. A comma inside a number's groups of three (`1,234`) does not split. A final full
# stop and the `and` before the last item are dropped.
#
# Items are stripped, quotes around an item are dropped, and empty items are left out. Order and repetition stay.


_FENCE = re.compile(r"```[A-Za-z]*[ \t]*\r?\n(?P<inside>.*)```", re.DOTALL)
_BULLET = re.compile(r"(?:[-*–·][ \t]+|•[ \t]*|\d{1,3}[.)][ \t]+|\(\d{1,3}\)[ \t]*|\d{1,3}、[ \t]*)")
_SEMICOLON = re.compile("[;；]")
_COMMA = re.compile(r"[，、]|,(?!(?<=\d,)\d{3}(?!\d))")
_CONJUNCTION = re.compile(r"and[ \t]+", re.IGNORECASE)
_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "「": "」", "`": "`"}


def list_items(text: str) -> tuple[str, ...]:
    r"""Return the items of a list written as text.

    >>> list_items('["ai", "earnings"]'), list_items("营收、利润"), list_items("Topics:\n- ai\n- earnings")
    (('ai', 'earnings'), ('营收', '利润'), ('ai', 'earnings'))
    """
    stripped = _unfenced(text.strip())
    if stripped.startswith("[") and stripped.endswith("]"):
        members = _array(stripped)
        if members is not None:
            return members
        stripped = stripped[1:-1]
    return tuple(item for part in _split(stripped) if (item := _unquoted(part.strip())))


def item_text(value: Any) -> str | None:
    """Return a JSON string as it is and a JSON number as its text; None for anything else."""
    if isinstance(value, str):
        return value
    return json.dumps(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def without_bullet(line: str) -> str:
    """Return a line without the bullet or number it begins with."""
    stripped = line.strip()
    bullet = _BULLET.match(stripped)
    return stripped[bullet.end() :].strip() if bullet else stripped


def _unfenced(text: str) -> str:
    fence = _FENCE.fullmatch(text)
    return fence["inside"].strip() if fence else text


def _array(text: str) -> tuple[str, ...] | None:
    """Return the members of a JSON array of strings and numbers; None for any other text."""
    try:
        members = decode_strict(text)
    except RefusedJson:
        return None
    items = [item_text(member) for member in members] if isinstance(members, list) else [None]
    return tuple(item for item in items if item is not None) if None not in items else None


def _split(text: str) -> list[str]:
    lines = [stripped for line in re.split(r"[\r\n]+", text) if (stripped := line.strip())]
    bulleted = [line for line in lines if _BULLET.match(line)]
    if bulleted:
        return [without_bullet(line) for line in bulleted]
    if len(lines) != 1:
        return lines
    line = lines[0]
    parts = (_SEMICOLON if _SEMICOLON.search(line) else _COMMA).split(line)
    parts[-1] = without_full_stop(parts[-1].strip())
    if len(parts) > 1:
        parts[-1] = _CONJUNCTION.sub("", parts[-1], count=1) if _CONJUNCTION.match(parts[-1]) else parts[-1]
    return parts


def _unquoted(item: str) -> str:
    wrapped = len(item) > 1 and _QUOTES.get(item[0]) == item[-1]
    return item[1:-1].strip() if wrapped else item


BadAnswerCode: TypeAlias = Literal["empty", "mismatch", "not_a_number", "shape"]


class BadAnswer(ValueError):  # noqa: N818  a verdict on a value, turned into a tag or a problem by whoever asked
    """JSON that is no answer of the type that is meant."""

    def __init__(self, code: BadAnswerCode, message: str) -> None:
        super().__init__(message)
        self.code = code


def named(value: Any) -> str:
    """Return what a JSON value is, in words.

    >>> named(None), named(True), named([1])
    ('null', 'a boolean', 'a list')
    """
    names = {bool: "a boolean", int: "a number", float: "a number", str: "text", list: "a list", dict: "an object"}
    return "null" if value is None else names.get(type(value), type(value).__name__)


def mismatch(expected: str, value: Any) -> BadAnswer:
    """Return the finding that a value is of another type than the one meant."""
    return BadAnswer("mismatch", f"found {named(value)} where {expected} is meant")


def refuse_unknown(raw: Mapping[str, Any], known: Iterable[str], what: str) -> None:
    """Raise for the first key that an object of this kind does not have, with the nearest that it has."""
    for key in raw:
        if key not in known:
            close = get_close_matches(str(key), list(known), n=1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            raise BadAnswer("shape", f"a {what} has no key {quoted(str(key))}; its keys are {', '.join(known)}{hint}")


def read_string(raw: Any, what: str) -> str:
    """Return text as it is and a JSON number as its text; anything else is a mismatch."""
    text = item_text(raw)
    if text is None:
        raise mismatch(what, raw)
    return text


def read_members(raw: Any, what: str) -> list[Any]:
    """Return a JSON list's members."""
    if not isinstance(raw, list):
        raise mismatch(f"a list of {what}", raw)
    return raw


def read_strings(raw: Any, what: str) -> tuple[str, ...]:
    """Return a JSON list of texts and numbers as texts."""
    return tuple(read_string(member, f"text in {what}") for member in read_members(raw, what))


def read_synonyms(raw: Any) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return a JSON object of items, each with a list of its other spellings.

    >>> read_synonyms({"ai": ["artificial intelligence", "人工智能"]})
    (('ai', ('artificial intelligence', '人工智能')),)
    """
    if raw is None:
        return ()
    if not isinstance(raw, Mapping):
        raise mismatch("an object of items and their other spellings", raw)
    return tuple(
        (str(item), read_strings(spellings, f"aliases of {quoted(str(item))}")) for item, spellings in raw.items()
    )


def read_quantity(raw: Any) -> tuple[int | float | bool, str | None, str | None]:
    """Return value, unit and text of a number given as JSON number, boolean or text."""
    if isinstance(raw, str):
        if not raw.strip():
            raise BadAnswer("empty", "the number is empty text")
        from steelyard.numbers.grammar import NotANumber, parse_number  # noqa: PLC0415 - texts that say a number

        found = parse_number(raw)
        if isinstance(found, NotANumber):
            raise BadAnswer("not_a_number", f"{quoted(raw)} is not a number")
        return found.value, found.unit, raw
    if not isinstance(raw, (int, float)):
        raise mismatch("a number", raw)
    if isinstance(raw, float) and not math.isfinite(raw):
        raise BadAnswer("not_a_number", f"{raw} is not a number")
    return raw, None, None


def read_tolerance(raw: Any, name: str) -> float | None:
    """Return a tolerance that is finite and not negative, or None where none is given."""
    if raw is None:
        return None
    if isinstance(raw, bool) or not isinstance(raw, (int, float)):
        raise mismatch(f"a number for {name!r}", raw)
    try:
        value = float(raw)
    except OverflowError:
        value = math.inf
    if not math.isfinite(value) or value < 0:
        raise BadAnswer("shape", f"{name} is {excerpt(str(raw))}, expected a finite number that is not negative")
    return value


def read_probability(raw: Any) -> float | None:
    """Return a confidence; what is no number in [0, 1] is none."""
    number = isinstance(raw, (int, float)) and not isinstance(raw, bool)
    return float(raw) if number and 0 <= raw <= 1 else None
