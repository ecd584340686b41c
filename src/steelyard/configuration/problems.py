"""Pydantic's findings as our problems: all at once, each with its place and a suggestion for a mistyped key."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from steelyard.errors import ConfigurationError, Problem, excerpt


class Strict(BaseModel):
    """A part of a configuration file: frozen, no unknown keys, no coercion between types."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


Model = TypeVar("Model", bound=BaseModel)


def checked(model: type[Model], values: Mapping[str, Any], *, file: str | None = None) -> Model:
    """Return `values` as a model, or raise one ConfigurationError with everything that is wrong."""
    try:
        return model.model_validate(dict(values))
    except ValidationError as error:
        raise ConfigurationError([_problem(model, found, file) for found in error.errors()]) from None


def _problem(model: type[BaseModel], found: Mapping[str, Any], file: str | None) -> Problem:
    place = [part for part in found["loc"] if not _is_union_branch(part)]
    where = ".".join(str(part) for part in place)
    if found["type"] == "extra_forbidden":
        return unknown_key(where, known_keys(model, place[:-1]), file=file)
    message = str(found["msg"]).removeprefix("Value error, ")
    shown = f"; found {excerpt(repr(found['input']))}" if found["type"] != "missing" else ""
    return Problem(code="bad-configuration", message=f"{where or 'the file'}: {message}{shown}", file=file)


def _is_union_branch(part: Any) -> bool:
    """Pydantic names the branch of a union in the location (`str`, `ScorerEntry`, `function-…`); people do not."""
    return isinstance(part, str) and (part in {"str", "int", "float", "bool"} or part[:1].isupper() or "[" in part)


def unknown_key(where: str, known: Iterable[str], *, file: str | None = None) -> Problem:
    """Return the problem of a key that does not exist, with the nearest one that does."""
    known = sorted(known)
    close = get_close_matches(where.rsplit(".", maxsplit=1)[-1], known, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"keys are: {', '.join(known)}"
    return Problem(code="unknown-key", message=f"there is no key {excerpt(where)!r}", hint=hint, file=file)


def known_keys(model: type[BaseModel], place: Iterable[Any]) -> list[str]:
    """Return the keys that are known at a place inside a model, as users write them."""
    current: Any = model
    for part in place:
        if isinstance(part, int) or current is None:
            continue
        field = next((field for name, field in current.model_fields.items() if part in (name, field.alias)), None)
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
