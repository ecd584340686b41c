"""Judged turns as columns of numbers: a few dozen bytes a turn, from which every statistic of a run is computed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
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
"""A count that is not known, in columns of small integers."""
MISSES = ("none", "rounding_error", "scale_error", "sign_error", "wrong_value")
REFERENCES = ("both", "displayed", "executed", "none")

_SMALL = {
    "turn": np.int16,
    "state": np.int8,
    "miss": np.int8,
    "matched": np.int8,
    "operations": np.int16,
    "program_operations": np.int16,
    "right": np.bool_,
    "second_question": np.bool_,
    "unreadable_plan": np.bool_,
}


@dataclass(frozen=True, slots=True)
class TurnColumns:
    """Columns over all turns of a run, in dataset order."""

    conversation: Integers
    """The number of the turn's conversation, from 0, in order."""
    small: Mapping[str, npt.NDArray[Any]]
    matches: Mapping[str, Mask]
    logic: Mapping[str, Floats]
    """NaN is null."""
    tokens: Floats
    features: tuple[Mapping[str, Any], ...]
    """One mapping for every distinct set of features."""
    feature_codes: Integers
    """By conversation, its mapping in `features`."""

    def __len__(self) -> int:
        return len(self.conversation)

    @property
    def n_conversations(self) -> int:
        """How many conversations there are."""
        return len(self.feature_codes)

    @property
    def right(self) -> Mask:
        """Which turns are right."""
        return self.small["right"]

    def feature(self, name: str) -> list[str]:
        """Return the value of a feature as text for every turn."""
        values = [text(features.get(name)) for features in self.features]
        return [values[code] for code in self.feature_codes[self.conversation].tolist()]


def text(value: Any) -> str:
    """Return a feature's value as a key of a JSON object.

    >>> text(True), text(4), text(None)
    ('true', '4', 'null')
    """
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value)


@dataclass(slots=True)
class ColumnsBuilder:
    """Takes up judged conversations as they come."""

    conversation: list[Integers] = field(default_factory=list)
    small: dict[str, list[npt.NDArray[Any]]] = field(default_factory=lambda: {name: [] for name in _SMALL})
    matches: dict[str, list[Mask]] = field(default_factory=lambda: {name: [] for name in RUNGS})
    logic: dict[str, list[Floats]] = field(default_factory=lambda: {name: [] for name in LOGIC})
    tokens: list[Floats] = field(default_factory=list)
    features: dict[tuple[tuple[str, Any], ...], int] = field(default_factory=dict)
    codes: list[int] = field(default_factory=list)

    def add(self, judged: Sequence[JudgedConversation]) -> None:
        """Take up a block."""
        start = len(self.codes)
        sizes = [len(entry.turns) for entry in judged]
        self.conversation.append(np.repeat(np.arange(start, start + len(judged)), sizes))
        self.codes += [self._code(entry) for entry in judged]
        turns = [turn for entry in judged for turn in entry.turns]
        for name, kind in _SMALL.items():
            self.small[name].append(np.fromiter(map(_SMALL_VALUES[name], turns), kind, len(turns)))
        for name in RUNGS:
            self.matches[name].append(np.fromiter((turn.matches[name] for turn in turns), np.bool_, len(turns)))
        for name in LOGIC:
            self.logic[name].append(_floats(turn.logic[name] for turn in turns))
        self.tokens.append(_floats(turn.trace.tokens if turn.trace else None for turn in turns))

    def _code(self, judged: JudgedConversation) -> int:
        conversation = judged.conversation
        features = {"conversation_type": conversation.conversation_type, **conversation.features}
        return self.features.setdefault(tuple(features.items()), len(self.features))

    def columns(self) -> TurnColumns:
        """Return the columns over everything taken up."""
        return TurnColumns(
            conversation=_joined(self.conversation, np.int64),
            small={name: _joined(parts, _SMALL[name]) for name, parts in self.small.items()},
            matches={name: _joined(parts, np.bool_) for name, parts in self.matches.items()},
            logic={name: _joined(parts, np.float64) for name, parts in self.logic.items()},
            tokens=_joined(self.tokens, np.float64),
            features=tuple(map(dict, self.features)),
            feature_codes=np.array(self.codes, np.int64),
        )


def _joined(parts: Sequence[npt.NDArray[Any]], kind: Any) -> npt.NDArray[Any]:
    return np.concatenate(parts) if parts else np.empty(0, kind)


def _floats(values: Iterable[float | None]) -> Floats:
    return np.array([np.nan if value is None else value for value in values], np.float64)


def _known(value: int | None) -> int:
    return UNKNOWN if value is None else min(value, np.iinfo(np.int16).max)


_STATE_CODES: dict[State, int] = {state: code for code, state in enumerate(STATES)}


def _unreadable(turn: JudgedTurn) -> bool:
    return turn.trace is not None and turn.trace.calculation is not None


_SMALL_VALUES: dict[str, Any] = {
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
