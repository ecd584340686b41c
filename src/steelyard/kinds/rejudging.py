"""Stored answers judged again: in the run itself (`rescore`), or aside (`gate --verify`, `compare --attribute`)."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from steelyard.errors import IncompleteError, InputError, Problem
from steelyard.kinds.table import kind_of, read_recipe, recipe_of
from steelyard.reading.ids import sha256_file
from steelyard.records.runs import ITEMS_FILE, RESULTS_FILE, RUN_FORMAT, Rescored, RunRecord
from steelyard.runs.baselines import figures_before
from steelyard.runs.making import derive
from steelyard.runs.places import UNWATCHED, Watching
from steelyard.runs.recipes import Evaluation, OtherJudges, not_for_this_kind
from steelyard.runs.recording import FinishedRun, outcome
from steelyard.runs.reporting import write_report
from steelyard.runs.sealing import other_items, renew_seals, write_standing
from steelyard.runs.stored import StoredRun, agree
from steelyard.runs.verifying import (
    OLD_FIGURES,
    is_current,
    verify_columns,
    verify_files,
    verify_flags,
    verify_record,
    verify_results,
)
from steelyard.store.checking import damage_told, damaged, kept_items
from steelyard.store.columns import StoredColumns
from steelyard.store.directories import RunDirectory, find_run, read_run


@dataclass(frozen=True, slots=True)
class Rejudged:
    """What a run's answers give today, in a folder that is about to go."""

    folder: Path
    columns: StoredColumns
    results: Mapping[str, Any]
    flags: Sequence[str]


@contextmanager
def judged_again(outputs: StoredRun, judge: StoredRun, *, data: StoredRun) -> Iterator[Rejudged]:
    """Judge one run's outputs by another's scorers over the items of `data`, aside; yield items and results."""
    kind = kind_of(judge.record)
    recipe = _standing(judge).crossed(_own(outputs, judge), _own(data, judge))
    _refuse_changed(data, recipe.data())
    with tempfile.TemporaryDirectory(prefix="steelyard-rejudge-") as name:
        folder = Path(name)
        (folder / ITEMS_FILE).parent.mkdir(parents=True)
        with warnings.catch_warnings():
            # What there is to warn of was said when the run was made.
            warnings.simplefilter("ignore")
            evaluation = kind.again(recipe, outputs.path, judge.record, aside=True)
            results, _, flags = derive(evaluation, folder)
        columns = StoredColumns(folder / ITEMS_FILE, primary=results["primary_metric"], labels=results.get("labels"))
        yield Rejudged(folder, columns, results, flags)


def verify_outputs(run: StoredRun) -> None:
    """Raise where anything that a run derived is not what its stored answers give when they are judged again."""
    with judged_again(run, run, data=run) as again:
        if not run.columns.ids().equals(again.columns.ids()):
            raise damaged(run.columns.path, "the items are not those of the dataset")
        verify_columns(run.columns, again.columns, current=is_current(run))
        stored = run.results if is_current(run) else {name: run.results[name] for name in OLD_FIGURES}
        verify_results(run.path / RESULTS_FILE, stored, again.results)
        if is_current(run):
            verify_files(run.path, again.folder)
        verify_record(run, again.results)
        verify_flags(run, again.flags)


def verify_figures(run: StoredRun, names: Sequence[str]) -> None:
    """Raise where a stored figure that no single items decide is not what the stored answers give."""
    if not names:
        return
    with judged_again(run, run, data=run) as again:
        for name in names:
            stored, found = run.results["metrics"][name], again.results["metrics"].get(name)
            if not agree(found, stored):
                message = f"{RESULTS_FILE} says that {name} is {stored}, and the stored outputs give {found}"
                raise damaged(run.path / RESULTS_FILE, message)


def _standing(run: StoredRun) -> Any:
    """Return the recipe of a run with the judges that it stands under today."""
    return read_recipe(run.record, run.config, run.path).judged_by(run.judged_by)


def _own(run: StoredRun, judge: StoredRun) -> Any:
    """Return the recipe of a run, which must be one that the judges of another can read."""
    recipe, judges = kind_of(run.record).recipe, kind_of(judge.record).recipe
    if not issubclass(recipe, judges) and not issubclass(judges, recipe):
        verb = f"judging {run.label} by the scorers of {judge.label}, a run of kind {judge.record.kind},"
        raise not_for_this_kind(verb, f"a run of kind {run.record.kind}", "compare without --attribute")
    return read_recipe(run.record, run.config, run.path)


def _refuse_changed(run: StoredRun, dataset: Path | None) -> None:
    """Refuse a run whose data is not what it was."""
    if dataset is None or not dataset.is_file() or sha256_file(dataset) != run.record.dataset.get("sha256"):
        message = f"the dataset of {run.label} is not there as it was, so its outputs cannot be judged again"
        hint = "bring the file back as it was"
        raise InputError(Problem("dataset-changed", message, hint=hint, file=str(dataset or run.path)))


# Judge a run's stored answers again: everything under `eval/` is derived anew, and nothing else changes.


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
