"""Prompt templates: `{field}` of the row, `{{` and `}}` for braces. Nothing else is a language here."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from steelyard.errors import ConfigurationError, InputError, Problem, excerpt

_PART = re.compile(r"\{\{|\}\}|\{(?P<field>[^{}]*)\}|[{}]")
_ABSENT = object()

ITEM_INPUT = "_input"
DEFAULT_PROMPT = f"{{{ITEM_INPUT}}}"
"""Without a template the item's input is the prompt."""


class PromptTemplate:
    """A template that was checked when the task was loaded.

    >>> PromptTemplate('{question} Answer as {{"answer": …}}').render({"question": "2 + 2?"})
    '2 + 2? Answer as {"answer": …}'
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._parts = _parse(text)

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that a row must have."""
        return tuple(dict.fromkeys(part for is_field, part in self._parts if is_field))

    @property
    def sha256(self) -> str:
        """The hash of the template's text."""
        return f"sha256:{hashlib.sha256(self.text.encode('utf-8', 'surrogatepass')).hexdigest()}"

    def render(self, fields: Mapping[str, Any], *, input_text: str | None = None) -> str:
        """Return the prompt of one row.

        `{_input}` is the item's whole input, as page 10 finds it; so is `{input}` where the row has no such field.
        """
        return "".join(self._value(part, fields, input_text) if is_field else part for is_field, part in self._parts)

    def _value(self, name: str, fields: Mapping[str, Any], input_text: str | None) -> str:
        value = _reach(fields, name)
        if value is _ABSENT and name in ("input", ITEM_INPUT) and input_text is not None:
            return input_text
        if value is _ABSENT:
            close = get_close_matches(name, fields, n=1)
            hint = f"did you mean {{{close[0]}}}?" if close else "write {{ and }} for braces that are no field"
            message = f"the prompt asks for {{{excerpt(name)}}}, and the row has no such field"
            raise InputError(Problem("missing-field", message, hint=hint))
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _reach(fields: Mapping[str, Any], name: str) -> Any:
    if name in fields:
        return fields[name]
    first, dot, rest = name.partition(".")
    inner = fields.get(first)
    return _reach(inner, rest) if dot and isinstance(inner, Mapping) else _ABSENT


def _parse(text: str) -> list[tuple[bool, str]]:
    parts: list[tuple[bool, str]] = []
    end = 0
    for match in _PART.finditer(text):
        parts.append((False, text[end : match.start()]))
        end = match.end()
        if match.group() in ("{{", "}}"):
            parts.append((False, match.group()[0]))
        elif match["field"]:
            parts.append((True, match["field"].strip()))
        else:
            raise _bad_brace(text, match.start())
    parts.append((False, text[end:]))
    return [part for part in parts if part[1]]


def _bad_brace(text: str, position: int) -> ConfigurationError:
    shown = excerpt(text[max(0, position - 20) : position + 20])
    return ConfigurationError(
        Problem(
            "bad-configuration",
            f"the prompt has a brace that opens or closes no field: {shown!r}",
            hint="write {field} for a field of the row, {{ and }} for braces",
        )
    )
