"""Blocks judged by several workers at a time and given back in order; memory holds a few blocks for each worker.

Block forms run outside Python's interpreter lock, so threads use several cores and nothing is copied between processes.
Item forms do not, so those blocks go to processes. Either way the caller's thread reads, aggregates and stores.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, TypeVar

from steelyard.errors import Problems
from steelyard.judging.items import Judge
from steelyard.records.blocks import ItemBlock, ScoredBlock

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

    from steelyard.judging.blocks import BlockJudge, JudgedContent
    from steelyard.judging.contents import Content

T = TypeVar("T")
R = TypeVar("R")


def judged_in_order(
    make: Callable[[], BlockJudge], contents: Iterable[Content], workers: int, *, by_threads: bool
) -> Iterator[JudgedContent]:
    """Yield judged blocks in order, by several threads or processes where there are several workers."""
    if workers == 1:
        judge = make()
        return (judge.judged(content) for content in contents)
    if by_threads or not hasattr(os, "fork"):
        return _by_threads(make, contents, workers)
    return _by_processes(make(), _judged_content, contents, 2 * workers)


def _by_threads(make: Callable[[], BlockJudge], contents: Iterable[Content], workers: int) -> Iterator[JudgedContent]:
    """Yield judged blocks; the caller's thread is one of the workers, for it stores what the others judge."""
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - one worker, the usual case, needs no pool

    idle: SimpleQueue[BlockJudge] = SimpleQueue()
    for _ in range(workers - 1):
        idle.put(make())

    def judged(content: Content) -> JudgedContent:
        judge = idle.get()
        try:
            return judge.judged(content)
        finally:
            idle.put(judge)

    with ThreadPoolExecutor(workers - 1) as pool:
        yield from _in_order(pool, judged, contents, workers)


def judged_by_processes(judge: Judge, blocks: Iterable[ItemBlock], workers: int) -> Iterator[ScoredBlock]:
    """Yield judged blocks in order; what the processes find wrong with references is added to the judge's problems."""
    if workers == 1 or not hasattr(os, "fork"):
        yield from map(judge.judge, blocks)
        return
    for scored, problems in _by_processes(judge, _judged_items, blocks, 2 * workers):
        judge.problems.merge(problems)
        yield scored


_inherited: list[Any] = []


def _by_processes(judge: Any, function: Callable[[T], R], inputs: Iterable[T], ahead: int) -> Iterator[R]:
    """Yield what processes return. They are forks, which inherit the judge: its scorers may be plugins' closures."""
    import multiprocessing  # noqa: PLC0415 - as above
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 - as above

    _inherited.append(judge)
    try:
        with ProcessPoolExecutor(max(1, ahead // 2), multiprocessing.get_context("fork")) as pool:
            yield from _in_order(pool, function, inputs, ahead)
    finally:
        _inherited.pop()


def _judged_items(block: ItemBlock) -> tuple[ScoredBlock, Problems]:
    judge = _inherited[-1]
    judge.problems = Problems()
    return judge.judge(block), judge.problems


def _judged_content(content: Content) -> JudgedContent:
    judged: JudgedContent = _inherited[-1].judged(content)
    return judged


def _in_order(pool: Executor, function: Callable[[T], R], inputs: Iterable[T], ahead: int) -> Iterator[R]:
    pending: deque[Future[R]] = deque()
    for given in inputs:
        pending.append(pool.submit(function, given))
        if len(pending) > ahead:
            yield pending.popleft().result()
    while pending:
        yield pending.popleft().result()
