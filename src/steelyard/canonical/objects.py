"""CanonicalAnswer objects (seed 003, section 2): reading them from lines and making them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from steelyard.canonical.answer_forms import answer_object, answer_text
from steelyard.canonical.extraction import Extraction
from steelyard.canonical.json_text import RefusedJson, decode_strict
from steelyard.canonical.json_values import named
from steelyard.canonical.predictions import predicted_answer
from steelyard.canonical.references import BadReference, expected_answer
from steelyard.errors import InputError, Problem, excerpt
from steelyard.records.answers import ANSWER_TYPES, Answer, CanonicalAnswer, Meta, Reasoning, answer_type_of

__all__ = ["answer_object", "answer_text", "read_canonical", "to_canonical"]


def read_canonical(line: str | bytes | Mapping[str, Any]) -> tuple[CanonicalAnswer, Answer | None, Answer]:
    """Return a CanonicalAnswer with its two answers, or raise InputError.

    An empty `prediction` is no answer, and one of another type is none either: `predicted_answer` of it gives the tags.

    >>> row = '{"task_id": "t", "sample_id": "S1", "answer_type": "choice", '
    >>> _, predicted, expected = read_canonical(row + '"prediction": {"value": "b"}, "ground_truth": {"value": "B"}}')
    >>> predicted.value, expected.value
    ('b', 'B')
    """
    raw = line if isinstance(line, Mapping) else _decoded(line)
    if not isinstance(raw, Mapping):
        raise _problem("not-an-object", f"found {named(raw)}, expected a CanonicalAnswer object")
    canonical = _converted(raw)
    try:
        expected = expected_answer(canonical.ground_truth, canonical.answer_type)
    except BadReference as error:
        raise _problem(error.code, f"ground_truth: {error}", canonical.sample_id) from None
    final_type = expected.final_answer.answer_type if isinstance(expected, Reasoning) else None
    parsed = predicted_answer(canonical.prediction, canonical.answer_type, Extraction(), final_type=final_type)
    return canonical, parsed.answer, expected


def to_canonical(
    predicted: Answer | None, expected: Answer, *, task_id: str, sample_id: str, meta: Meta | None = None
) -> CanonicalAnswer:
    """Return two answers as one CanonicalAnswer; no prediction is the empty object."""
    return CanonicalAnswer(
        task_id=task_id,
        sample_id=sample_id,
        answer_type=answer_type_of(expected),
        prediction={} if predicted is None else answer_object(predicted),
        ground_truth=answer_object(expected),
        meta=meta or Meta(),
    )


def _decoded(line: str | bytes) -> Any:
    try:
        return decode_strict(line.decode("utf-8") if isinstance(line, bytes) else line)
    except UnicodeDecodeError as error:
        raise _problem("not-utf8", f"the line is not UTF-8 at byte {error.start}") from None
    except RefusedJson as refusal:
        raise _problem(refusal.code, str(refusal)) from None


def _converted(raw: Mapping[str, Any]) -> CanonicalAnswer:
    _check_keys(raw)
    try:
        return msgspec.convert(dict(raw), CanonicalAnswer)
    except msgspec.ValidationError as error:
        raise _problem("bad-json", f"not a CanonicalAnswer: {error}", str(raw.get("sample_id"))) from None


def _check_keys(raw: Mapping[str, Any]) -> None:
    fields = msgspec.structs.fields(CanonicalAnswer)
    for key in raw:
        if key not in {field.name for field in fields}:
            known = ", ".join(field.name for field in fields)
            raise _problem("unknown-key", f"a CanonicalAnswer has no key {excerpt(str(key))!r}; its keys are {known}")
    for field in fields:
        if field.required and field.name not in raw:
            raise _problem("missing-field", f"the CanonicalAnswer has no {field.name!r}")
    if raw["answer_type"] not in ANSWER_TYPES:
        found = excerpt(repr(raw["answer_type"]))
        raise _problem("bad-json", f"answer_type is {found}, expected one of {', '.join(ANSWER_TYPES)}")


def _problem(code: str, message: str, item_id: str | None = None) -> InputError:
    return InputError(Problem(code=code, message=message, item_id=item_id))
