"""What plain words of a configuration file mean: YAML 1.2's core schema, and `${NAME}` from the environment."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from steelyard.secrets import is_secret_name, remember_secret

MAX_DIGITS = 1000
"""Longer integers are refused: no configuration needs them, and CPython cannot print them all."""

_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_DECIMAL = re.compile(r"[-+]?[0-9]+")
_OCTAL = re.compile(r"0o[0-7]+")
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_VARIABLE = re.compile(r"\$?\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_WRITTEN = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*\}")


class NotFiniteError(ValueError):
    """A word that means a number with which nothing can be computed."""


def meaning(text: str) -> str | int | float | bool | None:
    """Return what a plain word means, or raise NotFiniteError.

    >>> meaning("no"), meaning("0o17"), meaning("1e-3"), meaning("~")
    ('no', 15, 0.001, None)
    """
    if _NOT_FINITE.fullmatch(text):
        raise NotFiniteError
    if _DECIMAL.fullmatch(text):
        return _integer(text, 10)
    if _FLOAT.fullmatch(text):
        return _finite(float(text))
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if text in _NULLS:
        return None
    if _OCTAL.fullmatch(text) or _HEXADECIMAL.fullmatch(text):
        return _integer(text, 0)
    return text


def _integer(text: str, base: int) -> int:
    if len(text) > MAX_DIGITS:
        raise NotFiniteError
    return int(text, base)


def _finite(number: float) -> float:
    if not math.isfinite(number):
        raise NotFiniteError
    return number


def literal(value: Any) -> Any:
    """Return a value whose texts mean themselves when they are read again: `${NAME}` is written `$${NAME}`.

    >>> literal({"prompt": ["${NAME} of {x}"]})
    {'prompt': ['$${NAME} of {x}']}
    """
    if isinstance(value, str):
        return _WRITTEN.sub(r"$\g<0>", value)
    if isinstance(value, Mapping):
        return {key: literal(inner) for key, inner in value.items()}
    return [literal(inner) for inner in value] if isinstance(value, list | tuple) else value


def substituted(text: str, environment: Mapping[str, str], *, key: str = "") -> tuple[str, list[str]]:
    """Return a text with its `${NAME}` filled in, and the names that are not set.

    A value is a secret, and is kept out of everything written, where its variable or the key it stands under is named
    like one. `$${NAME}` is the text itself.

    >>> substituted("${HOST}:${PORT}, $${HOST}", {"HOST": "here"})
    ('here:, ${HOST}', ['PORT'])
    """
    unset: list[str] = []

    def fill(match: re.Match[str]) -> str:
        name = match[1]
        if match.group().startswith("$$"):
            return match.group()[1:]
        if name not in environment:
            unset.append(name)
            return ""
        if is_secret_name(name) or is_secret_name(key):
            remember_secret(environment[name], name)
        return environment[name]

    return _VARIABLE.sub(fill, text), unset
