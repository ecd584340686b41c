"""Rows of a dataset in ConvFinQA's shape to conversations; what is wrong with a row is said whole.

Beside them the stratified sample.
"""

from __future__ import annotations

import hashlib
import math
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from steelyard.errors import excerpt
from steelyard.programs.plans import cell_number
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


# A sample of conversations, stratified by number of turns and by type 2, the same for the same seed.


Stratum: TypeAlias = tuple[int, bool]
"""Number of turns, and whether there is a type 2 question."""


@dataclass(frozen=True, slots=True)
class Ranks:
    """Conversations by the keyed hash that ranks them: eight bytes each, in ascending order."""

    seed: int
    values: array[int]

    def __len__(self) -> int:
        return len(self.values)

    def __contains__(self, identity: object) -> bool:
        rank = _rank(str(identity), self.seed)
        place = bisect_left(self.values, rank)
        return place < len(self.values) and self.values[place] == rank


@dataclass(frozen=True, slots=True)
class Sample:
    """Which conversations were chosen, and from what."""

    size: int
    seed: int
    chosen: Ranks
    passed_over: Ranks
    strata: tuple[tuple[Stratum, int, int], ...]
    """Each stratum with how many there were and how many were chosen."""

    def as_dict(self) -> dict[str, Any]:
        """Return what is recorded with the run."""
        return {
            "size": self.size,
            "seed": self.seed,
            "available": len(self.chosen) + len(self.passed_over),
            "strata": [
                {"num_turns": turns, "has_type2_question": type2, "available": available, "chosen": chosen}
                for (turns, type2), available, chosen in self.strata
            ],
        }


def draw(conversations: Iterable[tuple[str, Stratum]], size: int, seed: int) -> Sample:
    """Return a sample of `size` conversations whose strata are as large as they are among all.

    >>> sample = draw([(f"c{number}", (2 + number % 2, False)) for number in range(100)], 10, 42)
    >>> [chosen for _, _, chosen in sample.strata]
    [5, 5]
    """
    members: dict[Stratum, array[int]] = {}
    for identity, stratum in conversations:
        members.setdefault(stratum, array("Q")).append(_rank(identity, seed))
    shares = _shares({stratum: len(found) for stratum, found in members.items()}, size)
    chosen, passed_over, strata = [], [], []
    for stratum, found in sorted(members.items()):
        ranked = np.sort(np.frombuffer(found, np.uint64))
        # Two ids of one rank would be chosen together.
        count = int(np.searchsorted(ranked, ranked[shares[stratum] - 1], "right")) if shares[stratum] else 0
        chosen.append(ranked[:count])
        passed_over.append(ranked[count:])
        strata.append((stratum, len(ranked), count))
    return Sample(size, seed, _united(chosen, seed), _united(passed_over, seed), tuple(strata))


def _united(parts: Sequence[npt.NDArray[np.uint64]], seed: int) -> Ranks:
    return Ranks(seed, array("Q", np.sort(np.concatenate([np.zeros(0, np.uint64), *parts])).tobytes()))


def _shares(sizes: Mapping[Stratum, int], size: int) -> dict[Stratum, int]:
    """Return how many of each stratum: the whole part of its share, and the rest by largest remainder."""
    total = sum(sizes.values())
    if size >= total:
        return dict(sizes)
    shares = {stratum: size * available // total for stratum, available in sizes.items()}
    remainders = sorted(sizes, key=lambda stratum: (-(size * sizes[stratum] % total), stratum))
    for stratum in remainders[: size - sum(shares.values())]:
        shares[stratum] += 1
    return shares


def _rank(identity: str, seed: int) -> int:
    """Return a keyed hash: a choice that does not depend on the order of the file."""
    keyed = hashlib.blake2b(f"{seed}:{identity}".encode("utf-8", "surrogatepass"), digest_size=8)
    return int.from_bytes(keyed.digest(), "big")
