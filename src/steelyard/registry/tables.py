"""The two tables that decorated functions enter."""

from __future__ import annotations

import re
from typing import Any, TypeAlias

from steelyard.registry.definitions import MetricDefinition, ScorerDefinition

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
