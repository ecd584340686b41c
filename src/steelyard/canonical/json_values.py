"""JSON values where an answer's parts are meant. What is of another type is refused, never turned into it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any, Literal, TypeAlias

from steelyard.canonical.list_text import item_text
from steelyard.errors import excerpt, quoted

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
