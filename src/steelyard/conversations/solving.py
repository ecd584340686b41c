"""Conversations turn by turn through a solver. A turn that raises becomes an error, and the conversation goes on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, TypeAlias

from steelyard.conversations.tables import expected
from steelyard.records.conversations import Conversation, Turn, TurnError, TurnTrace

History: TypeAlias = Literal["own", "gold"]
"""Whose answers a turn is given: the solver's own, or the references."""


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """What a solver is given; the references are not in it."""

    item_id: str
    conversation_id: str
    turn_idx: int
    question: str
    document: Mapping[str, Any]
    history: tuple[Mapping[str, str], ...]
    """`question` and `answer` of each turn before; an answer that failed is empty."""

    def as_dict(self) -> dict[str, Any]:
        """Return the mapping that a Python callable gets (page 40)."""
        return {
            "item_id": self.item_id,
            "conversation_id": self.conversation_id,
            "turn_idx": self.turn_idx,
            "question": self.question,
            "document": dict(self.document),
            "history": [dict(entry) for entry in self.history],
        }


class TurnFailedError(Exception):
    """A turn that has no answer, with what was done until then."""

    def __init__(self, kind: str, message: str, trace: TurnTrace) -> None:
        super().__init__(f"{kind}: {message}")
        self.trace = replace(trace, error=TurnError(kind, message or kind))


class Solver(Protocol):
    """Answers one turn, or raises TurnFailedError."""

    def solve(self, request: TurnRequest) -> TurnTrace:
        """Return what was done and answered."""


def solve_conversation(conversation: Conversation, solver: Solver, history: History) -> Iterator[TurnTrace]:
    """Yield the turns of a conversation as they are solved."""
    before: list[Mapping[str, str]] = []
    for turn in conversation.turns:
        request = TurnRequest(
            conversation.turn_id(turn.index),
            conversation.id,
            turn.index,
            turn.question,
            conversation.document,
            tuple(before),
        )
        trace = _solved(solver, request)
        before.append({"question": turn.question, "answer": _remembered(turn, trace, history)})
        yield trace


def _solved(solver: Solver, request: TurnRequest) -> TurnTrace:
    try:
        return solver.solve(request)
    except TurnFailedError as error:
        return error.trace


def _remembered(turn: Turn, trace: TurnTrace, history: History) -> str:
    return expected(turn) if history == "gold" else trace.actual_answer or ""
