"""Accuracy by value of every feature of the dataset, and by whether a turn asks the second question."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from steelyard.conversations.logic import LOGIC
from steelyard.conversations.means import ConversationMean, GroupedMeans
from steelyard.numbers.ladder import RUNGS
from steelyard.records.blocks import Floats
from steelyard.records.conversations import JudgedConversation, JudgedTurn
from steelyard.records.items import STATES, State

# The judged turns of a block of conversations as columns of numbers, from which every statistic is counted.


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


MOST_VALUES = 50
"""A feature with more values than this is no breakdown."""

_SECOND_QUESTION = "from_second_question"


class Breakdowns:
    """Takes up blocks of turns; a feature with too many values is given up as soon as it has them."""

    def __init__(self) -> None:
        self._all = ConversationMean("rate")
        self._features: dict[str, GroupedMeans[str] | None] = {}
        self._second: GroupedMeans[str] = GroupedMeans("rate")

    def add(self, columns: TurnColumns, accuracy: Floats) -> None:
        """Add turns with whether each is right."""
        for name in {name for features in columns.features for name in features}:
            if name not in self._features:
                self._features[name] = self._without()
        for name, groups in self._features.items():
            if groups is not None and not self._fits(name, groups, columns, accuracy):
                self._features[name] = None
        second = columns.numbers["second_question"]
        self._second.add(accuracy, second, ("false", "true"), columns.conversation)
        self._all.add(accuracy, columns.conversation)

    def _without(self) -> GroupedMeans[str]:
        """Return the groups of a feature that shows up first: every conversation so far lacks it."""
        groups: GroupedMeans[str] = GroupedMeans("rate")
        if self._all.n:
            groups.means["null"] = ConversationMean("rate")
            groups.means["null"].merge(self._all)
        return groups

    def _fits(self, name: str, groups: GroupedMeans[str], columns: TurnColumns, accuracy: Floats) -> bool:
        """Add the turns to their groups, as long as there are few."""
        keys, codes = _coded([text(features.get(name)) for features in columns.features])
        if len({*groups.means, *keys}) > MOST_VALUES:
            return False
        groups.add(accuracy, codes[columns.conversation], keys, columns.conversation)
        return True

    def described(self) -> dict[str, dict[str, Any]]:
        """Return the breakdowns by name, numbers before words."""
        found = dict(sorted(self._features.items())) | {_SECOND_QUESTION: self._second}
        return {name: _described(groups) for name, groups in found.items() if groups is not None}


def _coded(values: Sequence[str]) -> tuple[list[str], Any]:
    known: dict[str, int] = {}
    codes = np.fromiter((known.setdefault(value, len(known)) for value in values), np.int64, len(values))
    return list(known), codes


def text(value: Any) -> str:
    """Return a feature's value as a key of a JSON object.

    >>> text(True), text(4), text(None)
    ('true', '4', 'null')
    """
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value)


def _described(groups: GroupedMeans[str]) -> dict[str, Any]:
    entries = {key: _accuracy(entry) for key, entry in groups.described().items()}
    return dict(sorted(entries.items(), key=_numeric_first))


def _accuracy(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {"numerical_accuracy": entry["mean"], **{name: value for name, value in entry.items() if name != "mean"}}


def _numeric_first(pair: tuple[str, Any]) -> tuple[float, str]:
    try:
        return float(pair[0]), ""
    except ValueError:
        return float("inf"), pair[0]
