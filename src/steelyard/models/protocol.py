"""What every model does: answer one request, or a stream of them in whatever order answers come.

Beside it the mock, behind which no model stands.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Any, Protocol, Self, runtime_checkable

from steelyard.records.models import ModelIdentity, ModelReply, ModelRequest


@runtime_checkable
class Model(Protocol):
    """A model that is ready to answer."""

    @property
    def identity(self) -> ModelIdentity:
        """Everything about the model that can change its answers."""

    @property
    def at_a_time(self) -> int:
        """How many requests it answers side by side."""

    def generate(self, request: ModelRequest) -> ModelReply:
        """Answer one request; a failure is a reply with a state."""

    def ask(self, requests: Iterable[ModelRequest]) -> Iterator[tuple[ModelRequest, ModelReply]]:
        """Answer many requests, each once, in the order in which the answers come.

        Requests are drawn as the model has room for them, and closing the iterator stops the asking.
        """

    def resumed(self) -> None:
        """Hear that an earlier process of the same run had answers from this model."""

    def close(self) -> None:
        """Let go of weights, threads and connections."""


class BaseModel:
    """A model that answers one request after another. Kinds that batch or run side by side override `ask`."""

    def __init__(self, identity: ModelIdentity, *, at_a_time: int = 1) -> None:
        self._identity = identity
        self._at_a_time = at_a_time

    @property
    def identity(self) -> ModelIdentity:
        """Everything about the model that can change its answers."""
        return self._identity

    @property
    def at_a_time(self) -> int:
        """How many requests it answers side by side."""
        return self._at_a_time

    def generate(self, request: ModelRequest) -> ModelReply:
        """Answer one request."""
        raise NotImplementedError

    def ask(self, requests: Iterable[ModelRequest]) -> Iterator[tuple[ModelRequest, ModelReply]]:
        """Answer requests one after another."""
        for request in requests:
            yield request, self.generate(request)

    def resumed(self) -> None:
        """Hear that an earlier process of the same run had answers from this model; most need not know."""

    def close(self) -> None:
        """Let go of what the model holds; most hold nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def elapsed_ms(start: float) -> float:
    """Return the milliseconds since a `time.perf_counter()`, to the microsecond."""
    return round((time.perf_counter() - start) * 1000, 3)


LONGEST_ERROR = 1000
"""Characters of an error that are kept."""


def failure(error: BaseException) -> dict[str, Any]:
    """Return state and error of a reply that stands for an exception of foreign code."""
    return {"state": "timeout" if isinstance(error, TimeoutError) else "failed", "error": said(error)}


def said(error: BaseException) -> str:
    """Return type and message of an exception, whose message is foreign code too."""
    try:
        message = str(error)[:LONGEST_ERROR]
    except Exception:  # noqa: BLE001 - an exception that cannot say what it is
        message = "its message cannot be shown"
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


# `mock`: a dry run. It asks nobody and answers nothing, so that no score can be mistaken for a model's.


MOCK_REASON = "dry run: the mock model gives no answers"


class MockModel(BaseModel):
    """A model that is none."""

    def __init__(self) -> None:
        super().__init__(ModelIdentity(spec="mock", kind="mock", name="mock"))

    def generate(self, request: ModelRequest) -> ModelReply:
        """Give no answer."""
        del request
        return ModelReply(state="failed", error=MOCK_REASON)
