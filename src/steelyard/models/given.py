"""What a callable gave, as a reply: anything that JSON cannot hold, or that could not be read back, is its mistake."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import msgspec

from steelyard.records.models import ModelReply

DEEPEST = 48
"""Nesting of an output. A row may be nested 64 deep, and a journal's line puts the output into one."""
LONGEST = 8 << 20
"""Characters of an output; escaped, they must fit into the 32 MiB of a line."""
MOST_DIGITS = 4000
"""Digits of a whole number: Python neither prints nor reads longer ones."""

_REPLY_FIELDS = tuple(field for field in ModelReply.__struct_fields__ if field not in ("output", "attempts"))


def as_reply(given: Any) -> ModelReply:
    """Return what a callable gave as a reply: a reply, an object with `prediction`, or the output itself."""
    if given is None:
        return ModelReply(state="failed", error="the callable returned None")
    if isinstance(given, ModelReply):
        return _checked({name: getattr(given, name) for name in ModelReply.__struct_fields__})
    if isinstance(given, Mapping) and "prediction" in given:
        known = {name: given[name] for name in _REPLY_FIELDS if name in given}
        return _checked({"output": given["prediction"], **known})
    return _checked({"output": given})


def _checked(fields: Mapping[str, Any]) -> ModelReply:
    plain = json_value(dict(fields))
    if (length := _length(plain["output"])) > LONGEST:
        raise ValueError(f"the callable returned {length} characters, and {LONGEST} are kept")
    return msgspec.convert(plain, ModelReply)


def json_value(value: Any, depth: int = 0, *, who: str = "the callable returned") -> Any:
    """Return a value as JSON can hold it, in plain types only; raise where it cannot."""
    if depth > DEEPEST:
        raise ValueError(f"{who} a value nested more than {DEEPEST} deep")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int.__int__(value)
    if isinstance(value, float):
        return _finite(float.__float__(value), who)
    if isinstance(value, Mapping):
        return {str(key): json_value(entry, depth + 1, who=who) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [json_value(entry, depth + 1, who=who) for entry in value]
    raise TypeError(f"{who} {type(value).__name__}, expected text or another JSON value")


def _finite(number: float, who: str) -> float:
    if not math.isfinite(number):
        raise ValueError(f"{who} {number!r}, which JSON cannot hold")
    return number


def _length(value: Any) -> int:
    if isinstance(value, dict):
        return sum(len(key) + _length(entry) + 4 for key, entry in value.items())
    if isinstance(value, list):
        return sum(_length(entry) + 2 for entry in value)
    if isinstance(value, str):
        return len(value)
    # Whole numbers beyond what Python prints could be written in no file.
    return _digits(value) if isinstance(value, int) else 24


def _digits(number: int) -> int:
    digits = number.bit_length() * 3 // 10
    if digits > MOST_DIGITS:
        raise ValueError(f"the callable returned a whole number of about {digits} digits")
    return digits + 2
