"""Progress of long work: a bar on a terminal, nothing in a log until ten seconds have gone by, then a line each."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from steelyard.cli.output import kept_for_machines, plain

PATIENCE = 10.0
"""Seconds between lines in a log."""
SLOW_START = 0.5
"""Seconds before a bar appears: short work needs none."""


@contextmanager
def item_progress(*, shown: bool, total: int | None = None) -> Iterator[Callable[[int], None] | None]:
    """Give a function to call with the number of items done so far."""
    if not shown:
        yield None
    elif plain():
        yield _lines()
    else:
        with _bar(total) as update:
            yield update


@contextmanager
def asking_progress(*, shown: bool) -> Iterator[Callable[[int, int], None] | None]:
    """Give a function to call with how many items are answered and how many there are."""
    with _counted("asking", "items", shown=shown) as update:
        yield update


@contextmanager
def training_progress(*, shown: bool) -> Iterator[Callable[[int, int], None] | None]:
    """Give a function to call with how many steps are done and how many there are."""
    with _counted("training", "steps", shown=shown) as update:
        yield update


@contextmanager
def calibration_progress(*, shown: bool) -> Iterator[Callable[[int, int], None] | None]:
    """Give a function to call with how many runs are imagined and gated, and how many there will be."""
    with _counted("calibrating", "runs", shown=shown) as update:
        yield update


@contextmanager
def _counted(word: str, unit: str, *, shown: bool) -> Iterator[Callable[[int, int], None] | None]:
    """Show done and total with rate and time left: a bar on a terminal, lines in a log.

    Where nothing is shown, standard output is a machine's.
    """
    if not shown:
        with kept_for_machines():
            yield None
        return
    if plain():
        yield _counted_lines(word, unit)
        return
    bars: list[tuple[Callable[[int], None], Callable[[], None]]] = []

    def update(done: int, total: int) -> None:
        if not bars:
            bars.append(_rich_bar(total, word))
        bars[0][0](done)
        if done >= total:
            bars[0][1]()

    try:
        yield update
    finally:
        for _, stop in bars:
            stop()


def _counted_lines(word: str, unit: str) -> Callable[[int, int], None]:
    started = last = time.monotonic()
    before: int | None = None
    told = -1

    def update(done: int, total: int) -> None:
        nonlocal last, before, told
        now = time.monotonic()
        before = done if before is None else before
        ended = done >= total and last > started
        if done != told and (ended or now - last >= PATIENCE):
            last, told = now, done
            rate = (done - before) / max(now - started, 1e-9)
            left = f", {(total - done) / rate:,.0f} s left" if rate and done < total else ""
            click.echo(f"{word}: {done:,} of {total:,} {unit}, {rate:,.1f} a second{left}", err=True)

    return update


def _lines() -> Callable[[int], None]:
    started = last = time.monotonic()

    def update(done: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= PATIENCE:
            last = now
            click.echo(f"{done:,} items, {done / (now - started):,.0f} a second", err=True)

    return update


@contextmanager
def _bar(total: int | None) -> Iterator[Callable[[int], None]]:
    """Show a bar once the work has taken half a second; rich is imported only then."""
    started = time.monotonic()
    shown: list[Callable[[int], None]] = []
    stop: list[Callable[[], None]] = []

    def update(done: int) -> None:
        if not shown and time.monotonic() - started > SLOW_START:
            begin, end = _rich_bar(total)
            shown.append(begin)
            stop.append(end)
        for show in shown:
            show(done)

    try:
        yield update
    finally:
        for end in stop:
            end()


def _rich_bar(total: int | None, word: str = "judging") -> tuple[Callable[[int], None], Callable[[], None]]:
    from rich.console import Console  # noqa: PLC0415 - rich is for people's output only
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text  # noqa: PLC0415

    class Rate(ProgressColumn):
        """Items a second, once there is a rate."""

        def render(self, task: Task) -> Text:
            """Return the rate as text."""
            return Text(f"{task.speed:,.1f}/s" if task.speed else "")

    columns = (TextColumn(word), BarColumn(), MofNCompleteColumn(), Rate(), TimeRemainingColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task("items", total=total)
    bar.start()
    return lambda done: bar.update(task, completed=done), bar.stop
