"""JSON to typed answers: seed 003's typed objects, and plain JSON values in their place.

A JSON number where text is meant is its JSON text. References are the user's: an unknown key is refused with a
suggestion, and a boolean where text is meant is its JSON text. Predictions are the model's: keys that do not exist are
passed over, aliases, choices, tolerances and keywords are never read from them, and a value of any other type is a
mismatch.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from steelyard.canonical.json_values import (
    BadAnswer,
    list_items,
    mismatch,
    read_members,
    read_probability,
    read_quantity,
    read_string,
    read_strings,
    read_synonyms,
    read_tolerance,
    refuse_unknown,
)
from steelyard.errors import excerpt
from steelyard.records.answers import (
    IFEVAL_KEYS,
    PROFILES,
    Answer,
    AnswerType,
    Choice,
    Claim,
    FinalAnswer,
    ListAnswer,
    Number,
    Profile,
    Reasoning,
    Step,
    Text,
)

FinalType: TypeAlias = Literal["choice", "number", "list", "text"]

_KEYS: dict[AnswerType, tuple[str, ...]] = {
    "choice": ("value", "aliases", "choices", "confidence"),
    "number": ("value", "unit", "tolerance_abs", "tolerance_rel", "text"),
    "list": ("items", "ordered", "unique", "aliases"),
    "text": ("value", "normalize", "keywords", "aliases", "instructions"),
    "reasoning": ("final_answer", "steps", "claims"),
}


@dataclass(frozen=True, slots=True)
class AnswerReader:
    """Reads JSON values as answers, strictly for references and without trust for predictions."""

    reference: bool
    normalize: Profile = "basic"

    def read(self, raw: Any, answer_type: AnswerType) -> Answer:
        """Return a JSON value as an answer of a type, or raise BadAnswer."""
        fields = self._fields(raw, answer_type)
        match answer_type:
            case "choice":
                return self._choice(fields)
            case "number":
                return self._number(fields)
            case "list":
                return self._list(fields)
            case "text":
                return self._text(fields)
            case "reasoning":
                return self._reasoning(fields)

    def final(self, raw: Any, answer_type: FinalType | None = None) -> FinalAnswer:
        """Return a final answer; its type is the given one, the one it names, or the one its shape has."""
        fields = {key: value for key, value in raw.items() if key != "answer_type"} if isinstance(raw, dict) else raw
        said = raw.get("answer_type") if isinstance(raw, dict) else None
        if said is not None and said not in ("choice", "number", "list", "text"):
            raise BadAnswer("shape", f"final_answer has answer_type {excerpt(repr(said))}")
        inferred = answer_type or said or inferred_type(fields)
        answer = self.read(fields, inferred)
        assert not isinstance(answer, Reasoning)
        return FinalAnswer(inferred, answer)

    def _fields(self, raw: Any, answer_type: AnswerType) -> Mapping[str, Any]:
        """Return a typed object's fields; a plain value stands in the place of the first."""
        keys = _KEYS[answer_type]
        if not isinstance(raw, dict):
            several = self.reference and answer_type == "text" and isinstance(raw, list) and raw
            return {"value": raw[0], "aliases": raw[1:]} if several else {keys[0]: raw}
        if self.reference and answer_type == "text" and raw.keys() & {"instructions", *IFEVAL_KEYS}:
            return _with_instructions(raw)
        if self.reference:
            refuse_unknown(raw, keys, answer_type)
        if keys[0] not in raw:
            raise BadAnswer("empty" if not raw else "shape", f"the {answer_type} object has no {keys[0]!r}")
        return raw

    def _choice(self, fields: Mapping[str, Any]) -> Choice:
        value = self._scalar_text(fields["value"]).strip()
        if not value:
            raise BadAnswer("empty", "the choice is empty")
        if not self.reference:
            return Choice(value, confidence=read_probability(fields.get("confidence")))
        aliases, choices = (read_strings(fields.get(key, []), key) for key in ("aliases", "choices"))
        return Choice(value, aliases, choices, read_probability(fields.get("confidence")))

    def _number(self, fields: Mapping[str, Any]) -> Number:
        value, unit, text = read_quantity(fields["value"])
        said = fields.get("unit")
        if said is not None and not (isinstance(said, str) and said.strip()):
            raise mismatch("a unit", said)
        if said is not None and unit is not None and said.strip() != unit:
            raise BadAnswer("shape", f"the value has the unit {unit!r}, and `unit` is {said!r}")
        absolute, relative = (
            read_tolerance(fields.get(key), key) if self.reference else None
            for key in ("tolerance_abs", "tolerance_rel")
        )
        written = fields.get("text") if isinstance(fields.get("text"), str) else text
        return Number(value, said.strip() if said else unit, absolute, relative, written)

    def _list(self, fields: Mapping[str, Any]) -> ListAnswer:
        raw = fields["items"]
        items = list_items(raw) if isinstance(raw, str) else read_strings(raw, "items")
        if isinstance(raw, str) and not raw.strip():
            raise BadAnswer("empty", "the list is empty text")
        aliases = read_synonyms(fields.get("aliases")) if self.reference else ()
        return ListAnswer(
            items, self._flag(fields, "ordered", default=False), self._flag(fields, "unique", default=True), aliases
        )

    def _text(self, fields: Mapping[str, Any]) -> Text:
        value = self._scalar_text(fields["value"])
        if self.reference and not value.strip():
            raise BadAnswer("empty", "the text is empty")
        normalize = self._profile(fields.get("normalize", self.normalize))
        if not self.reference:
            return Text(value, normalize)
        keywords, aliases = (read_strings(fields.get(key, []), key) for key in ("keywords", "aliases"))
        return Text(value, normalize, keywords, aliases, fields.get("instructions", ()))

    def _reasoning(self, fields: Mapping[str, Any]) -> Reasoning:
        final = self.final(fields["final_answer"])
        steps = tuple(self._step(raw) for raw in read_members(fields.get("steps", []), "steps"))
        claims = tuple(self._claim(raw) for raw in read_members(fields.get("claims", []), "claims"))
        return Reasoning(final, steps, claims)

    def _step(self, raw: Any) -> Step:
        if not isinstance(raw, dict):
            return Step(read_string(raw, "a step"))
        if self.reference:
            refuse_unknown(raw, ("id", "text"), "step")
        identity = raw.get("id")
        return Step(
            read_string(raw.get("text"), "a step's text"), None if identity is None else read_string(identity, "an id")
        )

    def _claim(self, raw: Any) -> Claim:
        if not isinstance(raw, dict):
            return Claim(read_string(raw, "a claim"))
        if self.reference:
            refuse_unknown(raw, ("text", "evidence"), "claim")
        return Claim(read_string(raw.get("text"), "a claim's text"), read_strings(raw.get("evidence", []), "evidence"))

    def _scalar_text(self, raw: Any) -> str:
        if self.reference and isinstance(raw, bool):
            return json.dumps(raw)
        return read_string(raw, "text")

    def _flag(self, fields: Mapping[str, Any], key: str, *, default: bool) -> bool:
        value = fields.get(key, default)
        if isinstance(value, bool):
            return value
        if self.reference:
            raise mismatch(f"true or false for {key!r}", value)
        return default

    def _profile(self, raw: Any) -> Profile:
        profile = next((profile for profile in PROFILES if profile == raw), None)
        if profile is None and self.reference:
            raise BadAnswer("shape", f"normalize is {excerpt(repr(raw))}, expected one of {', '.join(PROFILES)}")
        return profile or self.normalize


def _with_instructions(raw: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a text reference with its instructions read; without a value they are what a person reads in its place."""
    own = {key: value for key, value in raw.items() if key not in IFEVAL_KEYS}
    refuse_unknown(own, _KEYS["text"], "text")
    from steelyard.instructions.reading import (  # noqa: PLC0415 - most references ask for nothing that is checked
        BadInstruction,
        instruction_text,
        read_instructions,
    )

    try:
        instructions = read_instructions(raw.get("instructions", raw))
    except BadInstruction as error:
        raise BadAnswer("shape", str(error)) from None
    return {"value": "; ".join(map(instruction_text, instructions)), **own, "instructions": instructions}


def inferred_type(raw: Any) -> FinalType:
    """Return the type that a final answer's shape has: number or list by its value, text by `normalize`, else choice.

    >>> inferred_type({"value": "positive"}), inferred_type({"value": 12.5, "unit": "%"}), inferred_type(["ai"])
    ('choice', 'number', 'list')
    """
    fields = raw if isinstance(raw, dict) else {"items" if isinstance(raw, list) else "value": raw}
    if "items" in fields:
        return "list"
    if isinstance(fields.get("value"), (int, float)) or fields.keys() & {"unit", "tolerance_abs", "tolerance_rel"}:
        return "number"
    return "text" if fields.keys() & {"normalize", "keywords", "instructions"} else "choice"
