"""Parameters of scorers and metrics: read from a function's signature, and checked when a user gives them.

Before it the two tables that decorated functions enter.
"""

from __future__ import annotations

import inspect
import math
import re
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from typing import Any, Literal, TypeAlias, cast

from steelyard.errors import ConfigurationError, Problem, excerpt, quoted
from steelyard.registry.definitions import MetricDefinition, Parameter, ParameterValue, ScorerDefinition


def declared_parameters(name: str, function: Callable[..., Any]) -> dict[str, Parameter]:
    """Return the keyword-only parameters of a function, each of which must have a default of its own type."""
    hints = typing.get_type_hints(function)
    parameters = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is not inspect.Parameter.KEYWORD_ONLY:
            continue
        if parameter.default is inspect.Parameter.empty:
            raise TypeError(f"{name}: parameter {parameter.name} needs a default")
        annotation = hints.get(parameter.name, Any)
        if not _fits(parameter.default, annotation):
            raise TypeError(f"{name}: the default of {parameter.name} is not {_spelled(annotation)}")
        parameters[parameter.name] = Parameter(parameter.name, annotation, parameter.default)
    return parameters


def bind_parameters(key: str, declared: Mapping[str, Parameter], given: Mapping[str, Any]) -> dict[str, ParameterValue]:
    """Return the given parameters after checking that each exists and has its type."""
    bound: dict[str, ParameterValue] = {}
    for name, value in given.items():
        if name not in declared:
            known = ", ".join(declared) or "none"
            message = f"{key} has no parameter {quoted(name)}; its parameters are: {known}"
            raise _refused("unknown-parameter", message, suggestion(name, declared))
        bound[name] = _checked(key, declared[name], value)
    return bound


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return a hint that names what was perhaps meant, or nothing."""
    close = get_close_matches(name, list(known), n=1)
    return f"did you mean {close[0]!r}?" if close else ""


def _checked(key: str, parameter: Parameter, value: Any) -> ParameterValue:
    if isinstance(value, list):
        value = tuple(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise _refused("bad-configuration", f"{key}: {parameter.name} is {value}, not a finite number")
    if not _fits(value, parameter.annotation):
        message = f"{key}: {parameter.name} is {excerpt(repr(value))}, expected {_spelled(parameter.annotation)}"
        raise _refused("bad-configuration", message)
    return _in_one_spelling(value, parameter.annotation)


def _in_one_spelling(value: Any, annotation: Any) -> ParameterValue:
    """Return a value so that equal ones print equally in a signature: `1` given for a float is `1.0`."""
    parts = typing.get_args(annotation) or (annotation,)
    whole = isinstance(value, int) and not isinstance(value, bool)
    return float(value) if whole and float in parts and int not in parts else cast("ParameterValue", value)


def _refused(code: str, message: str, hint: str = "") -> ConfigurationError:
    return ConfigurationError(Problem(code=code, message=message, hint=hint))


def _spelled(annotation: Any) -> str:
    """Return a type as a user of a configuration file would say it."""
    origin, parts = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Literal:
        return "one of " + ", ".join(map(str, parts))
    if origin in (typing.Union, types.UnionType):
        return " or ".join(_spelled(part) for part in parts)
    names = {float: "a number", int: "a whole number", str: "text", bool: "true or false", type(None): "null"}
    return "a list of text" if origin is tuple else names.get(annotation, str(annotation))


def _fits(value: Any, annotation: Any) -> bool:
    """Return whether a value from a configuration file is of an annotated type; an int serves as a float."""
    if annotation is Any:
        return True
    origin = typing.get_origin(annotation)
    if origin is Literal:
        return value in typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        return any(_fits(value, part) for part in typing.get_args(annotation))
    if origin is tuple:
        part = typing.get_args(annotation)[0]
        return isinstance(value, tuple) and all(_fits(entry, part) for entry in value)
    if annotation is float:
        return isinstance(value, float) or (_is_whole(value) and abs(value) < 2**1023)
    if annotation is int:
        return _is_whole(value)
    return value is None if annotation in (None, type(None)) else isinstance(value, annotation)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


# The two tables that decorated functions enter.


Key: TypeAlias = tuple[str, int]

SCORERS: dict[Key, ScorerDefinition] = {}
METRICS: dict[Key, MetricDefinition] = {}

_NAME = re.compile(r"[a-z][A-Za-z0-9_]*")


def enter(table: dict[Key, Any], definition: ScorerDefinition | MetricDefinition) -> None:
    """Add a definition; a name that is no name, or that another module has taken, is a programmer's error."""
    if not _NAME.fullmatch(definition.name):
        raise TypeError(f"{definition.name!r} is not a name: use letters, digits and underscores")
    if definition.version < 1:
        raise TypeError(f"{definition.name}: versions count from 1, found {definition.version}")
    present = table.get((definition.name, definition.version))
    if present is not None and present.module != definition.module:
        raise TypeError(f"{definition.key} is registered twice, by {present.module} and by {definition.module}")
    table[definition.name, definition.version] = definition
