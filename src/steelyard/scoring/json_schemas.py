"""Whether an output is JSON that holds to a schema. Nothing is fetched, and patterns in a schema have a deadline."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from steelyard.errors import ConfigurationError, Problem, excerpt
from steelyard.text.patterns import PatternError, compile_pattern

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

_VALUES = ("const", "enum", "default", "examples")
_BY_NAME = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies")
"""Keywords that hold schemas by names, which may be those of keywords."""

Search = Callable[[str, str], bool]
"""Whether a pattern, the first text, is found in the second."""


Schema = dict[str, Any] | bool
"""A schema that is `true` or `false` takes every value or none."""


def schema_validator(name: str, schema: Schema, search: Search) -> Validator:
    """Return what checks values against a rule's schema; a schema that cannot be used is a configuration error."""
    from jsonschema import Draft202012Validator, validators  # noqa: PLC0415 - only for tasks with such a rule
    from jsonschema.exceptions import SchemaError, ValidationError  # noqa: PLC0415
    from referencing import Registry  # noqa: PLC0415

    def pattern(_: Validator, wanted: str, instance: object, __: object) -> Iterator[ValidationError]:
        if isinstance(instance, str) and not search(wanted, instance):
            yield ValidationError("the pattern does not match")

    def pattern_properties(
        validator: Any, wanted: dict[str, Any], instance: object, _: object
    ) -> Iterator[ValidationError]:
        if isinstance(instance, dict):
            for key, value in instance.items():
                for expression, inner in wanted.items():
                    if search(expression, key):
                        yield from validator.descend(value, inner, path=key, schema_path=expression)

    _check_patterns(name, schema)
    chosen = validators.validator_for(schema, default=Draft202012Validator)
    extend: Any = validators.extend
    timed: Any = extend(chosen, {"pattern": pattern, "patternProperties": pattern_properties})
    try:
        timed.check_schema(schema)
    except SchemaError as error:
        message = f"rule {name!r}: the JSON Schema cannot be used: {excerpt(error.message)}"
        raise ConfigurationError(Problem("bad-configuration", message, hint="see json-schema.org")) from None
    # An empty registry knows the published drafts and nothing else: a reference to elsewhere is not fetched.
    validator: Validator = timed(schema, registry=Registry())
    return validator


def _check_patterns(name: str, schema: Any) -> None:
    """Refuse a pattern anywhere in a schema that Python's `re` refuses."""
    for pattern in _patterns(schema):
        try:
            compile_pattern(pattern)
        except PatternError as error:
            hint = "write it as Python's `re` reads it"
            message = f"rule {name!r}: a pattern in the JSON Schema cannot be used: {error}"
            raise ConfigurationError(Problem("bad-pattern", message, hint=hint)) from None


def _patterns(schema: Any) -> Iterator[str]:
    """Yield every pattern in a schema; what stands under `const` and the like is a value and no schema."""
    for part in schema if isinstance(schema, list) else ():
        yield from _patterns(part)
    for key, value in schema.items() if isinstance(schema, dict) else ():
        if key in _BY_NAME and isinstance(value, dict):
            yield from value if key == "patternProperties" else ()
            yield from _patterns(list(value.values()))
        elif key == "pattern" and isinstance(value, str):
            yield value
        elif key not in _VALUES:
            yield from _patterns(value)


def matches_schema(validator: Validator, output: str) -> bool:
    """Return whether the whole output is one JSON value that holds to the schema."""
    from referencing.exceptions import Unresolvable  # noqa: PLC0415

    try:
        value = msgspec.json.decode(output.encode("utf-8", "surrogatepass"))
        return bool(validator.is_valid(value))
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return False
    except Unresolvable as error:
        message = f"a JSON Schema refers to {excerpt(str(error))}, which it does not contain"
        hint = "put the definition under $defs: nothing is fetched"
        raise ConfigurationError(Problem("bad-configuration", message, hint=hint)) from None
