"""JSON Schemas of seed 003's objects: the five typed answers, the CanonicalAnswer and the ScoreCard.

`SCHEMAS` is how any room publishes its formats: a name to a function that builds the schema. `steelyard schema`
collects the `schemas.py` of every room, so a format is added by adding it there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from steelyard.records.answers import ANSWER_TYPES, PROFILES

Schema: TypeAlias = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_TEXTS: Schema = {"type": "array", "items": _TEXT}
_STRING_OR_NUMBER: Schema = {"type": ["string", "number"]}
_TOLERANCE: Schema = {"type": ["number", "null"], "minimum": 0}
_NULLABLE_TEXT: Schema = {"type": ["string", "null"]}


def _object(required: tuple[str, ...], **properties: Schema) -> Schema:
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


CHOICE = _object(
    ("value",),
    value=_STRING_OR_NUMBER,
    aliases={**_TEXTS, "description": "Other spellings of the same choice; read from the ground truth only."},
    choices={**_TEXTS, "description": "The options there were; read from the ground truth only."},
    confidence={"type": ["number", "null"], "minimum": 0, "maximum": 1},
)
NUMBER = _object(
    ("value",),
    value={"type": ["number", "boolean", "string"], "description": "The number as written; text is read by grammar."},
    unit=_NULLABLE_TEXT,
    tolerance_abs={**_TOLERANCE, "description": "Read from the ground truth only."},
    tolerance_rel={**_TOLERANCE, "description": "Read from the ground truth only."},
    text=_NULLABLE_TEXT,
)
LIST = _object(
    ("items",),
    items={"type": ["array", "string"], "items": _STRING_OR_NUMBER},
    ordered={"type": "boolean", "default": False},
    unique={"type": "boolean", "default": True, "description": "True compares sets, false multisets."},
    aliases={
        "type": "object",
        "additionalProperties": _TEXTS,
        "description": "Items with their other spellings; read from the ground truth only.",
    },
)
TEXT = _object(
    ("value",),
    value={"type": "string"},
    normalize={"enum": list(PROFILES), "default": "basic"},
    keywords={**_TEXTS, "description": "Words that a good answer contains; read from the ground truth only."},
    aliases={**_TEXTS, "description": "Other references that are as good; read from the ground truth only."},
    instructions={
        "type": "array",
        "items": {"type": "object", "properties": {"id": _TEXT}, "required": ["id"]},
        "description": "What a good answer does, each with its id and arguments; read from the ground truth only.",
    },
)
_FINAL_TYPES = ("choice", "number", "list", "text")
_STEP: Schema = {"oneOf": [_TEXT, _object(("text",), id={"type": ["string", "number", "null"]}, text=_TEXT)]}
_CLAIM: Schema = {"oneOf": [_TEXT, _object(("text",), text=_TEXT, evidence=_TEXTS)]}
_SIMPLE_TYPES: dict[str, Schema] = {"choice": CHOICE, "number": NUMBER, "list": LIST, "text": TEXT}


def _final(answer_type: str) -> Schema:
    simple = _SIMPLE_TYPES[answer_type]
    return {**simple, "properties": {"answer_type": {"const": answer_type}, **simple["properties"]}}


REASONING = _object(
    ("final_answer",),
    final_answer={
        "description": "A typed answer; its type is the one that answer_type names, else the one its shape has.",
        "anyOf": [{"type": ["string", "number", "boolean", "array"]}, *(_final(kind) for kind in _FINAL_TYPES)],
    },
    steps={"type": "array", "items": _STEP},
    claims={"type": "array", "items": _CLAIM},
)
ANSWERS: dict[str, Schema] = {**_SIMPLE_TYPES, "reasoning": REASONING}

SCORECARD = _object(
    ("primary_score", "pass", "sub_scores", "error_tags", "explain"),
    primary_score={"type": "number", "minimum": 0, "maximum": 1},
    **{"pass": {"type": "boolean"}},
    sub_scores={"type": "object", "additionalProperties": {"type": ["number", "null"]}},
    error_tags=_TEXTS,
    explain=_TEXT,
)


def canonical_answer() -> Schema:
    """Return the schema of a CanonicalAnswer, whose two answers have the shape that `answer_type` names."""
    keys = ("task_id", "sample_id", "answer_type", "prediction", "ground_truth", "meta")
    meta = _object((), schema_version=_TEXT, prompt_version=_NULLABLE_TEXT, scorer_version=_TEXT)
    schema = _object(
        keys[:-1],
        task_id=_TEXT,
        sample_id=_TEXT,
        answer_type={"enum": list(ANSWER_TYPES)},
        prediction={"type": "object", "description": "The model's typed answer; empty where it gave none."},
        ground_truth={"type": "object", "description": "The typed reference; one that is empty cannot be scored."},
        meta=meta,
    )
    return _titled("CanonicalAnswer", schema | {"allOf": [_answers_of(kind) for kind in ANSWER_TYPES]})


def _answers_of(kind: str) -> Schema:
    """Return the rule for the two answers of one type; a prediction may hold keys of the model's own."""
    empty: Schema = {"type": "object", "maxProperties": 0}
    loose = {key: value for key, value in ANSWERS[kind].items() if key != "additionalProperties"}
    answers = {"prediction": {"anyOf": [empty, loose]}, "ground_truth": {"anyOf": [empty, ANSWERS[kind]]}}
    return {"if": {"properties": {"answer_type": {"const": kind}}}, "then": {"properties": answers}}


def _titled(title: str, schema: Schema) -> Schema:
    return {"title": title, **schema}


def _answer(kind: str) -> Callable[[], Schema]:
    return lambda: _titled(f"{kind} answer", ANSWERS[kind])


SCHEMAS: dict[str, Callable[[], Schema]] = {
    "canonical-answer": canonical_answer,
    "scorecard": lambda: _titled("ScoreCard", SCORECARD),
    **{f"{kind}-answer": _answer(kind) for kind in ANSWER_TYPES},
}
