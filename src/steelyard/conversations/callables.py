"""A Python callable as a solver: it gets a turn, and returns an answer or a mapping with `answer` (page 40)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steelyard.conversations.solving import Asking, TurnFailedError, TurnRequest
from steelyard.conversations.traces import TraceError, read_turn
from steelyard.records.conversations import TurnTrace
from steelyard.records.models import Message, ModelReply, ModelRequest

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
