"""Conversations turn by turn through a solver. A turn that raises becomes an error, and the conversation goes on.

Solvers are generators: they yield what they want to ask a model and are sent its reply. So many conversations can be
under way at a time, and whoever drives them decides how requests are put together.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, TypeAlias

from steelyard.conversations.tables import expected
from steelyard.conversations.traces import TraceError, read_turn
from steelyard.records.conversations import Conversation, Turn, TurnError, TurnTrace
from steelyard.records.models import Message, ModelReply, ModelRequest

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


# A Python callable as a solver: it gets a turn, and returns an answer or a mapping with `answer` (page 40).


FIELDS = (
    "answer", "plan", "prompt_tokens", "completion_tokens", "llm_calls", "tool_calls", "latency_ms", "validator_logs",
)  # fmt: skip
"""What a callable's mapping may hold."""


class CallableSolver:
    """Gives whole turns to `python:module:function`."""

    def solve(self, request: TurnRequest) -> Asking:
        """Call the function with one turn."""
        message = Message("user", request.question)
        asked = ModelRequest(request.item_id, (message,), fields=request.as_dict(), input=request.question)
        reply = yield asked
        blank = TurnTrace(request.turn_idx)
        if reply.state is not None:
            kind, message_text = _error(reply)
            raise TurnFailedError(kind, message_text, blank)
        try:
            return read_turn({"turn_idx": request.turn_idx, **_given(reply)})
        except TraceError as error:
            raise TurnFailedError("TraceError", f"what the callable returned cannot be used: {error}", blank) from None


def _error(reply: ModelReply) -> tuple[str, str]:
    """Return type and message of an error that models write as `Type: message`."""
    kind, colon, message = (reply.error or "").partition(": ")
    if colon and kind.isidentifier():
        return kind, message
    return ("TimeoutError" if reply.state == "timeout" else "ModelError"), reply.error or "the callable gave no answer"


def _given(reply: ModelReply) -> dict[str, Any]:
    output = reply.output
    if not isinstance(output, Mapping):
        return {"answer": output, "latency_ms": reply.latency_ms}
    unknown = sorted(set(output) - set(FIELDS))
    if unknown or "answer" not in output:
        found = f"unknown keys {', '.join(unknown)}" if unknown else "no `answer`"
        raise TraceError(f"the mapping has {found}, expected {', '.join(FIELDS)}")
    return {"latency_ms": reply.latency_ms, **output}
