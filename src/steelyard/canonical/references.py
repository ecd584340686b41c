"""Reference answers: what a dataset row gives as right, as a typed answer. What is wrong with one stops the evaluation.

A reference is one of seed 003's typed objects or a plain value in its place: `"12.5%"`, `0.125`, `"B"`, `["ai"]`. For
text a list of strings is one reference and its equals. Empty text, null, and an object without a value are no
references; 0, false and the empty list are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

from steelyard.canonical.choice_letter import option_letters
from steelyard.canonical.choice_text import resolve_choice
from steelyard.canonical.json_values import BadAnswer
from steelyard.canonical.typed_objects import AnswerReader
from steelyard.errors import excerpt, quoted
from steelyard.records.answers import Answer, AnswerType, Choice, Profile
from steelyard.text.normalise import normalise


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
