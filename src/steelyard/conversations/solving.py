"""Conversations turn by turn through a solver. A turn that raises becomes an error, and the conversation goes on.

Solvers are generators: they yield what they want to ask a model and are sent its reply. So many conversations can be
under way at a time, and whoever drives them decides how requests are put together.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, TypeAlias

from steelyard.conversations.tables import expected
from steelyard.records.conversations import Conversation, Turn, TurnError, TurnTrace
from steelyard.records.models import ModelReply, ModelRequest

History: TypeAlias = Literal["own", "gold"]
"""Whose answers a turn is given: the solver's own, or the references."""
Asking: TypeAlias = Generator[ModelRequest, ModelReply, TurnTrace]
"""Yields requests, is sent replies, returns the turn."""


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

    def solve(self, request: TurnRequest) -> Asking:
        """Return what was done and answered."""


def solve_conversation(
    conversation: Conversation,
    solver: Solver,
    history: History,
    finished: Callable[[TurnTrace], None],
    stored: Mapping[int, TurnTrace] | None = None,
) -> Generator[ModelRequest, ModelReply, None]:
    """Solve the turns of a conversation in order; `finished` is called with each but those that are `stored`."""
    known = stored or {}
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
        if turn.index in known:
            trace = known[turn.index]
        else:
            trace = yield from _solved(solver, request)
            finished(trace)
        before.append({"question": turn.question, "answer": _remembered(turn, trace, history)})


def _solved(solver: Solver, request: TurnRequest) -> Asking:
    try:
        return (yield from solver.solve(request))
    except TurnFailedError as error:
        return error.trace


def _remembered(turn: Turn, trace: TurnTrace, history: History) -> str:
    return expected(turn) if history == "gold" else trace.actual_answer or ""
