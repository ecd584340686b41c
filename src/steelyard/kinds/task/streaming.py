"""Blocks through the rooms: read, judge, record. Nothing here holds more than one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from steelyard.errors import InputError, Problem
from steelyard.items.journal import StoredJournal
from steelyard.items.source import SMALLEST_FILE, Source
from steelyard.judging.items import DryJudge, Judge
from steelyard.judging.workers import judged_by_processes
from steelyard.kinds.task.refusals import refuse_unanswered, refuse_unknown_tags, refuse_unseen
from steelyard.records.blocks import ItemBlock, ScoredBlock
from steelyard.records.runs import Reading
from steelyard.runs.places import Progress
from steelyard.runs.recipes import Taking
from steelyard.store.journal import odd_answers


def stream(
    recorder: Taking,
    judge: Judge | DryJudge,
    source: Source,
    journal: StoredJournal | None,
    progress: Progress | None,
    *,
    aside: bool = False,
) -> None:
    """Carry blocks through the rooms, nothing here holds more than one; then refuse what would be about nothing.

    What is judged again `aside` was held to its names when it was first judged, maybe with other data.
    """
    tags: set[str] = set()
    for scored in judged_blocks(judge, source, journal):
        if len(scored):
            recorder.add(scored)
            tags.update(scored.tags)
        if progress is not None:
            progress(recorder.report.n_items)
    if not aside:
        refuse_unseen(source)
    source.problems.merge(judge.problems)
    source.problems.raise_if_any()
    if not recorder.report.n_items:
        hint = "check --limit and --sample-size; an evaluation of nothing would say nothing"
        raise InputError(Problem("no-items", "no items are left to evaluate", hint=hint, file=str(source.dataset)))
    if not aside and isinstance(judge, Judge):
        refuse_unanswered(recorder.report.states, source)
        refuse_unknown_tags(recorder.report.plan, tags, source)


def block_path(judge: Judge, source: Source, journal: StoredJournal | None) -> Iterator[ScoredBlock] | None:
    """Return the judged blocks of a dataset by columns, or None where it is too small for their machinery."""
    if source.dataset.stat().st_size < SMALLEST_FILE:
        return None
    from steelyard.judging import path  # noqa: PLC0415 - thirty modules and their loops, for large files alone

    return path.block_path(judge, source, journal)


def judged_blocks(judge: Judge | DryJudge, source: Source, journal: StoredJournal | None) -> Iterator[ScoredBlock]:
    """Yield the judged blocks of a source: in columns, or row by row where it is small."""
    if isinstance(judge, DryJudge):
        return map(judge.unscored, judged_blocks(judge.judge, source, journal))
    found = block_path(judge, source, journal)
    return judged_by_processes(judge, _journaled(source.blocks(), journal), source.workers) if found is None else found


def _journaled(blocks: Iterator[ItemBlock], journal: StoredJournal | None) -> Iterator[ItemBlock]:
    for block in blocks:
        if journal is not None:
            journal.write(block)
        yield block


def prediction_facts(journal: Path | None, reading: Reading) -> dict[str, Any]:
    """Return what a run's results say of its predictions: which did not count, and how many were cut short."""
    counts = {"unknown_ids": reading.unknown_ids, "quarantined": reading.quarantined}
    return {"predictions": counts | (odd_answers(journal) if journal is not None else {})}
