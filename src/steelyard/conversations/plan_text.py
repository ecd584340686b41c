"""What the plan-and-compute solver writes to a model and reads back: the prompt, the document, the plan as JSON."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.conversations.solving import TurnRequest
from steelyard.errors import excerpt, quoted
from steelyard.models.python_callable import json_value
from steelyard.programs import PLAN_OPERATIONS
from steelyard.programs.nodes import TABLE_OPERATIONS
from steelyard.records.models import Message

# The plan as a JSON Schema, for models that can be held to one: small ones write prose when they are only asked.


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


PROMPT_VERSION = "plan.v2"
LONGEST_DOCUMENT = 12_000
"""Characters of a document that go into a prompt; a note in it says when it was cut."""

INSTRUCTION = f"""You answer questions about a document by writing a plan. Reply with one JSON object only.
extract_value takes a number that stands in the document, in the question or in an earlier answer.
compute takes an operation of {", ".join(ARITHMETIC)} and two operands: step ids or numbers.
percentage of [part, whole] is part / whole. percentage_change of [old, new] is (new - old) / old.
{", ".join(TABLE_OPERATIONS)} take one operand: the name of a row of the table.
The last step is the answer. A question that only asks for a number of the document needs one extract_value step."""

_SHOWN_DOCUMENT = "In millions.\n\nrow | 2001 | 2002\nrevenues | 206.5 | 181.0\ncosts | 97.2 | 88.4"
EXAMPLES = (
    (
        "what was the change in revenues from 2001 to 2002?",
        (
            '{"steps": [{"step_id": "s1", "tool": "extract_value", "value": 181.0}, '
            '{"step_id": "s2", "tool": "extract_value", "value": 206.5}, '
            '{"step_id": "s3", "tool": "compute", "operation": "subtract", "operands": ["s1", "s2"]}]}'
        ),
    ),
    ("what were costs in 2002?", '{"steps": [{"step_id": "s1", "tool": "extract_value", "value": 88.4}]}'),
)
"""Questions with their plans, as turns of a chat: a small model follows what it has seen done, not what it is told."""

_FENCE = re.compile(r"```(?:json)?", re.IGNORECASE)


def prompt_hash() -> str:
    """Return the hash of instruction, examples and schema, which are part of what a run was made under."""
    content = json.dumps([INSTRUCTION, _SHOWN_DOCUMENT, EXAMPLES, PLAN_SCHEMA], sort_keys=True)
    return "sha256:" + hashlib.sha256(content.encode()).hexdigest()


def first_messages(request: TurnRequest) -> tuple[Message, ...]:
    """Return the messages that ask for a plan."""
    shown = [message for question, plan in EXAMPLES for message in _example(question, plan)]
    earlier = "".join(f"Q: {entry['question']}\nA: {entry['answer']}\n" for entry in request.history)
    asked = _asked(document_text(request.document), earlier, request.question)
    return Message("system", INSTRUCTION), *shown, Message("user", asked)


def shared_parts(request: TurnRequest) -> tuple[str, ...]:
    """Return what ends the beginnings that prompts share: those of all conversations, and those of this one."""
    return EXAMPLES[-1][1], document_text(request.document)


def _example(question: str, plan: str) -> tuple[Message, Message]:
    return Message("user", _asked(_SHOWN_DOCUMENT, "", question)), Message("assistant", plan)


def _asked(document: str, earlier: str, question: str) -> str:
    said = f"Earlier in this conversation:\n{earlier}\n" if earlier else ""
    return f"Document:\n{document}\n\n{said}Question: {question}\nPlan:"


def retry_messages(reply: str, issues: Sequence[str]) -> tuple[Message, ...]:
    """Return what is said after a plan that did not hold."""
    listed = "\n".join(f"- {issue}" for issue in issues)
    return (
        Message("assistant", reply),
        Message("user", f"This plan cannot be used:\n{listed}\nReply with one corrected JSON object only."),
    )


def document_text(document: Mapping[str, Any]) -> str:
    """Return a document as a model reads it: text, table row by row, text."""
    parts = [_paragraphs(document.get("pre_text")), table_text(document.get("table"))]
    text = "\n\n".join(part for part in (*parts, _paragraphs(document.get("post_text"))) if part)
    return text if len(text) <= LONGEST_DOCUMENT else f"{text[:LONGEST_DOCUMENT]}\n[the document was cut here]"


def _paragraphs(value: Any) -> str:
    if isinstance(value, list):
        return "\n".join(map(str, value))
    return "" if value is None else str(value)


def table_text(table: Any) -> str:
    """Return a table with one line a row.

    >>> print(table_text({"2008": {"income": 12}, "2009": {"income": 15.5}}))
    row | 2008 | 2009
    income | 12 | 15.5
    """
    if isinstance(table, Mapping):
        columns = {str(name): column for name, column in table.items() if isinstance(column, Mapping)}
        rows = dict.fromkeys(str(row) for column in columns.values() for row in column)
        cells = [[str(column.get(row, "")) for column in columns.values()] for row in rows]
        lines = [["row", *columns], *([row, *found] for row, found in zip(rows, cells, strict=True))]
        return "\n".join(" | ".join(line) for line in lines) if columns else ""
    if isinstance(table, list):
        return "\n".join(" | ".join(map(str, row)) for row in table if isinstance(row, list))
    return ""


class PlanError(ValueError):
    """A reply that holds no plan, with the reason."""


def read_plan(reply: str) -> tuple[dict[str, Any], ...]:
    """Return the steps of the first JSON object in a reply.

    >>> read_plan('Plan: {"steps": [{"step_id": "s1", "tool": "extract_value", "value": 12}]}')[0]["value"]
    12
    """
    text = _FENCE.sub("", reply)
    start = text.find("{")
    if start < 0:
        raise PlanError(f"the reply has no JSON object: {quoted(reply)}")
    try:
        found, _ = json.JSONDecoder(parse_constant=_refused).raw_decode(text, start)
        # What a journal could not hold, or nobody could read back from it, is no plan either: 1e400, nesting.
        found = json_value(found, who="the plan holds")
    except (ValueError, RecursionError) as error:
        raise PlanError(f"the reply is not JSON: {excerpt(str(error))}") from None
    steps = found.get("steps")
    if not isinstance(steps, list) or not steps or not all(isinstance(step, dict) for step in steps):
        raise PlanError("the JSON object has no list of `steps`, each an object")
    return tuple(steps)


def _refused(name: str) -> float:
    raise ValueError(f"{name} is no number")
