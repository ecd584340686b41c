"""Two configurations held against each other by dotted key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def flattened(values: Any, prefix: str = "") -> dict[str, Any]:
    """Return nested values by dotted key; lists are values, except lists of objects, which are numbered.

    >>> flattened({"a": {"b": 1}, "c": [{"d": 2}]})
    {'a.b': 1, 'c.0.d': 2}
    """
    if isinstance(values, Mapping) and values:
        pairs = [(str(key), value) for key, value in values.items()]
    elif isinstance(values, list) and any(isinstance(entry, Mapping) for entry in values):
        pairs = [(str(place), value) for place, value in enumerate(values)]
    else:
        return {prefix: values}
    found: dict[str, Any] = {}
    for key, value in pairs:
        found |= flattened(value, f"{prefix}.{key}" if prefix else key)
    return found


def settings_difference(configurations: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the keys whose values are not the same in all runs, with each run's value; null where it has none."""
    flat = {run: flattened(values) for run, values in configurations.items()}
    keys = sorted({key for values in flat.values() for key in values})
    found = {}
    for key in keys:
        values = {run: entry.get(key) for run, entry in flat.items()}
        listed = list(values.values())
        if any(value != listed[0] for value in listed[1:]):
            found[key] = values
    return found
