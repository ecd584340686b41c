"""A model's output as a typed answer, or why there is none: reasoning apart, then extraction, then the answer's type.

Text is extracted from and read by the answer's type. JSON that is not text is read as seed 003's typed object or the
plain value in its place; a value of another type is `type_mismatch`, and nothing is coerced. A reasoning answer is a
JSON object with `final_answer`, or else the extracted answer, with steps from the lines of the reasoning block or,
without a block, from the lines before the answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from steelyard.canonical.answer_forms import answer_text
from steelyard.canonical.answer_line import Separated, separate_reasoning
from steelyard.canonical.choice_text import disagreeing_choices, named_as, resolve_choice
from steelyard.canonical.extraction import Extraction, extract
from steelyard.canonical.json_text import RefusedJson, first_object
from steelyard.canonical.json_values import BadAnswer, list_items, without_bullet
from steelyard.canonical.outcome import (
    AMBIGUOUS_ANSWER,
    INVALID_UNICODE,
    NOT_A_NUMBER,
    PARSE_ERROR,
    TYPE_MISMATCH,
    Found,
    NotFound,
    ambiguous,
)
from steelyard.canonical.typed_objects import AnswerReader, FinalType, inferred_type
from steelyard.errors import quoted
from steelyard.records.answers import Answer, AnswerType, Choice, FinalAnswer, ListAnswer, Number, Reasoning, Step, Text

CANONICAL_VERSION = 1
"""The version of everything in this room that turns an output into an answer."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_READER = AnswerReader(reference=False)
_TAG_OF = {"mismatch": TYPE_MISMATCH, "shape": TYPE_MISMATCH, "empty": PARSE_ERROR, "not_a_number": NOT_A_NUMBER}


@dataclass(frozen=True, slots=True)
class Parsed:
    """What canonicalisation made of an output."""

    answer: Answer | None
    """None where there is no answer to judge; then a tag says why."""
    text: str | None
    """What was judged, for display."""
    tags: tuple[str, ...] = ()
    reason: str = ""
    """Why there is no answer, as a sentence."""


@dataclass(frozen=True, slots=True)
class _Task:
    """What a task says about its answers."""

    answer_type: AnswerType
    extraction: Extraction
    choices: Sequence[str]
    expected: Answer | None

    @property
    def final_type(self) -> FinalType | None:
        """The type of the reference's final answer, where it has one."""
        return self.expected.final_answer.answer_type if isinstance(self.expected, Reasoning) else None

    @property
    def terms(self) -> Sequence[str]:
        """The options as the reference names them: by their letters or by their texts."""
        return self.expected.choices if isinstance(self.expected, Choice) else ()


def predicted_answer(
    raw: Any,
    answer_type: AnswerType,
    extraction: Extraction,
    *,
    choices: Sequence[str] = (),
    expected: Answer | None = None,
) -> Parsed:
    """Return an output as an answer of a type.

    The reference says only how an answer is to be read: the type of a final answer, and whether options go by their
    letters or by their texts.

    >>> predicted_answer("<think>6 x 7</think> The answer is 42.", "number", Extraction("answer_line")).answer.value
    42
    >>> predicted_answer(True, "text", Extraction()).tags
    ('type_mismatch',)
    """
    task = _Task(answer_type, extraction, choices, expected)
    parsed = _from_text(raw, task) if isinstance(raw, str) else _from_json(raw, task)
    return replace(parsed, tags=(*parsed.tags, INVALID_UNICODE)) if _has_surrogate(raw) else parsed


def canonical_signature(answer_type: AnswerType, extraction: Extraction) -> str:
    """Return everything that can change which answer is read from an output.

    >>> canonical_signature("number", Extraction("last_number"))
    'canonical@v1|answer_type=number,extract=last_number@v1'
    """
    return f"canonical@v{CANONICAL_VERSION}|answer_type={answer_type},{extraction.signature}"


def _from_text(text: str, task: _Task) -> Parsed:
    separated = separate_reasoning(text)
    parsed = _from_answer_text(separated, task)
    return replace(parsed, tags=(*separated.tags, *parsed.tags))


def _from_answer_text(separated: Separated, task: _Task) -> Parsed:
    if separated.reasoning_text is not None and not separated.answer_text:
        return _none(NotFound((PARSE_ERROR,), "there is no answer outside the reasoning block"))
    if task.answer_type == "reasoning":
        return _reasoning(separated, task)
    outcome = extract(separated.answer_text, task.extraction, choices=task.choices)
    return _none(outcome) if isinstance(outcome, NotFound) else _typed(outcome, task.answer_type, task)


def _none(outcome: NotFound) -> Parsed:
    return Parsed(None, None, outcome.tags, outcome.reason)


def _from_json(raw: Any, task: _Task) -> Parsed:
    """Return a JSON value that is not text as an answer."""
    try:
        answer = _READER.read(raw, task.answer_type)
        if isinstance(answer, Reasoning):
            answer = _retyped(answer, raw, task.final_type)
        elif isinstance(answer, Choice):
            answer = Choice(_renamed(answer.value, task), confidence=answer.confidence)
    except BadAnswer as error:
        return Parsed(None, None, (_TAG_OF[error.code],), str(error))
    return Parsed(answer, answer_text(answer))


def _retyped(answer: Reasoning, raw: Any, final_type: FinalType | None) -> Reasoning:
    """Return a reasoning whose final answer is read as the reference's type."""
    if final_type is None or answer.final_answer.answer_type == final_type:
        return answer
    final = raw["final_answer"] if isinstance(raw, dict) else raw
    return Reasoning(_READER.final(final, final_type), answer.steps, answer.claims)


def _typed(found: Found, answer_type: AnswerType, task: _Task) -> Parsed:
    """Return what was extracted as an answer of a type other than reasoning."""
    value = found.value
    if not isinstance(value, str):
        return _from_json(value, replace(task, answer_type=answer_type))
    match answer_type:
        case "number":
            return _number(found)
        case "choice":
            return _choice(value, task)
        case "list":
            return _list(value)
        case _:
            return Parsed(Text(value), value)


def _number(found: Found) -> Parsed:
    text: str = found.value
    if not text.strip():
        return Parsed(None, None, (PARSE_ERROR,), "the answer is empty")
    from steelyard.numbers.grammar import NotANumber, parse_number  # noqa: PLC0415 - for numbers alone

    quantity = found.quantity or parse_number(text)
    if isinstance(quantity, NotANumber):
        return Parsed(None, text, (NOT_A_NUMBER,), f"{quoted(text.strip())} is not a number")
    return Parsed(Number(quantity.value, quantity.unit, text=text.strip()), text.strip())


def _choice(text: str, task: _Task) -> Parsed:
    stripped, choices = text.strip(), task.choices
    if not stripped:
        return Parsed(None, None, (PARSE_ERROR,), "the answer is empty")
    if choices and resolve_choice(stripped, choices) is not None:
        renamed = _renamed(stripped, task)
        return Parsed(Choice(renamed), renamed)
    disagreeing = disagreeing_choices(stripped, choices)
    if disagreeing:
        return Parsed(None, stripped, (AMBIGUOUS_ANSWER,), ambiguous(disagreeing).reason)
    return Parsed(Choice(stripped), stripped)


def _renamed(value: str, task: _Task) -> str:
    """Return a choice without decoration and by the reference's name for it; what is no choice stays as it is."""
    resolved = resolve_choice(value, task.choices) if task.choices else None
    return value if resolved is None else named_as(resolved, task.choices, task.terms)


def _list(text: str) -> Parsed:
    if not text.strip():
        return Parsed(None, None, (PARSE_ERROR,), "the answer is empty")
    return Parsed(ListAnswer(list_items(text)), text.strip())


def _reasoning(separated: Separated, task: _Task) -> Parsed:
    text = separated.answer_text
    whole = _reasoning_object(text) if task.extraction.kind not in ("json_field", "regex") else None
    if whole is not None:
        return _from_json(whole, task)
    outcome = extract(text, task.extraction, choices=task.choices)
    if isinstance(outcome, NotFound):
        return _none(outcome)
    if isinstance(outcome.value, dict) and "final_answer" in outcome.value:
        return _from_json(outcome.value, task)
    final_type = task.final_type or inferred_type(outcome.value)
    parsed = _typed(outcome, final_type, task)
    if parsed.answer is None or isinstance(parsed.answer, Reasoning):
        return parsed
    final = FinalAnswer(final_type, parsed.answer)
    return replace(parsed, answer=Reasoning(final, _steps(separated, outcome)))


def _reasoning_object(text: str) -> dict[str, Any] | None:
    try:
        found = first_object(text)
    except RefusedJson:
        return None
    return found.value if found is not None and "final_answer" in found.value else None


def _steps(separated: Separated, found: Found) -> tuple[Step, ...]:
    reasoning = separated.reasoning_text
    lines = separated.answer_text[: found.start or 0] if reasoning is None else reasoning
    return tuple(Step(step) for line in re.split(r"[\r\n]+", lines) if (step := without_bullet(line)))


def _has_surrogate(raw: Any) -> bool:
    """Return whether any text in a JSON value has a lone surrogate."""
    if isinstance(raw, str):
        return not raw.isascii() and _SURROGATE.search(raw) is not None
    if isinstance(raw, dict):
        return any(_has_surrogate(key) or _has_surrogate(value) for key, value in raw.items())
    return isinstance(raw, list) and any(_has_surrogate(member) for member in raw)
