"""What is wrong with the shape of an artifact, and the small checks that say so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.errors import excerpt, quoted


class ArtifactError(ValueError):
    """An artifact that does not have its form. `kinds.research` gives it a file and a line."""


def kind(value: Any) -> str:
    """Return what a JSON value is, in words."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return f"the text {quoted(value)}" if value.strip() else "an empty text"
        case int() | float():
            return f"the number {excerpt(str(value))}"
        case list():
            return f"a list of {len(value)}"
        case _:
            return "an object"


def expect_object(value: Any, what: str) -> Mapping[str, Any]:
    """Return a JSON object, or say what stands in its place."""
    if not isinstance(value, dict):
        raise ArtifactError(f"{what} is {kind(value)}, expected an object")
    return value


def expect_list(values: Mapping[str, Any], key: str, what: str) -> Sequence[Any]:
    """Return the list under a key that has to be there."""
    found = _required(values, key, what)
    if not isinstance(found, list):
        raise ArtifactError(f"{key!r} of {what} is {kind(found)}, expected a list")
    return found


def expect_text(values: Mapping[str, Any], key: str, what: str) -> str:
    """Return the text under a key that has to be there and not be blank."""
    found = _required(values, key, what)
    if not isinstance(found, str) or not found.strip():
        raise ArtifactError(f"{key!r} of {what} is {kind(found)}, expected a text")
    return found


def expect_identifier(values: Mapping[str, Any], key: str, what: str) -> str:
    """Return an id that has to be there: a text, or a whole number as text."""
    found = identifier(_required(values, key, what))
    if found is None:
        raise ArtifactError(f"{key!r} of {what} is {kind(values[key])}, expected an id: a text or a whole number")
    return found


def expect_word(values: Mapping[str, Any], key: str, what: str, words: Sequence[str]) -> str:
    """Return one of a few words under a key that has to be there."""
    found = _required(values, key, what)
    if not isinstance(found, str) or found not in words:
        raise ArtifactError(f"{key!r} of {what} is {kind(found)}, expected one of {', '.join(words)}")
    return found


def identifier(value: Any) -> str | None:
    """Return an id as text, or None where the value cannot be one.

    >>> identifier("E1"), identifier(7), identifier(True), identifier(" ")
    ('E1', '7', None, None)
    """
    if isinstance(value, str):
        return value if value.strip() else None
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None


def _required(values: Mapping[str, Any], key: str, what: str) -> Any:
    if key not in values:
        raise ArtifactError(f"{what} has no {key!r}")
    return values[key]
