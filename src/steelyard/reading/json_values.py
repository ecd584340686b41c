"""Strict JSON: what msgspec reads, with duplicate keys refused and the place of every fault.

msgspec is five times as fast as the standard library but keeps the last of duplicate keys, refuses lone surrogates and
names no column. So it decodes first, a count of keys proves that none was lost, and whatever is not proven good that
way goes through the standard library's parser, whose word is final.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Any, NoReturn

import msgspec

from steelyard.errors import excerpt, quoted
from steelyard.reading.limits import Limits, RowError

# Where in a JSON text something stands, for messages about values that a parser has already refused.


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


__all__ = ["RowError", "parse_object", "parse_value"]

_decode = msgspec.json.Decoder().decode
_STRINGS = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
_CUT = re.compile(r"\s*(?:t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?|-|\.|[eE][+-]?)?\Z")
"""What can be left over where a value was cut: nothing, or the beginning of a word or number."""
_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


def parse_object(line: bytes, *, limits: Limits) -> dict[str, Any]:
    """Return the one JSON object of a line, or raise a RowError.

    >>> parse_object(b'{"id": 9007199254740993}', limits=Limits())
    {'id': 9007199254740993}
    """
    value = parse_value(line, limits=limits)
    if type(value) is not dict:
        message = f"found {_kind(value)} {excerpt(line.decode())}, expected a JSON object"
        raise RowError("not-an-object", message, 1, "write each row as one object: {…}")
    return value


def parse_value(line: bytes, *, limits: Limits) -> Any:
    """Return the one JSON value of some bytes, or raise a RowError."""
    check_depth(line, limits)
    try:
        value = _decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _parse_strictly(line)
    return value if _no_key_lost(line, value) else _parse_strictly(line)


def _no_key_lost(line: bytes, value: Any) -> bool:
    """Return whether every key that is written in `line` is surely in `value`.

    Each written key brings one colon, and one `":` once white space is gone, so there are at most as many as of those.
    """
    keys = _count_keys(value) if isinstance(value, (dict, list)) else 0
    return keys == line.count(b":") or keys == line.translate(None, b" \t\r\n").count(b'":')


def _count_keys(value: dict[str, Any] | list[Any]) -> int:
    count, inside = (len(value), value.values()) if isinstance(value, dict) else (0, value)
    for inner in inside:
        kind = type(inner)
        if kind is dict or kind is list:
            count += _count_keys(inner)
    return count


def check_depth(line: bytes, limits: Limits) -> None:
    """Raise a RowError when brackets stand deeper than the limit; strings do not count."""
    if line.count(b"[") + line.count(b"{") <= limits.max_depth:
        return
    depth = deepest = 0
    for bracket in _STRINGS.sub(b"", line).translate(None, _NOT_BRACKETS):
        depth += 1 if bracket in b"[{" else -1
        deepest = max(deepest, depth)
    if deepest > limits.max_depth:
        message = f"the value is nested {deepest} deep, expected at most {limits.max_depth}"
        raise RowError("too-deep", message, None, "flatten the row, or raise --max-depth")


def _parse_strictly(line: bytes) -> Any:
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        raise not_utf8(error, 0) from None
    try:
        return strict_decoder(text).decode(text)
    except json.JSONDecodeError as error:
        raise bad_json(error) from None
    except ValueError:
        # CPython refuses to convert integers of more than 4,300 digits.
        raise _not_finite(text, "an integer of more than 4300 digits") from None
    except RecursionError:
        hint = "flatten the row; a --max-depth over about 900 has no effect"
        raise RowError("too-deep", "the value is nested deeper than can be read", None, hint) from None


def strict_decoder(text: str) -> json.JSONDecoder:
    """Return a decoder that raises a RowError for duplicate keys and numbers that are not finite."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            _refuse_duplicate(text, pairs)
        return found

    def finite(digits: str) -> float:
        number = float(digits)
        if not math.isfinite(number):
            raise _not_finite(text, digits)
        return number

    def refuse(name: str) -> NoReturn:
        raise _not_finite(text, name)

    return json.JSONDecoder(object_pairs_hook=unique, parse_float=finite, parse_constant=refuse)


def _refuse_duplicate(text: str, pairs: list[tuple[str, Any]]) -> NoReturn:
    place = duplicate_key(text)
    key, column = (place.key, place.column) if place else (pairs[0][0], None)
    where = f", on lines {place.first_line} and {place.line}" if place and place.line > 1 else ""
    raise RowError(
        "duplicate-key",
        f"the key {quoted(key)} stands twice in one object{where}, expected each key once",
        column,
        "keep one of the two",
    )


def _not_finite(text: str, found: str) -> RowError:
    message = f"found {excerpt(found)}, expected a finite number"
    hint = "write null or leave the field out where there is no number; write longer numbers as text"
    return RowError("not-finite", message, literal_column(text, found), hint)


def bad_json(error: json.JSONDecodeError) -> RowError:
    """Return the fault that the standard parser found, with what stands there."""
    if error.msg == "Extra data":
        found = excerpt(error.doc[error.pos :])
        message = f"found {found} after the end of the value, expected one JSON value"
        return RowError("bad-json", message, error.colno, "write one object on each line")
    found = excerpt(error.doc[error.pos :]) or "the end of the text"
    message = f"{error.msg[0].lower()}{error.msg[1:]}; found {found}"
    return RowError("bad-json", message, error.colno, "check quotes, commas and brackets at this place", _is_cut(error))


def _is_cut(error: json.JSONDecodeError) -> bool:
    in_escape = error.msg.startswith("Invalid \\") and len(error.doc) - error.pos < len("\\u0000")
    return in_escape or error.msg.startswith("Unterminated") or _CUT.match(error.doc, error.pos) is not None


def not_utf8(error: UnicodeDecodeError, offset: int) -> RowError:
    """Return the fault of a byte that is not UTF-8; `offset` is where its line starts in the file."""
    at = offset + error.start
    message = f"byte 0x{error.object[error.start]:02x} at byte offset {at} is not UTF-8, expected UTF-8 text"
    column = len(error.object[: error.start].decode()) + 1
    return RowError("not-utf8", message, column, "save the file as UTF-8")


def _kind(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return "the word"
    if isinstance(value, (str, list)):
        return "the text" if isinstance(value, str) else "the list"
    return "the number"
