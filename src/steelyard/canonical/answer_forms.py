"""Answers as JSON objects in seed 003's shapes, and as a person reads them."""

from __future__ import annotations

from typing import Any

import msgspec

from steelyard.canonical.typed_objects import inferred_type
from steelyard.records.answers import NO_FINAL_ANSWER, Answer, Choice, FinalAnswer, ListAnswer, Number, Reasoning, Text


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
