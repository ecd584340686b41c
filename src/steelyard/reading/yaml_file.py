"""Configuration files: YAML without its traps.

Refused: anchors, aliases, tags, several documents, keys that stand twice or are not text, numbers that are not finite.
Plain words mean what YAML 1.2's core schema says, so `no` is text and `2024-01-01` too. `${NAME}` in a value is taken
from the environment; `$${NAME}` is the text itself.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from steelyard.errors import ConfigurationError, InputError, Problem, excerpt
from steelyard.reading.limits import Limits
from steelyard.reading.lines import open_plain

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_DECIMAL = re.compile(r"[-+]?[0-9]+")
_OCTAL = re.compile(r"0o[0-7]+")
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_VARIABLE = re.compile(r"\$?\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


def read_yaml(
    path: Path,
    *,
    limits: Limits = Limits(),  # noqa: B008  frozen, so one instance serves all calls
) -> dict[str, Any]:
    """Return the mapping that a YAML file holds, or raise ConfigurationError with the place."""
    try:
        with open_plain(path) as stream:
            data = stream.read(limits.max_yaml_bytes + 1)
    except InputError as error:
        raise ConfigurationError(error.problems) from None
    if len(data) > limits.max_yaml_bytes:
        raise ConfigurationError(_too_large(str(path), limits))
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        message = f"byte 0x{data[error.start]:02x} at byte offset {error.start} is not UTF-8, expected UTF-8 text"
        line = data.count(b"\n", 0, error.start) + 1
        problem = Problem("not-utf8", message, hint="save the file as UTF-8", file=str(path), line=line)
        raise ConfigurationError(problem) from None
    return parse_yaml(text, file=str(path), limits=limits)


def parse_yaml(
    text: str,
    *,
    file: str,
    limits: Limits = Limits(),  # noqa: B008
    environment: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    r"""Return the mapping that a YAML text holds; `file` names it in errors.

    >>> parse_yaml("country: no\nshare: 1e-3\nsecret: ${TOKEN}", file="task.yaml", environment={"TOKEN": "t"})
    {'country': 'no', 'share': 0.001, 'secret': 't'}
    """
    if len(text.encode("utf-8", "replace")) > limits.max_yaml_bytes:
        raise ConfigurationError(_too_large(file, limits))
    composer = _Composer(file, limits.max_depth, os.environ if environment is None else environment)
    try:
        return composer.document(yaml.parse(text.removeprefix("\ufeff"), Loader=_LOADER))
    except yaml.MarkedYAMLError as error:
        raise ConfigurationError(_unparsed(error, file)) from None
    except (yaml.YAMLError, UnicodeEncodeError) as error:
        raise ConfigurationError(_unreadable(error, text, file)) from None


class _Composer:
    """Makes values of the parser's events, and refuses what a configuration file has no use for."""

    def __init__(self, file: str, max_depth: int, environment: Mapping[str, str]) -> None:
        self._file = file
        self._max_depth = max_depth
        self._environment = environment
        self._unset: list[Problem] = []

    def document(self, events: Iterator[Any]) -> dict[str, Any]:
        """Return the mapping of the one document there is."""
        value: Any = None
        documents = 0
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise self._refusal(event, "found a second document", "one", "remove what follows `---`")
                if event.tags:
                    raise self._refusal(event, "found a %TAG directive", "none", "remove the directive")
                value = self._value(next(events), events, 1)
        if not isinstance(value, dict):
            found = "nothing" if value is None else f"{excerpt(str(value))!r}"
            hint = "write `key: value` lines"
            raise ConfigurationError(self._problem("bad-yaml", f"found {found}, expected a mapping", hint, 1, 1))
        if self._unset:
            raise ConfigurationError(self._unset)
        return value

    def _value(self, event: Any, events: Iterator[Any], depth: int) -> Any:
        self._check(event)
        if isinstance(event, yaml.ScalarEvent):
            value = self._scalar(event)
            return self._substituted(value, event) if isinstance(value, str) else value
        if depth > self._max_depth:
            hint = "flatten the file, or raise --max-depth"
            raise self._refusal(event, f"the file is nested over {depth - 1} deep", "less", hint, code="too-deep")
        if isinstance(event, yaml.SequenceStartEvent):
            return self._sequence(events, depth)
        return self._mapping(events, depth)

    def _sequence(self, events: Iterator[Any], depth: int) -> list[Any]:
        values = []
        while not isinstance(event := next(events), yaml.SequenceEndEvent):
            values.append(self._value(event, events, depth + 1))
        return values

    def _mapping(self, events: Iterator[Any], depth: int) -> dict[str, Any]:
        values: dict[str, Any] = {}
        lines: dict[str, int] = {}
        while not isinstance(event := next(events), yaml.MappingEndEvent):
            key = self._key(event)
            line = event.start_mark.line + 1
            if key in lines:
                found = f"the key {excerpt(key)!r} stands on lines {lines[key]} and {line}"
                raise self._refusal(event, found, "each key once", "keep one of the two", code="duplicate-key")
            lines[key] = line
            values[key] = self._value(next(events), events, depth + 1)
        return values

    def _key(self, event: Any) -> str:
        self._check(event)
        key = self._scalar(event) if isinstance(event, yaml.ScalarEvent) else None
        if not isinstance(key, str):
            found = excerpt(event.value) if isinstance(event, yaml.ScalarEvent) else "a list or mapping"
            raise self._refusal(event, f"the key is {found}", "text", "put quotes around the key")
        return key

    def _check(self, event: Any) -> None:
        if isinstance(event, yaml.AliasEvent):
            raise self._refusal(event, f"found the alias *{excerpt(str(event.anchor))}", "none", "write the value out")
        if event.anchor is not None:
            raise self._refusal(event, f"found the anchor &{excerpt(event.anchor)}", "none", "write the value out")
        if event.tag is not None:
            raise self._refusal(event, f"found the tag {excerpt(event.tag)}", "none", "remove the tag")

    def _scalar(self, event: Any) -> Any:
        text: str = event.value
        if not event.implicit[0]:
            return text
        if _NOT_FINITE.fullmatch(text):
            raise self._not_finite(event)
        try:
            value = _resolved(text)
        except ValueError:
            raise self._not_finite(event) from None
        if isinstance(value, float) and not math.isfinite(value):
            raise self._not_finite(event)
        return value

    def _substituted(self, text: str, event: Any) -> str:
        def fill(match: re.Match[str]) -> str:
            name = match[1]
            if match.group().startswith("$$"):
                return match.group()[1:]
            if name not in self._environment:
                hint = f"set {name}, or write $${{{name}}} for the text itself"
                message = f"the environment variable {name} is not set, expected a value for it"
                self._unset.append(self._at(event, "unset-variable", message, hint))
            return self._environment.get(name, "")

        return _VARIABLE.sub(fill, text)

    def _not_finite(self, event: Any) -> ConfigurationError:
        hint = "write a number that can be computed with, or leave the key out"
        return self._refusal(event, f"found {excerpt(event.value)}", "a finite number", hint, code="not-finite")

    def _refusal(
        self, event: Any, found: str, expected: str, hint: str, *, code: str = "bad-yaml"
    ) -> ConfigurationError:
        return ConfigurationError(self._at(event, code, f"{found}, expected {expected}", hint))

    def _at(self, event: Any, code: str, message: str, hint: str) -> Problem:
        return self._problem(code, message, hint, event.start_mark.line + 1, event.start_mark.column + 1)

    def _problem(self, code: str, message: str, hint: str, line: int, column: int) -> Problem:
        return Problem(code, message, hint=hint, file=self._file, line=line, column=column)


def _resolved(text: str) -> str | int | float | bool | None:
    """Return what a plain word means in YAML 1.2's core schema; integers too long for Python raise ValueError."""
    if _DECIMAL.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if text in _NULLS:
        return None
    if _OCTAL.fullmatch(text) or _HEXADECIMAL.fullmatch(text):
        return int(text, 0)
    return text


def _unparsed(error: yaml.MarkedYAMLError, file: str) -> Problem:
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line + 1, mark.column + 1) if mark else (None, None)
    found = excerpt(", ".join(part for part in (error.context, error.problem) if part))
    hint = "check indentation, quotes and colons at this place"
    return Problem("bad-yaml", f"{found}; expected YAML", hint=hint, file=file, line=line, column=column)


def _unreadable(error: Exception, text: str, file: str) -> Problem:
    """Return the problem of a control character or surrogate, which the parser does not even read."""
    position = error.start if isinstance(error, UnicodeEncodeError) else getattr(error, "position", 0)
    line = text.encode("utf-8", "replace").count(b"\n", 0, position) + 1
    message = f"found a character that YAML does not allow ({excerpt(str(error).splitlines()[0])}), expected text"
    return Problem("bad-yaml", message, hint="remove it, or write it as an escape in quotes", file=file, line=line)


def _too_large(file: str, limits: Limits) -> Problem:
    message = f"the file is larger than {limits.max_yaml_bytes} bytes, which is the limit"
    return Problem("bad-yaml", message, hint="a configuration file is short: move data to a data file", file=file)
