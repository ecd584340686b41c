"""Conversations with their turns to everything under `eval/`: judged, counted, written, drawn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from steelyard.conversations.blocks import scored_block
from steelyard.conversations.judging import judge
from steelyard.conversations.statistics import Statistics
from steelyard.errors import InputError, Problem
from steelyard.kinds.conversations.files import ConversationFiles, write_plots, write_statistics
from steelyard.kinds.conversations.reading import ConversationSource, Pair
from steelyard.runs.places import Progress
from steelyard.runs.recipes import Taking

BLOCK_CONVERSATIONS = 1024


def derive(
    items: Taking,
    source: ConversationSource,
    pairs: Iterable[Pair],
    *,
    plots: bool,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Write the tables, traces, statistics and plots of a run, and give its items; return the statistics."""
    with ConversationFiles(items.path) as files:
        statistics = _stream(items, files, pairs, progress)
        _check(source, items)
    found = statistics.content(source.sample.as_dict() if source.sample else None)
    write_statistics(items.path, found)
    if plots:
        write_plots(items.path, found)
    return found


def _stream(items: Taking, files: ConversationFiles, pairs: Iterable[Pair], progress: Progress | None) -> Statistics:
    """Carry blocks through the rooms. Nothing here holds more than one."""
    statistics = Statistics()
    for block in _blocks(pairs):
        judged = judge([conversation for conversation, _ in block], [turns for _, turns in block])
        items.add(scored_block(judged, items.report.n_items))
        files.write(judged)
        statistics.add(judged)
        if progress is not None:
            progress(items.report.n_items)
    return statistics


def _blocks(pairs: Iterable[Pair]) -> Iterator[list[Pair]]:
    iterator = iter(pairs)
    while block := list(islice(iterator, BLOCK_CONVERSATIONS)):
        yield block


def _check(source: ConversationSource, items: Taking) -> None:
    source.problems.raise_if_any()
    if not items.report.n_items:
        raise nothing_left(source.dataset)


def nothing_left(dataset: Path) -> InputError:
    """Return the error of a dataset without conversations."""
    hint = "check --sample-size; an evaluation of nothing would say nothing"
    return InputError(Problem("no-items", "no conversations are left to evaluate", hint=hint, file=str(dataset)))
