"""Many coroutines at a time behind a plain iterator: the rest of the program never sees an event loop.

A thread runs the loop. Requests are drawn from the caller's iterator under a lock as workers become free, so at most
`concurrency` are under way; replies come through a queue. Closing the iterator cancels what is under way.
"""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any, TypeAlias

from steelyard.records.models import ModelReply, ModelRequest

Answer: TypeAlias = Callable[[ModelRequest], Awaitable[ModelReply]]


GATHERING = 0.003
"""Seconds that replies are gathered before the reader is woken: a wake-up for each costs more than the reply itself."""

IDLE = 1.0
"""Seconds without a reply after which whoever waits for one is told."""

LONGEST_CLOSING = 2.0
"""Seconds that connections have to close behind the last reply."""

Pair: TypeAlias = tuple[ModelRequest, ModelReply]


class BlockedLoopError(Exception):
    """A function that is called async has kept its loop to itself for longer than its deadline."""

    def __init__(self, request: ModelRequest, waiting: list[ModelRequest]) -> None:
        super().__init__(request.item_id)
        self.request = request
        """What it is at."""
        self.waiting = waiting
        """What else was under way, and had no chance."""


class AsyncStream:
    """Runs an async function over requests with bounded concurrency. One use."""

    def __init__(
        self,
        answer: Answer,
        *,
        concurrency: int,
        around: Callable[[], AbstractAsyncContextManager[Any]] = nullcontext,
        idle: Callable[[], None] | None = None,
        deadline: float | None = None,
    ) -> None:
        self._answer = answer
        self._idle = idle
        """Called in the reader's thread about every second in which no reply comes."""
        self._deadline = deadline
        """Seconds for which the function may keep the loop to itself; None where it is trusted."""
        self._beat = time.monotonic()
        """When the loop was last seen to go round."""
        self._under_way: dict[str, ModelRequest] = {}
        self._event_loop: asyncio.AbstractEventLoop | None = None
        self._blocked = False
        self._concurrency = concurrency
        self._around = around
        """What is open while requests are asked, such as a connection pool; it belongs to the loop's thread."""
        self._stop = threading.Event()
        self._batches: queue.Queue[list[Pair] | None] = queue.Queue()
        """Gathered replies; None is the end."""
        self._gathered: list[Pair] = []
        self._produced = 0
        self._consumed = 0
        """Each counter has one thread that writes it, so that none is lost between the two."""
        self._error: BaseException | None = None

    def run(self, requests: Iterable[ModelRequest]) -> Iterator[Pair]:
        """Yield replies as they come; an exception of the function ends everything and is raised here."""
        thread = threading.Thread(target=self._loop, args=(iter(requests),), daemon=True)
        thread.start()
        try:
            while (batch := self._next_batch()) is not None:
                for pair in batch:
                    self._consumed += 1
                    yield pair
            if self._error is not None:
                raise self._error
        finally:
            self._stop.set()
            if not self._blocked:
                thread.join(timeout=LONGEST_CLOSING)

    def _next_batch(self) -> list[Pair] | None:
        watched = self._idle is not None or self._deadline is not None
        while True:
            try:
                return self._batches.get(timeout=IDLE if watched else None)
            except queue.Empty:
                if self._idle is not None:
                    self._idle()
                self._refuse_blocked_loop()

    def _refuse_blocked_loop(self) -> None:
        """Raise where the loop has not gone round for longer than a call may take; its task is named by its item."""
        loop = self._event_loop
        if self._deadline is None or loop is None or time.monotonic() - self._beat < self._deadline + IDLE:
            return
        if self._gathered:
            self._deliver()
            return
        task = asyncio.current_task(loop)
        request = self._under_way.pop(task.get_name(), None) if task is not None else None
        if request is not None:
            self._blocked = True
            raise BlockedLoopError(request, list(self._under_way.values()))

    def _loop(self, requests: Iterator[ModelRequest]) -> None:
        # What is left in the loop after the last reply may take no notice of being cancelled: the reader does not wait.
        asyncio.run(self._to_the_end(requests))

    async def _to_the_end(self, requests: Iterator[ModelRequest]) -> None:
        self._event_loop = asyncio.get_running_loop()
        try:
            await self._everything(requests)
        except BaseException as caught:  # noqa: BLE001 - carried to the caller's thread and raised there
            self._error = caught
        self._deliver()
        self._batches.put(None)

    async def _everything(self, requests: Iterator[ModelRequest]) -> None:
        async with self._around():
            workers = [asyncio.create_task(self._work(requests)) for _ in range(self._concurrency)]
            watcher = asyncio.create_task(self._watch(workers))
            try:
                await asyncio.gather(*workers)
            except asyncio.CancelledError:
                if not self._stop.is_set():
                    raise
            finally:
                watcher.cancel()
                for worker in workers:
                    worker.cancel()
                await asyncio.gather(*workers, watcher, return_exceptions=True)

    async def _work(self, requests: Iterator[ModelRequest]) -> None:
        while not self._stop.is_set():
            request = next(requests, None)
            if request is None:
                return
            self._under_way[request.item_id] = request
            reply = await self._answer(request)
            self._under_way.pop(request.item_id, None)
            self._gather((request, reply))
            while self._produced - self._consumed > 2 * self._concurrency and not self._stop.is_set():
                # A reader slower than the model sets the pace, so that memory stays flat.
                await asyncio.sleep(GATHERING)

    def _gather(self, pair: Pair) -> None:
        self._produced += 1
        self._gathered.append(pair)
        if len(self._gathered) == 1:
            asyncio.get_running_loop().call_later(GATHERING, self._deliver)

    def _deliver(self) -> None:
        if self._gathered:
            batch, self._gathered = self._gathered, []
            self._batches.put(batch)

    async def _watch(self, workers: list[asyncio.Task[None]]) -> None:
        """Cancel what is under way once the reader is gone."""
        while not self._stop.is_set():
            self._beat = time.monotonic()
            await asyncio.sleep(0.05)
        for worker in workers:
            worker.cancel()
