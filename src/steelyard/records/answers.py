"""Typed answers: the canonical form of a reference or a prediction (seed 003, section 3).

A tagged union in Python; on disk the tag stands outside, in `answer_type`, exactly as the seed writes it.
Unknown fields and unknown types are errors, never defaults.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import msgspec

AnswerType: TypeAlias = Literal["choice", "number", "list", "text", "reasoning"]
ANSWER_TYPES: tuple[AnswerType, ...] = ("choice", "number", "list", "text", "reasoning")

ReasoningPart: TypeAlias = Literal["final_answer", "steps", "claims"]

Profile: TypeAlias = Literal["strip_lower", "basic", "squad", "none"]
PROFILES: tuple[Profile, ...] = ("strip_lower", "basic", "squad", "none")

IFEVAL_KEYS = ("instruction_id_list", "kwargs")
"""The fields of a reference in IFEval's own shape: what is asked for, and with which arguments."""


class Choice(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One of a set of options: `{"value": "B", "aliases": ["option_b", "b"]}`."""

    value: str
    aliases: tuple[str, ...] = ()
    """Other spellings of the same choice. Read from the reference only."""
    choices: tuple[str, ...] = ()
    """The options there were; an answer outside them is tagged `invalid_choice`. Read from the reference only."""
    confidence: float | None = None
    """The model's own probability for its answer, where it gave one."""


class Number(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A quantity: `{"value": 12.5, "unit": "%", "tolerance_abs": 0.5, "tolerance_rel": 0.02}`.

    `value` is the number as written: 12.5 with unit `%` is twelve and a half percent.
    """

    value: int | float | bool
    """A boolean is comparable with a boolean and with nothing else."""
    unit: str | None = None
    tolerance_abs: float | None = None
    tolerance_rel: float | None = None
    text: str | None = None
    """The text the number was read from, where there was one."""


class ListAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Several strings: `{"items": ["ai", "earnings"], "ordered": false, "unique": true}`."""

    items: tuple[str, ...]
    ordered: bool = False
    unique: bool = True
    """True compares sets, false multisets."""
    aliases: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Items with their other spellings. Read from the reference only."""


class Instruction(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One thing that a text has to do and a program can check: `{"id": "keywords:existence", "keywords": ["up"]}`."""

    id: str
    arguments: tuple[tuple[str, str | int | tuple[str, ...]], ...] = ()
    """Names and values, in the order in which the instruction declares them."""


class Text(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Free text: `{"value": "…", "normalize": "basic"}`."""

    value: str
    normalize: Profile = "basic"
    keywords: tuple[str, ...] = ()
    """Words that a good answer contains. Read from the reference only."""
    aliases: tuple[str, ...] = ()
    """Other references that are as good; the best match counts. Read from the reference only."""
    instructions: tuple[Instruction, ...] = ()
    """What a good answer does. Read from the reference only."""


class Step(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One step of a reasoning: `{"id": "s1", "text": "…"}`."""

    text: str
    id: str | None = None


class Claim(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One claim with the ids of its evidence: `{"text": "…", "evidence": ["news_1"]}`."""

    text: str
    evidence: tuple[str, ...] = ()


class FinalAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The answer that a reasoning leads to; its type is inferred from its shape unless `answer_type` says it.

    `{"value": "positive"}` is a choice, `{"value": 12.5, "unit": "%"}` a number, `{"items": […]}` a list.
    """

    answer_type: Literal["choice", "number", "list", "text"]
    answer: Choice | Number | ListAnswer | Text


NO_FINAL_ANSWER = FinalAnswer("text", Text("(not given)"))
"""The final answer of a reasoning of which only claims or steps are given, for metrics that look at nothing else."""


class Reasoning(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A final answer with the steps and claims that lead to it. Only the final answer decides `pass`."""

    final_answer: FinalAnswer
    steps: tuple[Step, ...] = ()
    claims: tuple[Claim, ...] = ()


Answer: TypeAlias = Choice | Number | ListAnswer | Text | Reasoning

ANSWER_CLASSES: dict[AnswerType, type[Answer]] = {
    "choice": Choice,
    "number": Number,
    "list": ListAnswer,
    "text": Text,
    "reasoning": Reasoning,
}


def answer_type_of(answer: Answer) -> AnswerType:
    """Return the tag of an answer."""
    match answer:
        case Choice():
            return "choice"
        case Number():
            return "number"
        case ListAnswer():
            return "list"
        case Text():
            return "text"
        case Reasoning():
            return "reasoning"


class Meta(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Versions that a CanonicalAnswer was made under."""

    schema_version: str = "v1"
    prompt_version: str | None = None
    scorer_version: str = "v1"


class CanonicalAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Seed 003's unified answer object, with exactly its keys. The two answers are typed objects of `answer_type`."""

    task_id: str
    sample_id: str
    answer_type: AnswerType
    prediction: dict[str, Any]
    ground_truth: dict[str, Any]
    meta: Meta = Meta()
