"""Configuration files: YAML without its traps.

Refused: anchors, aliases, tags, several documents, keys that stand twice or are not text, numbers that are not finite.
Plain words mean what YAML 1.2's core schema says, so `no` is text and `2024-01-01` too. `${NAME}` in a value is taken
from the environment; `$${NAME}` is the text itself.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from steelyard.errors import ConfigurationError, InputError, Problem, excerpt, quoted
from steelyard.reading.limits import Limits
from steelyard.reading.lines import open_plain
from steelyard.reading.yaml_words import NotFiniteError, meaning, substituted
from steelyard.records.documents import Document
from steelyard.records.documents import Path as KeyPath

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_yaml(
    path: Path,
    *,
    limits: Limits = Limits(),  # noqa: B008  frozen, so one instance serves all calls
) -> Document:
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
) -> Document:
    r"""Return the mapping that a YAML text holds; `file` names it in errors.

    >>> parse_yaml("country: no\nshare: 1e-3\nhost: ${HOST}", file="task.yaml", environment={"HOST": "here"})
    {'country': 'no', 'share': 0.001, 'host': 'here'}
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
        self._places: dict[KeyPath, tuple[int, int]] = {}

    def document(self, events: Iterator[Any]) -> Document:
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
                value = self._value(next(events), events, ())
        if not isinstance(value, dict):
            found = "nothing" if value is None else f"{quoted(str(value))}"
            hint = "write `key: value` lines"
            problem = Problem("bad-yaml", f"found {found}, expected a mapping", hint, self._file, 1, 1)
            raise ConfigurationError(problem)
        if self._unset:
            raise ConfigurationError(self._unset)
        return Document(value, self._places)

    def _value(self, event: Any, events: Iterator[Any], path: KeyPath) -> Any:
        self._check(event)
        if isinstance(event, yaml.ScalarEvent):
            value = self._scalar(event)
            return self._substituted(value, event, path) if isinstance(value, str) else value
        if len(path) >= self._max_depth:
            found = f"the file is nested over {self._max_depth} deep"
            raise self._refusal(event, found, "less", "flatten the file", code="too-deep")
        if isinstance(event, yaml.SequenceStartEvent):
            return self._sequence(events, path)
        return self._mapping(events, path)

    def _sequence(self, events: Iterator[Any], path: KeyPath) -> list[Any]:
        values: list[Any] = []
        while not isinstance(event := next(events), yaml.SequenceEndEvent):
            inner = (*path, len(values))
            self._places[inner] = _place(event)
            values.append(self._value(event, events, inner))
        return values

    def _mapping(self, events: Iterator[Any], path: KeyPath) -> dict[str, Any]:
        values: dict[str, Any] = {}
        while not isinstance(event := next(events), yaml.MappingEndEvent):
            key = self._key(event)
            inner = (*path, key)
            line, _ = _place(event)
            if key in values:
                found = f"the key {quoted(key)} stands on lines {self._places[inner][0]} and {line}"
                raise self._refusal(event, found, "each key once", "keep one of the two", code="duplicate-key")
            self._places[inner] = _place(event)
            values[key] = self._value(next(events), events, inner)
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
        if not event.implicit[0]:
            return event.value
        try:
            return meaning(event.value)
        except NotFiniteError:
            hint = "write a number that can be computed with, or leave the key out"
            found = f"found {excerpt(event.value)}"
            raise self._refusal(event, found, "a finite number", hint, code="not-finite") from None

    def _substituted(self, text: str, event: Any, path: KeyPath) -> str:
        key = next((part for part in reversed(path) if isinstance(part, str)), "")
        value, unset = substituted(text, self._environment, key=key)
        for name in unset:
            message = f"the environment variable {excerpt(name)} is not set, expected a value for it"
            hint = f"set {excerpt(name)}, or write $${{{excerpt(name)}}} for the text itself"
            self._unset.append(self._at(event, "unset-variable", message, hint))
        return value

    def _refusal(
        self, event: Any, found: str, expected: str, hint: str, *, code: str = "bad-yaml"
    ) -> ConfigurationError:
        return ConfigurationError(self._at(event, code, f"{found}, expected {expected}", hint))

    def _at(self, event: Any, code: str, message: str, hint: str) -> Problem:
        line, column = _place(event)
        return Problem(code, message, hint=hint, file=self._file, line=line, column=column)


def _place(event: Any) -> tuple[int, int]:
    return event.start_mark.line + 1, event.start_mark.column + 1


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
