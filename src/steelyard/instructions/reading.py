"""Instructions from JSON and back: `[{"id": "keywords:frequency", "keyword": "ship", …}]`, or IFEval's two lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import msgspec

from steelyard.errors import excerpt, quoted
from steelyard.instructions.table import DEFINITIONS
from steelyard.records.answers import IFEVAL_KEYS, Instruction


class BadInstruction(ValueError):  # noqa: N818  a finding about a reference; whoever reads it says where it stands
    """JSON that is no instruction, with the reason."""


def read_instructions(raw: Any) -> tuple[Instruction, ...]:
    """Return the instructions of a JSON list, or of an object with IFEval's `instruction_id_list` and `kwargs`.

    >>> read_instructions([{"id": "length_constraints:number_words", "num_words": 300, "relation": "at least"}])
    (Instruction(id='length_constraints:number_words', arguments=(('num_words', 300), ('relation', 'at least'))),)
    """
    listed = _listed(raw)
    if not listed:
        raise BadInstruction("the list of instructions is empty")
    return tuple(_instruction(entry, number) for number, entry in enumerate(listed, start=1))


def instruction_object(instruction: Instruction) -> dict[str, Any]:
    """Return an instruction as its JSON object."""
    arguments = {name: list(value) if isinstance(value, tuple) else value for name, value in instruction.arguments}
    return {"id": instruction.id, **arguments}


def instruction_text(instruction: Instruction) -> str:
    """Return an instruction as a person reads it.

    >>> instruction_text(Instruction("keywords:existence", (("keywords", ("cat", "hat")),)))
    'keywords:existence (keywords cat, hat)'
    """
    told = [
        f"{name} {', '.join(value) if isinstance(value, tuple) else value}" for name, value in instruction.arguments
    ]
    return f"{instruction.id} ({'; '.join(told)})" if told else instruction.id


def _listed(raw: Any) -> list[Any]:
    if isinstance(raw, Mapping):
        ids, arguments = (raw.get(key) for key in IFEVAL_KEYS)
        given = [{}] * len(ids) if arguments is None and isinstance(ids, list) else arguments
        if not isinstance(ids, list) or not isinstance(given, list) or len(ids) != len(given):
            raise BadInstruction("instruction_id_list and kwargs are not two lists of one length")
        return [_paired(*pair) for pair in zip(ids, given, strict=True)]
    if not isinstance(raw, list):
        raise BadInstruction("instructions are no list")
    return raw


def _paired(identity: Any, arguments: Any) -> Any:
    return {**(arguments or {}), "id": identity} if isinstance(arguments, Mapping | None) else arguments


def _instruction(raw: Any, number: int) -> Instruction:
    if not isinstance(raw, Mapping) or not isinstance(raw.get("id"), str):
        raise BadInstruction(f"instruction {number} is no object with an `id`")
    definition = DEFINITIONS.get(raw["id"])
    if definition is None:
        raise BadInstruction(f"instruction {number}: there is no {quoted(raw['id'])}{_near(raw['id'], [*DEFINITIONS])}")
    # In tables of IFEval every row has every argument, null where it is not the instruction's.
    given = {name: value for name, value in raw.items() if name != "id" and value is not None}
    try:
        arguments = msgspec.convert(given, definition.arguments)
    except msgspec.ValidationError as error:
        known = definition.arguments.__struct_fields__
        unknown = next((name for name in given if name not in known), None)
        reason = f"has no argument {quoted(unknown)}{_near(unknown, known)}" if unknown else excerpt(str(error))
        raise BadInstruction(f"instruction {number}, {definition.id}: {reason}") from None
    return Instruction(definition.id, tuple((name, getattr(arguments, name)) for name in arguments.__struct_fields__))


def _near(name: str, known: Sequence[str]) -> str:
    close = get_close_matches(name, known, n=1)
    return f"; did you mean {close[0]}?" if close else f"; there are {', '.join(known) or 'none'}"
