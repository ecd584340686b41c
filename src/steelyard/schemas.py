"""The JSON Schemas of all file formats, collected from the rooms that own them.

A room publishes its formats in a `schemas.py` with `SCHEMAS`, a mapping of names to functions that build a schema.
"""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any

from steelyard.errors import Problem, UsageError, quoted

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema_builders() -> dict[str, Callable[[], dict[str, Any]]]:
    """Return the function that builds each schema, by name in alphabetical order."""
    builders: dict[str, Callable[[], dict[str, Any]]] = {}
    for room in _rooms_with_schemas():
        for name, builder in import_module(f"steelyard.{room}.schemas").SCHEMAS.items():
            assert name not in builders, f"two rooms publish the schema {name!r}"
            builders[name] = builder
    return dict(sorted(builders.items()))


def _rooms_with_schemas() -> list[str]:
    """Return the rooms that have a `schemas.py`, found without importing any of them."""
    own = Path(__file__)
    return sorted(file.parent.name for file in own.parent.glob("*/schemas.py") if file != own)


def schema_of(name: str) -> dict[str, Any]:
    """Return a JSON Schema by its name, or raise with the nearest name.

    >>> schema_of("scorecard")["required"]
    ['primary_score', 'pass', 'sub_scores', 'error_tags', 'explain']
    """
    builders = schema_builders()
    if name not in builders:
        close = get_close_matches(name, builders, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(builders)}"
        raise UsageError(Problem(code="unknown-name", message=f"there is no schema {quoted(name)}", hint=hint))
    return {"$schema": DIALECT} | builders[name]()
