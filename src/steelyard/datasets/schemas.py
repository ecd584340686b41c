"""JSON Schemas of the rows that are read: items of a dataset, items of an eval set, predictions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from steelyard.datasets.evalset import KNOWN, REQUIRED
from steelyard.reading.references import ID_FIELDS, PREDICTION_FIELDS, REFERENCE_FIELDS, TAG_FIELDS, TRAINING_FIELDS

Schema: TypeAlias = dict[str, Any]

_ID: Schema = {"anyOf": [{"type": "string", "minLength": 1}, {"type": "integer"}]}
_SCALAR: Schema = {"type": ["string", "number", "boolean", "null"]}
_TAGS: Schema = {"type": "object", "additionalProperties": _SCALAR}
_FILLED: Schema = {"anyOf": [{"type": "string", "pattern": r"\S"}, {"type": ["number", "boolean"]}]}


def item_schema() -> Schema:
    """Return the schema of a dataset's row as it is read without a configuration of its field names."""
    properties = dict.fromkeys(ID_FIELDS, _ID) | dict.fromkeys(TAG_FIELDS, _SCALAR) | {"tags": _TAGS}
    identified = [_having(name) for name in ID_FIELDS] + [_having(*names) for names in TRAINING_FIELDS]
    return {
        "title": "item",
        "type": "object",
        "properties": properties,
        "allOf": [{"anyOf": identified}, {"anyOf": _any_of(REFERENCE_FIELDS)}],
    }


def evalset_schema() -> Schema:
    """Return the schema of an eval set's row."""
    properties = {
        "id": _ID,
        "prompt": _FILLED,
        "expected_answer": _FILLED,
        "section": {"enum": list(KNOWN["section"])},
        "category": {"type": "string"},
        "difficulty": {"enum": list(KNOWN["difficulty"])},
    }
    return {"title": "eval set item", "type": "object", "properties": properties, "required": list(REQUIRED)}


def prediction_schema() -> Schema:
    """Return the schema of a prediction's row: the id of its item, and an output or the error instead of one."""
    return {
        "title": "prediction",
        "type": "object",
        "properties": dict.fromkeys(ID_FIELDS, _ID),
        "allOf": [
            {"anyOf": [_having(name) for name in ID_FIELDS]},
            {"anyOf": [*_any_of(PREDICTION_FIELDS), _having("error")]},
        ],
    }


def _having(*names: str) -> Schema:
    return {"required": list(names)}


def _any_of(names: tuple[str, ...]) -> list[Schema]:
    """Return what a row may have: a field by its name, or any field with a prefix (`gt_*`)."""
    return [_with_prefix(name[:-1]) if name.endswith("*") else _having(name) for name in names]


def _with_prefix(prefix: str) -> Schema:
    """Return the schema of an object with a field of a prefix: not all of its names are without it."""
    return {"not": {"propertyNames": {"not": {"pattern": f"^{prefix}"}}}}


SCHEMAS: dict[str, Callable[[], Schema]] = {
    "item": item_schema,
    "evalset-item": evalset_schema,
    "prediction": prediction_schema,
}
