"""The JSON Schemas of conversations and traces (page 40)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_TEXT = {"type": "string"}
_COUNT = {"type": ["integer", "null"], "minimum": 0}
_SCALAR = {"type": ["string", "number", "boolean", "null"]}


def _list(entries: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": entries}


def conversation() -> dict[str, Any]:
    """Return the schema of a row of a dataset, in ConvFinQA's shape."""
    dialogue = {
        "conv_questions": {**_list({"type": "string", "minLength": 1}), "minItems": 1},
        "conv_answers": _list(_SCALAR),
        "turn_program": _list({"type": ["string", "number", "null"]}),
        "executed_answers": _list(_SCALAR),
        "qa_split": _list({"type": "boolean"}),
    }
    document = {
        "pre_text": {"type": ["string", "array", "null"]},
        "post_text": {"type": ["string", "array", "null"]},
        "table": {"type": ["object", "array", "null"]},
    }
    return {
        "title": "Conversation",
        "type": "object",
        "required": ["id", "dialogue"],
        "properties": {
            "id": {"type": ["string", "integer"]},
            "doc": {"type": ["object", "null"], "properties": document},
            "dialogue": {"type": "object", "required": ["conv_questions"], "properties": dialogue},
            "features": {"type": ["object", "null"]},
        },
    }


def _step() -> dict[str, Any]:
    properties = {
        "step_id": {"type": ["string", "integer", "null"]},
        "tool": {"enum": ["extract_value", "compute"]},
        "operation": {"type": ["string", "null"]},
        "operands": _list({"type": ["string", "number"]}),
        "value": _SCALAR,
    }
    return {"type": "object", "required": ["tool"], "properties": properties}


def _validator_log() -> dict[str, Any]:
    properties = {
        "retry_number": {"type": "integer", "minimum": 0},
        "valid": {"type": "boolean"},
        "confidence": {"type": ["number", "null"]},
        "failed_steps": _list({}),
        "issues": _list({}),
    }
    return {"type": "object", "required": ["valid"], "properties": properties}


def _turn() -> dict[str, Any]:
    error = {"type": "object", "properties": {"type": _TEXT, "message": _TEXT}}
    properties = {
        "turn_idx": {"type": "integer", "minimum": 0},
        "question": _TEXT,
        "actual_answer": _SCALAR,
        "plan": {"type": ["object", "null"], "required": ["steps"], "properties": {"steps": _list(_step())}},
        "prompt_tokens": _COUNT,
        "completion_tokens": _COUNT,
        "llm_calls": {"type": ["array", "integer", "null"]},
        "tool_calls": {"type": ["array", "integer", "null"]},
        "latency_ms": {"type": ["number", "null"], "minimum": 0},
        "validator_logs": _list(_validator_log()),
        "error": {"anyOf": [error, {"type": ["string", "null"]}]},
    }
    return {"type": "object", "required": ["turn_idx"], "properties": properties}


def conversation_trace() -> dict[str, Any]:
    """Return the schema of a stored trace, one object a conversation; keys that are not named are left alone."""
    return {
        "title": "Conversation trace",
        "type": "object",
        "required": ["conversation_id", "turns"],
        "properties": {"trace_id": _TEXT, "conversation_id": {"type": ["string", "integer"]}, "turns": _list(_turn())},
    }


SCHEMAS: dict[str, Callable[[], dict[str, Any]]] = {
    "conversation": conversation,
    "conversation-trace": conversation_trace,
}
"""What `steelyard schema` prints, by name."""
