"""JSON Schemas of the files in a run directory, built from the records that are written to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from steelyard.records.runs import RunRecord


def run_schema() -> dict[str, Any]:
    """Return the schema of `run.json`."""
    return msgspec.json.schema(RunRecord)


SCHEMAS: dict[str, Callable[[], dict[str, Any]]] = {"run": run_schema}
