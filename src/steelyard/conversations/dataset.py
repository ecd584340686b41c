"""Rows of a dataset in ConvFinQA's shape to conversations; what is wrong with a row is said whole."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.errors import excerpt
from steelyard.programs.tables import cell_number
from steelyard.records.conversations import Conversation, Turn

_LISTS = ("conv_answers", "turn_program", "executed_answers", "qa_split")


class ConversationError(ValueError):
    """A row that is not a conversation, with the reason."""


def read_conversation(fields: Mapping[str, Any], line: int = 0) -> Conversation:
    """Return the conversation of a row, or raise ConversationError.

    >>> row = {"id": "c1", "dialogue": {"conv_questions": ["how many?"], "executed_answers": [12.0]}}
    >>> read_conversation(row).turns[0].executed
    12.0
    """
    found = fields.get("id")
    if not isinstance(found, str | int) or isinstance(found, bool) or found == "":
        raise ConversationError("there is no `id`, expected a text")
    dialogue = fields.get("dialogue")
    if not isinstance(dialogue, Mapping):
        raise ConversationError("there is no `dialogue`, expected an object with conv_questions and answers")
    turns = _turns(dialogue)
    document = fields.get("doc") or {}
    if not isinstance(document, Mapping):
        raise ConversationError(f"`doc` is {excerpt(repr(document))}, expected an object")
    return Conversation(str(found), turns, document, _features(fields, turns, document), line)


def _turns(dialogue: Mapping[str, Any]) -> tuple[Turn, ...]:
    questions = dialogue.get("conv_questions")
    if not isinstance(questions, list) or not questions:
        raise ConversationError("`dialogue.conv_questions` has no questions, expected a list of texts")
    columns = {name: _column(dialogue, name, len(questions)) for name in _LISTS}
    return tuple(_turn(index, question, columns) for index, question in enumerate(questions))


def _column(dialogue: Mapping[str, Any], name: str, length: int) -> Sequence[Any]:
    values = dialogue.get(name)
    if values is None:
        return [None] * length
    if not isinstance(values, list) or len(values) != length:
        found = f"{len(values)} entries" if isinstance(values, list) else type(values).__name__
        raise ConversationError(f"`dialogue.{name}` has {found}, expected {length}: one for every question")
    return values


def _turn(index: int, question: Any, columns: Mapping[str, Sequence[Any]]) -> Turn:
    if not isinstance(question, str) or not question.strip():
        raise ConversationError(f"question {index} is {excerpt(repr(question))}, expected a text")
    displayed, program, executed, split = (
        columns[name][index] for name in ("conv_answers", "turn_program", "executed_answers", "qa_split")
    )
    shown = None if displayed is None else answer_text(displayed)
    if isinstance(executed, bool):
        executed = "yes" if executed else "no"
    blank = not (shown or "").strip() and (executed is None or (isinstance(executed, str) and not executed.strip()))
    if blank:
        raise ConversationError(f"turn {index} has no answer in conv_answers or executed_answers")
    if executed is not None and not isinstance(executed, str | int | float):
        raise ConversationError(f"executed answer {index} is {excerpt(repr(executed))}, expected a number or a text")
    if isinstance(executed, float) and not math.isfinite(executed):
        raise ConversationError(f"executed answer {index} is {executed}, expected a finite number")
    if program is not None and not isinstance(program, str):
        program = answer_text(program)
    return Turn(index, question, shown, executed, program or None, from_second_question=bool(split))


def answer_text(value: Any) -> str:
    """Return an answer as the text it is judged by; numbers as they are written, booleans as yes and no.

    >>> answer_text(True), answer_text(12.0), answer_text("11%")
    ('yes', '12.0', '11%')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else repr(value)


def _features(
    fields: Mapping[str, Any], turns: Sequence[Turn], document: Mapping[str, Any]
) -> dict[str, bool | int | float | str]:
    """Return the dataset's features, with those of seed 004 worked out where the dataset does not say them."""
    given = fields.get("features") or {}
    if not isinstance(given, Mapping):
        raise ConversationError(f"`features` is {excerpt(repr(given))}, expected an object")
    known = {name: value for name, value in given.items() if isinstance(value, bool | int | float | str)}
    table = document.get("table")
    worked_out = {
        "num_dialogue_turns": len(turns),
        "has_type2_question": any(turn.from_second_question for turn in turns),
        "has_duplicate_columns": False,
        "has_non_numeric_values": isinstance(table, Mapping) and _has_text(table),
    }
    return {**worked_out, **known, "num_dialogue_turns": len(turns)}


def _has_text(table: Mapping[str, Any]) -> bool:
    columns = (column for column in table.values() if isinstance(column, Mapping))
    return any(cell_number(cell) is None for column in columns for cell in column.values())
