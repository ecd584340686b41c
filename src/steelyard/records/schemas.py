"""The JSON Schema of a run's results, built from the types of their content."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from steelyard.records.items import SKIPPED, STATES
from steelyard.records.results import ClassFigures, Count, Figure, RunResults


def eval_results_schema() -> dict[str, Any]:
    """Return the schema of `eval/eval_results.json`; keys that tags and metrics give their names to are by pattern."""
    schema = msgspec.json.schema(RunResults)
    definitions = schema["$defs"]
    for definition in definitions.values():
        definition["additionalProperties"] = False
    summary = definitions["ScorecardSummary"]
    for name, states in (("states", STATES), ("skipped", SKIPPED)):
        summary["properties"][name]["propertyNames"] = {"enum": list(states)}
    summary["patternProperties"] = {
        "_scores$": msgspec.json.schema(dict[str, Figure]),
        "_counts$": msgspec.json.schema(dict[str, Count]),
    }
    definitions["SliceFigures"]["additionalProperties"] = msgspec.json.schema(Figure | ClassFigures)
    return schema


SCHEMAS: dict[str, Callable[[], dict[str, Any]]] = {"eval-results": eval_results_schema}
