"""Answers as JSON objects in seed 003's shapes, and as a person reads them.

Before it: the parts of a reasoning answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from steelyard.canonical.extraction import NotFound, extract, parse_extraction
from steelyard.canonical.json_values import without_bullet
from steelyard.canonical.typed_objects import inferred_type
from steelyard.records.answers import (
    NO_FINAL_ANSWER,
    Answer,
    Choice,
    FinalAnswer,
    ListAnswer,
    Number,
    Reasoning,
    ReasoningPart,
    Text,
)


def _instructions(answer: Text) -> list[dict[str, Any]]:
    from steelyard.instructions.reading import instruction_object  # noqa: PLC0415 - most texts have none

    return [instruction_object(instruction) for instruction in answer.instructions]


def answer_object(answer: Answer) -> dict[str, Any]:
    """Return an answer as seed 003's typed object; what is unset is left out, what has a default is written.

    >>> answer_object(ListAnswer(("ai", "earnings")))
    {'items': ['ai', 'earnings'], 'ordered': False, 'unique': True}
    """
    match answer:
        case Reasoning():
            parts = _set_fields(answer)
            return {
                "final_answer": _final_object(answer.final_answer),
                "steps": [_identified(step) for step in parts.get("steps", [])],
                "claims": [{"evidence": [], **claim} for claim in parts.get("claims", [])],
            }
        case ListAnswer():
            synonyms = {"aliases": {item: list(found) for item, found in answer.aliases}} if answer.aliases else {}
            return {"items": list(answer.items), "ordered": answer.ordered, "unique": answer.unique, **synonyms}
        case Text():
            asked = {"instructions": _instructions(answer)} if answer.instructions else {}
            return {"value": answer.value, "normalize": answer.normalize, **_set_fields(answer), **asked}
        case Choice() | Number():
            return _set_fields(answer)


def answer_text(answer: Answer) -> str:
    """Return an answer as a person reads it.

    >>> answer_text(Number(12.5, "%")), answer_text(ListAnswer(("ai", "earnings"))), answer_text(Number(value=True))
    ('12.5 %', 'ai, earnings', 'true')
    """
    match answer:
        case Choice() | Text():
            return answer.value
        case ListAnswer():
            return ", ".join(answer.items)
        case Reasoning():
            return _reasoning_text(answer)
        case Number():
            value = _value_text(answer)
            return f"{value} {answer.unit}" if answer.unit else value


def _reasoning_text(answer: Reasoning) -> str:
    """Return the final answer, or the claims or steps of a reasoning that has none."""
    if answer.final_answer != NO_FINAL_ANSWER:
        return answer_text(answer.final_answer.answer)
    cited = [f"{claim.text} [{', '.join(claim.evidence)}]" if claim.evidence else claim.text for claim in answer.claims]
    return "; ".join([*cited, *(step.text for step in answer.steps)])


def _set_fields(answer: Answer) -> dict[str, Any]:
    """Return the fields that are not at their defaults, in JSON's own types."""
    fields: dict[str, Any] = _lists(msgspec.to_builtins(answer))
    return fields


def _lists(value: Any) -> Any:
    """Return a value with lists in the place of tuples, which JSON does not have."""
    if isinstance(value, dict):
        return {key: _lists(inner) for key, inner in value.items()}
    return [_lists(inner) for inner in value] if isinstance(value, tuple) else value


def _identified(step: dict[str, Any]) -> dict[str, Any]:
    return {"id": step["id"], "text": step["text"]} if "id" in step else step


def _final_object(final: FinalAnswer) -> dict[str, Any]:
    """Return a final answer's object; it names its type only where its shape does not show it."""
    fields = answer_object(final.answer)
    return fields if inferred_type(fields) == final.answer_type else {"answer_type": final.answer_type, **fields}


def _value_text(answer: Number) -> str:
    """Return a number's digits; an integer of more digits than Python prints is shown by its size."""
    value = answer.value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else str(value)
    return str(value) if value.bit_length() < 10_000 else f"an integer of {value.bit_length()} bits"


# The fields of seed 003's reasoning metrics as reasoning objects: claims, steps or a final answer, each on its own.
#
# A field that holds a whole reasoning object is left as it is. Otherwise `claims` and `steps` are lists without a
# final answer, and a final answer is looked for in the steps that stand beside it in the same row.


BESIDE = ("steps", "reasoning")
"""Where the reasoning behind a final answer stands in a row, as steps or as text."""

_LINES = re.compile(r"[\r\n]+")
_NONE = {"answer_type": NO_FINAL_ANSWER.answer_type, **answer_object(NO_FINAL_ANSWER.answer)}


def reasoning_of(raw: Any, part: ReasoningPart, beside: Mapping[str, Any] | None = None) -> Any:
    r"""Return what a field holds as a JSON object that can be read as a reasoning.

    >>> reasoning_of([{"text": "营收增长", "evidence": ["news_1"]}], "claims")["claims"]
    [{'text': '营收增长', 'evidence': ['news_1']}]
    >>> reasoning_of("1. look\n2. decide", "steps")["steps"]
    ['look', 'decide']
    >>> reasoning_of("up", "final_answer", {"steps": ["so it goes up"]})
    {'final_answer': 'up', 'steps': ['so it goes up']}
    """
    if raw is None or (isinstance(raw, Mapping) and "final_answer" in raw):
        return raw
    if part == "final_answer":
        return _final(raw, beside or {})
    inner = raw.get(part, raw) if isinstance(raw, Mapping) else raw
    return {"final_answer": _NONE, part: _lines(inner) if part == "steps" else inner}


def _final(raw: Any, beside: Mapping[str, Any]) -> Any:
    """Return a final answer with the steps beside it; a text that leads to its answer has both in it."""
    steps = next((beside[name] for name in BESIDE if beside.get(name) not in (None, "", [])), None)
    if isinstance(steps, Mapping):
        steps = steps.get("steps")
    if steps is not None:
        return {"final_answer": raw, "steps": _lines(steps)}
    found = extract(raw, parse_extraction("answer_line")) if isinstance(raw, str) else None
    if found is None or isinstance(found, NotFound) or not isinstance(raw, str):
        return {"final_answer": raw}
    return {"final_answer": found.value, "steps": _lines(raw[: found.start or 0])}


def _lines(steps: Any) -> Any:
    """Return steps that are written as text, one a line; anything else as it is."""
    if not isinstance(steps, str):
        return steps
    return [step for line in _LINES.split(steps) if (step := without_bullet(line))]
