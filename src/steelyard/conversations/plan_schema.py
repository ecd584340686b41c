"""The plan as a JSON Schema, for models that can be held to one: small ones write prose when they are only asked."""

from __future__ import annotations

from typing import Any

from steelyard.programs import PLAN_OPERATIONS
from steelyard.programs.nodes import TABLE_OPERATIONS

ARITHMETIC = tuple(name for name in PLAN_OPERATIONS if name not in TABLE_OPERATIONS)
"""The operations of two operands."""
MOST_STEPS = 12
_STEP_ID = {"type": "string", "pattern": "^s[1-9][0-9]?$"}
_OPERAND = {"anyOf": [_STEP_ID, {"type": "number"}]}
_ROW_NAME = {"type": "string", "maxLength": 80}


def _exactly(**members: Any) -> dict[str, Any]:
    """Return the schema of an object with these members and no others."""
    return {"type": "object", "properties": members, "required": list(members), "additionalProperties": False}


def _list(items: Any, least: int, most: int) -> dict[str, Any]:
    return {"type": "array", "items": items, "minItems": least, "maxItems": most}


def _compute(operations: list[str], operands: dict[str, Any]) -> dict[str, Any]:
    return _exactly(step_id=_STEP_ID, tool={"const": "compute"}, operation={"enum": operations}, operands=operands)


_STEPS = (
    _exactly(step_id=_STEP_ID, tool={"const": "extract_value"}, value={"type": "number"}),
    _compute(list(ARITHMETIC), _list(_OPERAND, 2, 2)),
    _compute(list(TABLE_OPERATIONS), _list(_ROW_NAME, 1, 1)),
)
PLAN_SCHEMA = _exactly(steps=_list({"anyOf": list(_STEPS)}, 1, MOST_STEPS))
