"""Judge a run's stored answers again: everything under `eval/` is derived anew, and nothing else changes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from steelyard.errors import IncompleteError, InputError, Problem
from steelyard.kinds.table import kind_of, recipe_of
from steelyard.reading.hashing import sha256_file
from steelyard.records.runs import RUN_FORMAT, Rescored, RunRecord
from steelyard.runs.baselines import figures_before
from steelyard.runs.making import derive
from steelyard.runs.places import UNWATCHED, Watching
from steelyard.runs.recipes import Evaluation, OtherJudges
from steelyard.runs.recording import FinishedRun, outcome
from steelyard.runs.reporting import write_report
from steelyard.runs.sealing import other_items, renew_seals
from steelyard.runs.standing import write_standing
from steelyard.store.checking import damage_told, kept_items
from steelyard.store.directories import RunDirectory, find_run, read_run


@dataclass(frozen=True, slots=True, kw_only=True)
class RescoreOptions(OtherJudges):
    """The command line of `steelyard rescore` as a record."""

    run: str
    runs_dir: Path = Path("runs")


def rescore(options: RescoreOptions, watching: Watching = UNWATCHED) -> FinishedRun:
    """Derive a completed run's `eval/` anew from its journal, under its own judges or others.

    Of a baseline, what it said before is returned with it.
    """
    path = find_run(options.runs_dir, options.run)
    before = figures_before(path)
    with damage_told(path):
        return replace(_judged_again(path, options, watching), before=before)


def _judged_again(path: Path, options: RescoreOptions, watching: Watching) -> FinishedRun:
    record = _complete(path)
    recipe = recipe_of(path, record)
    evaluation = kind_of(record).again(recipe, path, record, options)
    check_data(record, recipe.data())
    directory = RunDirectory.reopen(path)
    try:
        return _rescored(path, record, evaluation, watching)
    finally:
        directory.release()


def _rescored(path: Path, record: RunRecord, evaluation: Evaluation, watching: Watching) -> FinishedRun:
    results, hard, _ = derive(evaluation, path, watching)
    identity = evaluation.identity
    facts = outcome(results) | {"items": other_items(path, record), "config": evaluation.judged_by}
    standing = write_standing(path, record, Rescored(identity.scorer_version, dict(identity.signatures), **facts))
    write_report(path, standing, results, hard)
    renew_seals(path, record)
    return FinishedRun(path, standing, results, hard)


def _complete(path: Path) -> RunRecord:
    record = read_run(path, as_made=True)
    if record.status == "completed":
        if record.format_version >= RUN_FORMAT:
            kept_items(path)
        return record
    message = f"the run is {record.status}, expected a completed one"
    raise IncompleteError(Problem("run-incomplete", message, hint="evaluate it to its end first", file=str(path)))


def check_data(record: RunRecord, dataset: Path | None) -> None:
    """Raise where a run's data is not what it was."""
    if dataset is None:
        return
    found, expected = sha256_file(dataset), record.dataset.get("sha256")
    if found != expected:
        message = f"the dataset's hash is {found}, expected {expected}: its content has changed since the run"
        hint = "bring the dataset back as it was, or evaluate the changed one as another run"
        raise InputError(Problem("dataset-changed", message, hint=hint, file=str(dataset)))
