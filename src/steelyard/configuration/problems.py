"""Pydantic's findings as our problems: all at once, each with its place and a suggestion for a mistyped key."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import PydanticCustomError

from steelyard.errors import CODES, ConfigurationError, Problem, excerpt, quoted
from steelyard.records.documents import Document
from steelyard.secrets import redacted


class Strict(BaseModel):
    """A part of a configuration file: frozen, no unknown keys, no coercion between types."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


_PLAIN_WORDS = {"a valid tuple": "a list", "a valid dictionary": "a mapping", "a valid string": "text"}
"""Pydantic speaks of Python's types; a user wrote YAML."""

Model = TypeVar("Model", bound=BaseModel)


def checked(model: type[Model], values: Mapping[str, Any], *, file: str | None = None) -> Model:
    """Return `values` as a model, or raise one ConfigurationError with everything that is wrong."""
    try:
        return model.model_validate(dict(values))
    except ValidationError as error:
        found = [_problem(model, detail, values, file) for detail in error.errors()]
        # A value that fits no branch of a union is found once per branch.
        raise ConfigurationError(sorted(dict.fromkeys(found), key=lambda problem: problem.line or 0)) from None


def _problem(model: type[BaseModel], found: Mapping[str, Any], values: Mapping[str, Any], file: str | None) -> Problem:
    path = _path(found["loc"], values)
    place = values.place_of(path) if isinstance(values, Document) else None
    line, column = place or (None, None)
    where = ".".join(str(part) for part in path)
    if found["type"] == "extra_forbidden":
        hint = key_hint(str(path[-1]), known_keys(model, path[:-1]))
        return Problem("unknown-key", f"there is no key {quoted(where)}", hint, file, line, column)
    if found["type"] in CODES:
        message = f"{where}: {found['msg']}"
        return Problem(found["type"], message, found["ctx"]["hint"], file, line, column)
    message = str(found["msg"]).removeprefix("Value error, ")
    for pythonic, plain in _PLAIN_WORDS.items():
        message = message.replace(pythonic, plain)
    shown = f"; found {excerpt(repr(redacted(found['input'])))}" if path and found["type"] != "missing" else ""
    hint = "`steelyard schema` tells what may stand in each kind of file"
    whole = f"{excerpt(where) or 'the file'}: {message}{shown}"
    return Problem("bad-configuration", whole, hint, file, line, column)


def own_problem(code: str, message: str, hint: str) -> PydanticCustomError:
    """Return an error for a validator to raise that keeps its code and hint; braces in a template would be fields."""
    return PydanticCustomError(code, "{message}", {"message": message, "hint": hint})


def _path(location: Sequence[str | int], values: Any) -> list[str | int]:
    """Return the keys of a location that a user wrote: pydantic names branches of unions in between."""
    path: list[str | int] = []
    for position, part in enumerate(location):
        last = position == len(location) - 1
        if isinstance(values, dict) and (part in values or last):
            path.append(part)
            values = values.get(part)
        elif isinstance(values, list | tuple) and isinstance(part, int):
            path.append(part)
            values = values[part] if part < len(values) else None
    return path


def unknown_key(where: str, known: Iterable[str], *, file: str | None = None) -> Problem:
    """Return the problem of a key that does not exist, with the nearest one that does."""
    hint = key_hint(where.rsplit(".", maxsplit=1)[-1], known)
    return Problem("unknown-key", f"there is no key {quoted(where)}", hint=hint, file=file)


def key_hint(key: str, known: Iterable[str]) -> str:
    """Return the nearest key that exists, or all of them."""
    names = sorted(known)
    close = get_close_matches(key.lower(), names, n=1)
    return f"did you mean {close[0]!r}?" if close else f"keys are: {', '.join(names)}"


def known_keys(model: type[BaseModel], path: Iterable[str | int]) -> list[str]:
    """Return the keys that are known at a place inside a model, as users write them."""
    current: type[BaseModel] | None = model
    for part in path:
        if isinstance(part, int) or current is None:
            continue
        fields = current.model_fields.items()
        field = next((field for name, field in fields if part in (name, field.alias)), None)
        current = _model_inside(field.annotation) if field else None
    if current is None:
        return []
    return [field.alias or name for name, field in current.model_fields.items()]


def _model_inside(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for part in getattr(annotation, "__args__", ()):
        found = _model_inside(part)
        if found is not None:
            return found
    return None
