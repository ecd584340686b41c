"""Reference answers: what a dataset row gives as right, as a typed answer. What is wrong with one stops the evaluation.

A reference is one of seed 003's typed objects or a plain value in its place: `"12.5%"`, `0.125`, `"B"`, `["ai"]`. For
text a list of strings is one reference and its equals. Empty text, null, and an object without a value are no
references; 0, false and the empty list are.

Before it: answers as texts that people read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from steelyard.canonical.answer_forms import answer_object, answer_text
from steelyard.canonical.choice_letter import option_letters
from steelyard.canonical.choice_text import resolve_choice
from steelyard.canonical.extraction import Extraction
from steelyard.canonical.json_values import BadAnswer, named
from steelyard.canonical.predictions import Parsed, predicted_answer
from steelyard.canonical.typed_objects import AnswerReader
from steelyard.errors import InputError, Problem, excerpt, quoted
from steelyard.records.answers import (
    ANSWER_TYPES,
    Answer,
    AnswerType,
    CanonicalAnswer,
    Choice,
    Meta,
    Profile,
    answer_type_of,
)
from steelyard.text.tokens import normalise


class BadReference(ValueError):  # noqa: N818  a finding about a row; the reader makes a Problem of it
    """A reference that cannot be used, with the error code that says why."""

    def __init__(self, message: str, code: str | None = None, *, empty: bool = False) -> None:
        super().__init__(message)
        self.empty = empty
        self.code = code or ("empty-reference" if empty else "bad-reference")


@dataclass(frozen=True, slots=True)
class ReferenceContext:
    """What a task says about its references."""

    choices: tuple[str, ...] = ()
    """The options, for choice answers."""
    normalize: Profile = "basic"
    """The profile of a text reference that names none."""


def expected_answer(raw: Any, answer_type: AnswerType, context: ReferenceContext | None = None) -> Answer:
    """Return a reference as an answer of the task's type, or raise BadReference.

    >>> expected_answer("12.5%", "number")
    Number(value=12.5, unit='%', tolerance_abs=None, tolerance_rel=None, text='12.5%')
    >>> expected_answer({"value": "B", "aliases": ["option_b", "b"]}, "choice")
    Choice(value='B', aliases=('option_b', 'b'), choices=(), confidence=None)
    """
    context = context or ReferenceContext()
    if raw is None:
        raise BadReference("the reference is null", empty=True)
    try:
        answer = AnswerReader(reference=True, normalize=context.normalize).read(raw, answer_type)
    except BadAnswer as error:
        raise BadReference(str(error), empty=error.code == "empty") from None
    return _among(answer, context.choices) if isinstance(answer, Choice) else answer


def _among(answer: Choice, choices: tuple[str, ...]) -> Choice:
    """Return a choice with the options there are, after checking that it and its aliases fit them."""
    options = answer.choices or choices
    if not options:
        return answer
    value, options = _option(answer.value, options)
    meant = normalise(value, "basic")
    others = {normalise(option, "basic") for option in options} - {meant}
    for alias in answer.aliases:
        if normalise(alias, "basic") in others:
            message = f"the alias {quoted(alias)} of {quoted(value)} is another choice"
            raise BadReference(message, "ambiguous-alias")
    return msgspec.structs.replace(answer, value=value, choices=options)


def _option(value: str, options: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """Return a reference's value and the options in the terms it is written in: as they are, or as their letters."""
    known = {normalise(option, "basic") for option in options}
    resolved = resolve_choice(value, options)
    letters = option_letters(options)
    if resolved is not None and normalise(resolved, "basic") in known:
        return resolved, options
    if resolved is not None or (value.strip() and set(value.strip().upper()) <= set(letters)):
        return resolved or value, tuple(letters)
    shown = ", ".join(excerpt(option) for option in options[:10])
    raise BadReference(f"the reference {quoted(value)} is none of the choices {shown}")


# CanonicalAnswer objects (seed 003, section 2): reading them from lines and making them.


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
