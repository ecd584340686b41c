"""Many coroutines at a time behind a plain iterator: the rest of the program never sees an event loop.

A thread runs the loop. Requests are drawn from the caller's iterator under a lock as workers become free, so at most
`concurrency` are under way; replies come through a queue. Closing the iterator cancels what is under way.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any, TypeAlias

from steelyard.records.models import ModelReply, ModelRequest

Answer: TypeAlias = Callable[[ModelRequest], Awaitable[ModelReply]]


GATHERING = 0.003
"""Seconds that replies are gathered before the reader is woken: a wake-up for each costs more than the reply itself."""

IDLE = 1.0
"""Seconds without a reply after which whoever waits for one is told."""

Pair: TypeAlias = tuple[ModelRequest, ModelReply]


class AsyncStream:
    """Runs an async function over requests with bounded concurrency. One use."""

    def __init__(
        self,
        answer: Answer,
        *,
        concurrency: int,
        around: Callable[[], AbstractAsyncContextManager[Any]] = nullcontext,
        idle: Callable[[], None] | None = None,
    ) -> None:
        self._answer = answer
        self._idle = idle
        """Called in the reader's thread about every second in which no reply comes."""
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
            thread.join(timeout=10)

    def _next_batch(self) -> list[Pair] | None:
        while True:
            try:
                return self._batches.get(timeout=None if self._idle is None else IDLE)
            except queue.Empty:
                if self._idle is not None:
                    self._idle()

    def _loop(self, requests: Iterator[ModelRequest]) -> None:
        try:
            asyncio.run(self._everything(requests))
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
            self._gather((request, await self._answer(request)))
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
            await asyncio.sleep(0.05)
        for worker in workers:
            worker.cancel()
