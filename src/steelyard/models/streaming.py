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


class _End:
    """The last entry of the queue, with the error that ended the asking."""

    def __init__(self, error: BaseException | None) -> None:
        self.error = error


class AsyncStream:
    """Runs an async function over requests with bounded concurrency."""

    def __init__(
        self,
        answer: Answer,
        *,
        concurrency: int,
        around: Callable[[], AbstractAsyncContextManager[Any]] = nullcontext,
    ) -> None:
        self._answer = answer
        self._concurrency = concurrency
        self._around = around
        """What is open while requests are asked, such as a connection pool; it belongs to the loop's thread."""

    def run(self, requests: Iterable[ModelRequest]) -> Iterator[tuple[ModelRequest, ModelReply]]:
        """Yield replies as they come; an exception of the function ends everything and is raised here."""
        replies: queue.Queue[tuple[ModelRequest, ModelReply] | _End] = queue.Queue()
        stop = threading.Event()
        thread = threading.Thread(target=self._loop, args=(iter(requests), replies, stop), daemon=True)
        thread.start()
        try:
            while True:
                entry = replies.get()
                if isinstance(entry, _End):
                    if entry.error is not None:
                        raise entry.error
                    return
                yield entry
        finally:
            stop.set()
            thread.join(timeout=10)

    def _loop(self, requests: Iterator[ModelRequest], replies: queue.Queue[Any], stop: threading.Event) -> None:
        error: BaseException | None = None
        try:
            asyncio.run(self._everything(requests, replies, stop))
        except BaseException as caught:  # noqa: BLE001 - carried to the caller's thread and raised there
            error = caught
        replies.put(_End(error))

    async def _everything(
        self, requests: Iterator[ModelRequest], replies: queue.Queue[Any], stop: threading.Event
    ) -> None:
        async with self._around():
            workers = [asyncio.create_task(self._work(requests, replies, stop)) for _ in range(self._concurrency)]
            watcher = asyncio.create_task(_watch(stop, workers))
            try:
                await asyncio.gather(*workers)
            except asyncio.CancelledError:
                if not stop.is_set():
                    raise
            finally:
                watcher.cancel()
                for worker in workers:
                    worker.cancel()
                await asyncio.gather(*workers, watcher, return_exceptions=True)

    async def _work(self, requests: Iterator[ModelRequest], replies: queue.Queue[Any], stop: threading.Event) -> None:
        while not stop.is_set():
            request = next(requests, None)
            if request is None:
                return
            replies.put((request, await self._answer(request)))
            while replies.qsize() > self._concurrency and not stop.is_set():
                # A reader slower than the model sets the pace, so that memory stays flat.
                await asyncio.sleep(0.002)


async def _watch(stop: threading.Event, workers: list[asyncio.Task[None]]) -> None:
    """Cancel what is under way once the reader is gone."""
    while not stop.is_set():
        await asyncio.sleep(0.05)
    for worker in workers:
        worker.cancel()
