"""The judged turns of a block of conversations as columns of numbers, from which every statistic is counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from steelyard.conversations.logic import LOGIC
from steelyard.numbers.ladder import RUNGS
from steelyard.records.blocks import Floats
from steelyard.records.conversations import JudgedConversation, JudgedTurn
from steelyard.records.items import STATES, State

Integers: TypeAlias = npt.NDArray[np.int64]
Mask: TypeAlias = npt.NDArray[np.bool_]

UNKNOWN = -1
"""A count that is not known, in columns of whole numbers."""
MISSES = ("none", "rounding_error", "scale_error", "sign_error", "wrong_value")
REFERENCES = ("both", "displayed", "executed", "none")


@dataclass(frozen=True, slots=True)
class TurnColumns:
    """Columns over the turns of whole conversations, in dataset order."""

    conversation: Integers
    """The number of the turn's conversation in the block, from 0."""
    numbers: Mapping[str, Integers]
    """`turn`, `operations` and the like; UNKNOWN is null."""
    matches: Mapping[str, Mask]
    logic: Mapping[str, Floats]
    """NaN is null."""
    tokens: Floats
    partial_credit: Floats
    features: tuple[Mapping[str, Any], ...]
    """By conversation."""

    @classmethod
    def of(cls, judged: Sequence[JudgedConversation]) -> TurnColumns:
        """Return the columns of judged conversations."""
        turns = [turn for entry in judged for turn in entry.turns]
        return cls(
            conversation=np.repeat(np.arange(len(judged)), [len(entry.turns) for entry in judged]),
            numbers={name: np.fromiter(map(value, turns), np.int64, len(turns)) for name, value in _NUMBERS.items()},
            matches={name: np.fromiter((turn.matches[name] for turn in turns), np.bool_, len(turns)) for name in RUNGS},
            logic={name: _floats(turn.logic[name] for turn in turns) for name in LOGIC},
            tokens=_floats(turn.trace.tokens if turn.trace else None for turn in turns),
            partial_credit=_floats(turn.partial_credit for turn in turns),
            features=tuple(map(_features, judged)),
        )

    def __len__(self) -> int:
        return len(self.conversation)

    @property
    def right(self) -> Mask:
        """Which turns are right."""
        return self.numbers["right"].astype(np.bool_)

    @property
    def operations(self) -> Floats:
        """How many operations each plan has; NaN is null."""
        found = self.numbers["operations"]
        return np.where(found == UNKNOWN, np.nan, found)


def _features(judged: JudgedConversation) -> Mapping[str, Any]:
    conversation = judged.conversation
    return {"conversation_type": conversation.conversation_type, **conversation.features}


def _floats(values: Iterable[float | None]) -> Floats:
    return np.array([np.nan if value is None else value for value in values], np.float64)


def _known(value: int | None) -> int:
    return UNKNOWN if value is None else value


_STATE_CODES: dict[State, int] = {state: code for code, state in enumerate(STATES)}


def _unreadable(turn: JudgedTurn) -> bool:
    return turn.trace is not None and turn.trace.calculation is not None


_NUMBERS: dict[str, Callable[[JudgedTurn], int]] = {
    "turn": lambda turn: turn.turn.index,
    "state": lambda turn: _STATE_CODES[turn.state],
    "miss": lambda turn: MISSES.index(turn.miss or "none"),
    "matched": lambda turn: REFERENCES.index(turn.matched_reference),
    "operations": lambda turn: _known(turn.operations_per_turn),
    "program_operations": lambda turn: _known(turn.program_operations),
    "right": lambda turn: turn.right,
    "second_question": lambda turn: turn.turn.from_second_question,
    "unreadable_plan": _unreadable,
}
