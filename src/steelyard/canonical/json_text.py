"""Strict JSON (no duplicate key, NaN, infinity or deep nesting), as a whole text or as the first object in one."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Any

NESTING_LIMIT = 64
OBJECT_STARTS_TRIED = 1000
"""How many opening braces of a text are tried; a bound, so that a text of nothing but braces takes no time."""

_OBJECT_START = re.compile(r'\{[ \t\r\n]*["}]')


class RefusedJson(ValueError):  # noqa: N818  a verdict on a text, turned into a tag or a problem by whoever asked
    """JSON that is not accepted, with the error code that says why."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, slots=True)
class ObjectInText:
    """A JSON object found in a text, and where."""

    value: dict[str, Any]
    start: int


def decode_strict(text: str) -> Any:
    """Return the value of a text that is one JSON value and nothing else, or raise `RefusedJson`."""
    try:
        value = _DECODER.decode(text)
    except RefusedJson:
        raise
    except RecursionError:
        raise _too_deep() from None
    except ValueError as error:
        raise RefusedJson("bad-json", f"not JSON: {error}") from None
    return _shallow(value)


def first_object(text: str) -> ObjectInText | None:
    """Return the first JSON object in a text, or None; raise `RefusedJson` for one that breaks the rules.

    After an opening brace that begins no object the search goes on where the JSON stopped making sense: the whole
    objects inside a broken one are fragments, not answers.

    >>> first_object('Take {x}: {"answer": 5} or {"answer": 6}')
    ObjectInText(value={'answer': 5}, start=10)
    """
    position = 0
    for _ in range(OBJECT_STARTS_TRIED):
        opening = _OBJECT_START.search(text, position)
        if opening is None:
            return None
        try:
            value, _ = _DECODER.raw_decode(text, opening.start())
        except json.JSONDecodeError as error:
            position = max(error.pos, opening.start() + 1)
            continue
        except RecursionError:
            raise _too_deep() from None
        return ObjectInText(_shallow(value), opening.start())
    return None


def _too_deep() -> RefusedJson:
    return RefusedJson("too-deep", f"nested over {NESTING_LIMIT} deep")


def _shallow(value: Any) -> Any:
    """Return a value unchanged if it is not nested too deeply."""
    level = [value]
    for _ in range(NESTING_LIMIT + 1):
        level = [inner for outer in level if isinstance(outer, (dict, list)) for inner in _children(outer)]
        if not level:
            return value
    raise _too_deep()


def _children(container: dict[str, Any] | list[Any]) -> list[Any]:
    return list(container.values()) if isinstance(container, dict) else container


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for index, key in enumerate(keys) if key in keys[:index])
        raise RefusedJson("duplicate-key", f"the key {twice!r} stands twice in one object")
    return result


def _finite(literal: str) -> float:
    value = float(literal)
    if not math.isfinite(value):
        raise RefusedJson("not-finite", f"the number {literal[:40]} is too large")
    return value


def _integer(literal: str) -> int:
    try:
        return int(literal)
    except ValueError:
        raise RefusedJson("not-finite", f"an integer of {len(literal)} digits is too large") from None


def _constant(literal: str) -> Any:
    raise RefusedJson("not-finite", f"{literal} is not a number")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_unique_keys, parse_float=_finite, parse_int=_integer, parse_constant=_constant
)
