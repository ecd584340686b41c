"""Functions called side by side behind a plain iterator, each call in a thread of its own and within a deadline.

A call that does not end cannot be stopped from outside: it is given up, its thread is left to itself, and another one
takes its place. Threads are daemons and nothing waits for them, so that the process can end all the same. All that is
decided is decided in the reader's thread; the others only call.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from steelyard.records.models import ModelReply, ModelRequest

Call: TypeAlias = Callable[[ModelRequest], ModelReply]
Pair: TypeAlias = tuple[ModelRequest, ModelReply]
_Results: TypeAlias = "queue.SimpleQueue[tuple[_Thread, ModelReply]]"


@dataclass(eq=False, slots=True)
class _Thread:
    """A thread that calls for one request after another; None ends it."""

    inbox: queue.SimpleQueue[ModelRequest | None] = field(default_factory=queue.SimpleQueue)
    request: ModelRequest | None = None
    """What it was given last."""
    ends_at: float = 0.0

    def begin(self, call: Call, results: _Results) -> None:
        threading.Thread(target=self._work, args=(call, results), daemon=True, name="steelyard call").start()

    def _work(self, call: Call, results: _Results) -> None:
        while (request := self.inbox.get()) is not None:
            results.put((self, call(request)))

    def give(self, request: ModelRequest, ends_at: float) -> None:
        self.request, self.ends_at = request, ends_at
        self.inbox.put(request)


class Calls:
    """Calls a function for requests, so many at a time, each for at most so many seconds. One use.

    The function raises nothing: what goes wrong is in its reply.
    """

    def __init__(self, call: Call, *, at_a_time: int, deadline: float | None) -> None:
        self._call = call
        self._at_a_time = at_a_time
        self._deadline = float("inf") if deadline is None else deadline
        self._results: _Results = queue.SimpleQueue()
        self._busy: dict[_Thread, None] = {}
        """Threads under way, the one that was given its request first before the others."""
        self._idle: list[_Thread] = []

    def run(self, requests: Iterable[ModelRequest]) -> Iterator[Pair]:
        """Yield replies as they come; a call that takes too long has one that says so."""
        stream = iter(requests)
        try:
            while True:
                self._fill(stream)
                if not self._busy:
                    return
                yield from self._next()
        finally:
            for thread in (*self._idle, *self._busy):
                thread.inbox.put(None)

    def _fill(self, stream: Iterator[ModelRequest]) -> None:
        while len(self._busy) < self._at_a_time:
            request = next(stream, None)
            if request is None:
                return
            thread = self._free()
            thread.give(request, time.monotonic() + self._deadline)
            self._busy[thread] = None

    def _free(self) -> _Thread:
        if self._idle:
            return self._idle.pop()
        thread = _Thread()
        thread.begin(self._call, self._results)
        return thread

    def _next(self) -> Iterator[Pair]:
        """Yield what has come, or after a deadline what has not."""
        left = next(iter(self._busy)).ends_at - time.monotonic()
        try:
            # What came while the reader was busy counts, so that a slow reader lets no call time out.
            found = self._results.get(timeout=min(max(left, 0.0), threading.TIMEOUT_MAX))
        except queue.Empty:
            yield from self._given_up()
            return
        thread, reply = found
        if thread in self._busy:
            assert thread.request is not None
            del self._busy[thread]
            self._idle.append(thread)
            yield thread.request, reply

    def _given_up(self) -> Iterator[Pair]:
        now = time.monotonic()
        for thread in [thread for thread in self._busy if thread.ends_at <= now]:
            assert thread.request is not None
            del self._busy[thread]
            # It ends by itself should the call ever come back; what it brings then is of no thread that is under way.
            thread.inbox.put(None)
            error = f"no answer within {self._deadline:g} s"
            yield thread.request, ModelReply(state="timeout", error=error)
