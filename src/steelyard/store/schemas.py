"""JSON Schemas of stored files, built from the records that are written to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from steelyard.records.datasets import Manifest
from steelyard.records.runs import RunRecord, SuiteRecord


def _of(record: type[msgspec.Struct]) -> Callable[[], dict[str, Any]]:
    return lambda: msgspec.json.schema(record)


SCHEMAS: dict[str, Callable[[], dict[str, Any]]] = {
    "run": _of(RunRecord),
    "suite-run": _of(SuiteRecord),
    "dataset-manifest": _of(Manifest),
}
