"""Runs made from recipes that are ready: judged into a fresh directory, or derived anew from what is there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from steelyard.records.runs import RunStatus
from steelyard.runs.places import UNWATCHED, Place, Watching
from steelyard.runs.recipes import Evaluation, Found
from steelyard.runs.recording import Derivation, FinishedRun, Recorder, abandoned_on_error, recording
from steelyard.store.directories import RunDirectory


def make_stored(evaluation: Evaluation, place: Place, watching: Watching = UNWATCHED) -> FinishedRun:
    """Judge answers that are all there already, and leave a complete run behind; bad input leaves nothing behind."""
    with recording(place, evaluation.identity, evaluation.plan, evaluation.group_rows) as recorder:
        return _completed(recorder, evaluation, evaluation.judge(recorder, watching), "completed")


def judge_answers(
    directory: RunDirectory, evaluation: Evaluation, watching: Watching, status: RunStatus = "completed"
) -> FinishedRun:
    """Judge the answers that a model's journal holds, and complete the run."""
    recorder = Recorder(directory, evaluation.identity, evaluation.plan, evaluation.group_rows)
    with abandoned_on_error(recorder):
        found = evaluation.judge(recorder, watching)
    return _completed(recorder, evaluation, found, status)


def _completed(recorder: Recorder, evaluation: Evaluation, found: Found, status: RunStatus) -> FinishedRun:
    finished = recorder.complete(
        config=evaluation.config(),
        manifest=evaluation.manifest(recorder, found),
        extra=found.extra,
        flags=found.flags,
        reading=found.reading,
        status=status,
    )
    return replace(finished, unknown_ids=found.unknown_ids, unknown_total=found.reading.unknown_ids)


def derive(
    evaluation: Evaluation, folder: Path, watching: Watching = UNWATCHED
) -> tuple[dict[str, Any], list[dict[str, Any]], list[str]]:
    """Write what `eval/` holds, into any folder; return the results, the hard examples and the flags."""
    derivation = Derivation(folder, evaluation.plan, evaluation.group_rows)
    with abandoned_on_error(derivation):
        found = evaluation.judge(derivation, watching)
    results, hard = derivation.finish(evaluation.identity.signatures, found.extra)
    return results, hard, [*evaluation.identity.flags, *found.flags, *found.reading.flags]
