"""JSON Schemas of the research artifacts, the golden queries and the report."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from steelyard.research.gates import DEFAULT_THRESHOLDS
from steelyard.research.measures import RATIOS
from steelyard.research.outputs import CLAIM_STATUSES, EVENT_TYPES, STOP_REASONS

Schema: TypeAlias = dict[str, Any]

_TEXT: Schema = {"type": "string", "pattern": r"\S"}
_ID: Schema = {"anyOf": [_TEXT, {"type": "integer"}], "description": "A text, or a whole number that is read as text."}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_SHARE: Schema = {"type": ["number", "null"], "minimum": 0, "maximum": 1}


def _object(required: tuple[str, ...], **properties: Schema) -> Schema:
    """Return an object that may hold further keys: agents store what they like beside these."""
    return {"type": "object", "properties": properties, "required": list(required)}


def golden_queries() -> Schema:
    """Return the schema of `eval/golden_queries.json`."""
    entry = _object(
        ("objective", "required_evidence_ids", "evidence_sufficient"),
        objective={**_TEXT, "description": "Runs join by it; case and white space do not matter. Each stands once."},
        required_evidence_ids={"type": "array", "items": _TEXT},
        evidence_sufficient={"type": "boolean"},
        tags={"type": "object", "additionalProperties": _TEXT, "description": "For slices."},
    )
    insufficient = {"properties": {"evidence_sufficient": {"const": False}}, "required": ["evidence_sufficient"]}
    entry |= {"if": insufficient, "then": {"properties": {"required_evidence_ids": {"maxItems": 0}}}}
    entries: Schema = {"type": "array", "items": entry, "minItems": 1}
    return {"title": "golden queries", "anyOf": [entries, _object(("queries",), queries=entries)]}


def evidence() -> Schema:
    """Return the schema of a record of evidence; what it lacks keeps it from counting, not from being read."""
    span = _object(("start", "end"), start=_COUNT, end=_COUNT)
    return {
        "title": "evidence",
        **_object(
            (),
            evidence_id=_ID,
            chunk_id=_ID,
            source_id=_ID,
            quote={"type": ["string", "null"]},
            span={"anyOf": [span, {"type": "null"}], "description": "Characters of the chunk, from 0, end excluded."},
            page={"type": ["integer", "string", "null"]},
        ),
    }


def research_output() -> Schema:
    """Return the schema of `research_output.json`."""
    record = evidence()
    claim = _object(
        ("claim_id", "claim_text", "status"),
        claim_id=_ID,
        claim_text=_TEXT,
        status={"enum": list(CLAIM_STATUSES)},
        evidence={"type": ["array", "null"], "items": {"anyOf": [_ID, record]}},
    )
    in_ledger = {**record, "required": ["evidence_id"]}
    return {
        "title": "research output",
        **_object(
            ("run_id", "objective", "stop_reason", "claims"),
            run_id=_ID,
            objective=_TEXT,
            stop_reason={"enum": list(STOP_REASONS)},
            summary={"type": ["string", "null"]},
            claims={"type": "array", "items": claim},
            evidence={"type": ["array", "null"], "items": in_ledger},
            metadata={"type": ["object", "null"]},
        ),
    }


def manifest() -> Schema:
    """Return the schema of a context manifest, one per step."""
    return {"title": "context manifest", **_object(("run_id", "step_id"), run_id=_ID, step_id=_ID)}


def event() -> Schema:
    """Return the schema of a line of `events.jsonl`."""
    keys = {"run_id": _ID, "step_id": _ID, "event_type": {"enum": list(EVENT_TYPES)}, "payload": {}}
    return {"title": "event", **_object(("run_id", "step_id", "event_type"), **keys)}


def chunk() -> Schema:
    """Return the schema of a line of `chunks.jsonl`."""
    keys = {"chunk_id": _ID, "source_id": _ID, "text": {"type": "string"}}
    return {"title": "chunk", **_object(("chunk_id", "source_id", "text"), **keys)}


def gates() -> Schema:
    """Return the schema of a file for `--gates`."""
    share: Schema = {"type": "number", "minimum": 0, "maximum": 1}
    names = list(DEFAULT_THRESHOLDS)
    plain: Schema = {
        "type": "object",
        "properties": dict.fromkeys(names, share),
        "additionalProperties": False,
        "minProperties": 1,
    }
    rule = _object(("metric", "min"), metric={"enum": names}, min=share) | {"additionalProperties": False}
    listed = _object(("gates",), gates={"type": "array", "items": rule}) | {"additionalProperties": False}
    return {"title": "evidence gates", "anyOf": [plain, listed]}


def research_report() -> Schema:
    """Return the schema of the report that `steelyard research --format json` prints."""
    gate = _object(
        ("metric", "value", "numerator", "denominator", "threshold", "condition", "status"),
        metric={"enum": list(DEFAULT_THRESHOLDS)},
        value=_SHARE,
        numerator=_COUNT,
        denominator=_COUNT,
        threshold={"type": "number", "minimum": 0, "maximum": 1},
        condition=_TEXT,
        status={"enum": ["PASS", "FAIL", "NOT_APPLICABLE"]},
    )
    metric = _object(("value", "n", "direction"), value=_SHARE, n=_COUNT, ci_low=_SHARE, ci_high=_SHARE)
    requirement = _object(("requirement", "meaning", "message"), requirement=_TEXT, meaning=_TEXT, message=_TEXT)
    return {
        "title": "research report",
        **_object(
            ("report_version", "status", "gates", "metrics", "runs"),
            report_version={"const": 1},
            status={"enum": ["PASS", "FAIL", "UNDECIDED", "SYSTEM_ERROR"]},
            gates={"type": "array", "items": gate, "minItems": 4, "maxItems": 4},
            metrics={
                "type": "object",
                "properties": {ratio.name: metric for ratio in RATIOS},
                "required": [ratio.name for ratio in RATIOS],
            },
            missing_requirements={"type": "array", "items": requirement, "minItems": 1},
            total_missing=_COUNT,
            objectives={"type": "array", "items": {"type": "object"}},
            runs={"type": "array", "items": {"type": "object"}},
        ),
    }


SCHEMAS: dict[str, Callable[[], Schema]] = {
    "golden-queries": golden_queries,
    "research-output": research_output,
    "research-evidence": evidence,
    "research-manifest": manifest,
    "research-event": event,
    "research-chunk": chunk,
    "research-gates": gates,
    "research-report": research_report,
}
