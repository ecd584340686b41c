"""CanonicalAnswer objects (seed 003, section 2): reading them from lines and making them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from steelyard.canonical.answer_forms import answer_object, answer_text
from steelyard.canonical.extraction import Extraction
from steelyard.canonical.json_values import named
from steelyard.canonical.predictions import Parsed, predicted_answer
from steelyard.canonical.references import BadReference, expected_answer
from steelyard.errors import InputError, Problem, excerpt, quoted
from steelyard.records.answers import ANSWER_TYPES, Answer, CanonicalAnswer, Meta, answer_type_of

__all__ = ["CanonicalPair", "answer_object", "answer_text", "read_canonical", "to_canonical"]

_TYPES = {"task_id": str, "sample_id": str, "prediction": dict, "ground_truth": dict, "meta": dict}
_HINT = "`steelyard schema canonical-answer` prints what is expected"


@dataclass(frozen=True, slots=True)
class CanonicalPair:
    """A CanonicalAnswer with what its two answers are."""

    canonical: CanonicalAnswer
    parsed: Parsed
    """The prediction: an answer, or the tags that say why there is none."""
    expected: Answer


def read_canonical(row: Mapping[str, Any]) -> CanonicalPair:
    """Return the CanonicalAnswer of a JSON object with its two answers, or raise InputError.

    An empty `prediction` is no answer, and one of another type is none either. An empty `ground_truth` is refused.

    >>> row = {"task_id": "t", "sample_id": "S1", "answer_type": "choice", "ground_truth": {"value": "B"}}
    >>> read_canonical(row | {"prediction": {"value": "b"}}).parsed.answer.value
    'b'
    >>> read_canonical(row | {"prediction": {}}).parsed.tags
    ('parse_error',)
    """
    canonical = _converted(row)
    try:
        expected = expected_answer(canonical.ground_truth, canonical.answer_type)
    except BadReference as error:
        raise _problem(error.code, f"ground_truth: {error}", canonical.sample_id) from None
    parsed = predicted_answer(canonical.prediction, canonical.answer_type, Extraction(), expected=expected)
    return CanonicalPair(canonical, parsed, expected)


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


def _converted(raw: Mapping[str, Any]) -> CanonicalAnswer:
    """Return a CanonicalAnswer after checking its keys and their types; strings may hold lone surrogates."""
    _check_keys(raw)
    for key, expected in _TYPES.items():
        if key in raw and not isinstance(raw[key], expected):
            wanted = "text" if expected is str else "an object"
            raise _problem("bad-answer", f"{key} is {named(raw[key])}, expected {wanted}", _sample(raw))
    return CanonicalAnswer(**{**raw, "meta": _meta(raw.get("meta", {}), _sample(raw))})


def _meta(raw: Mapping[str, Any], sample_id: str | None) -> Meta:
    known = msgspec.structs.fields(Meta)
    for key, value in raw.items():
        if key not in {field.name for field in known}:
            names = ", ".join(field.name for field in known)
            raise _problem("unknown-key", f"meta has no key {quoted(key)}; its keys are {names}", sample_id)
        if not (isinstance(value, str) or (value is None and key == "prompt_version")):
            raise _problem("bad-answer", f"meta.{key} is {named(value)}, expected text", sample_id)
    return Meta(**raw)


def _check_keys(raw: Mapping[str, Any]) -> None:
    fields = msgspec.structs.fields(CanonicalAnswer)
    for key in raw:
        if key not in {field.name for field in fields}:
            known = ", ".join(field.name for field in fields)
            raise _problem("unknown-key", f"a CanonicalAnswer has no key {quoted(str(key))}; its keys are {known}")
    for field in fields:
        if field.required and field.name not in raw:
            raise _problem("missing-field", f"the CanonicalAnswer has no {field.name!r}", _sample(raw))
    if raw["answer_type"] not in ANSWER_TYPES:
        found = excerpt(repr(raw["answer_type"]))
        raise _problem("bad-answer", f"answer_type is {found}, expected one of {', '.join(ANSWER_TYPES)}", _sample(raw))


def _sample(raw: Mapping[str, Any]) -> str | None:
    found = raw.get("sample_id")
    return found if isinstance(found, str) else None


def _problem(code: str, message: str, item_id: str | None = None) -> InputError:
    return InputError(Problem(code=code, message=message, hint=_HINT, item_id=item_id))
