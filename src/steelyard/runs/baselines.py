"""Baselines: a run, or an evaluated suite, under a name that stays until it is set again."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from steelyard.comparison.contract import refuse_mock
from steelyard.errors import IncompleteError, InputError, Problem, quoted
from steelyard.records.runs import BaselineFigures, SuiteRecord, plain_metrics
from steelyard.runs.stored import StoredRun, open_run
from steelyard.store.baseline_files import Baseline
from steelyard.store.baselines import (
    baseline_path,
    baselines_naming,
    list_baselines,
    list_moves,
    set_baseline,
    show_baseline,
)
from steelyard.store.checking import check_files, read_results
from steelyard.store.directories import list_runs, read_run
from steelyard.store.suites import find_suite, read_suite, suite_fingerprint


def name_baseline(runs_dir: Path, name: str, run: str, *, allow_empty: bool = False) -> Baseline:
    """Point a name at a completed run or at an evaluated suite, of which something was answered."""
    suite = find_suite(runs_dir, run)
    if suite is not None:
        record = read_suite(suite)
        _check_suite(runs_dir, suite, record, allow_empty=allow_empty)
        return set_baseline(runs_dir, name, suite, record.suite_id, suite_fingerprint(record))
    found = open_run(runs_dir, run)
    fingerprint = _checked(found, allow_empty=allow_empty)
    return set_baseline(runs_dir, name, found.path, found.record.run_id, fingerprint)


def _checked(run: StoredRun, *, allow_empty: bool) -> str:
    """Return the fingerprint of a run that others may be held against."""
    refuse_mock([(run.label, run.record)])
    fingerprint = check_files(run.path)
    states = run.record.counts.get("states", {})
    if not allow_empty and not states.get("scored"):
        found = ", ".join(f"{count} {state}" for state, count in states.items() if count) or "no items"
        message = f"nothing of {run.label} was answered ({found}), so nothing can be held against it"
        raise InputError(Problem("no-items", message, hint="--allow-empty sets it anyway", file=str(run.path)))
    return fingerprint


def _check_suite(runs_dir: Path, path: Path, record: SuiteRecord, *, allow_empty: bool) -> None:
    for entry in record.tasks:
        if entry.path is None:
            message = f"{entry.task} was not evaluated to its end"
            raise IncompleteError(Problem("run-incomplete", message, hint="evaluate the suite again", file=str(path)))
        _checked(open_run(runs_dir, path / entry.path), allow_empty=allow_empty)


def figures_before(path: Path) -> BaselineFigures | None:
    """Return what a run says that a baseline names, before it is judged again; None for any other run."""
    names = baselines_naming(path)
    if not names:
        return None
    try:
        return BaselineFigures(names, plain_metrics(read_results(path)))
    except InputError:
        return BaselineFigures(names, {})


def baseline_run(runs_dir: Path, entry: Baseline) -> Path:
    """Return where a baseline's run stands: where it was set, or wherever in the folder it was moved to."""
    path = baseline_path(runs_dir, entry)
    if path.is_dir():
        return path
    moved = [place for place, record in list_runs(runs_dir) if record.run_id == entry.run_id]
    if len(moved) == 1:
        return moved[0]
    message = f"the baseline {entry.name} points to {entry.path}, which is not there"
    hint = f"`steelyard baseline set {entry.name} RUN` points it to another run"
    raise InputError(Problem("no-baseline", message, hint=hint, file=str(path)))


def refuse_changed(entry: Baseline, run_id: str, fingerprint: str | None) -> None:
    """Refuse a run that stands where a baseline points and is not the one that was set."""
    if (run_id, entry.fingerprint or fingerprint) != (entry.run_id, fingerprint):
        what = f"it holds {run_id}" if run_id != entry.run_id else "it was made from, or answered, something else"
        message = (
            f"the baseline {quoted(entry.name)} was set to {entry.run_id}, and {entry.path} is another run: {what}"
        )
        hint = f"bring the run back as it was, or `steelyard baseline set {entry.name} RUN`"
        raise InputError(Problem("baseline-changed", message, hint=hint, file=entry.path))


def described_baselines(runs_dir: Path) -> list[dict[str, Any]]:
    """Return every baseline with what its run says of itself."""
    return [_described(runs_dir, entry) for entry in list_baselines(runs_dir)]


def described_baseline(runs_dir: Path, name: str) -> dict[str, Any]:
    """Return one baseline with what its run says of itself, and how it came there."""
    moves = [
        {
            "set_at": move.after.set_at,
            "set_by": move.after.set_by,
            "from": None if move.before is None else f"{move.before.path} {move.before.run_id}",
            "to": f"{move.after.path} {move.after.run_id}",
        }
        for move in list_moves(runs_dir, name)
    ]
    return _described(runs_dir, show_baseline(runs_dir, name)) | {"history": moves}


def _described(runs_dir: Path, entry: Baseline) -> dict[str, Any]:
    path = baseline_path(runs_dir, entry)
    found: dict[str, Any] = asdict(entry) | {"task": None, "metric": None, "score": None}
    if not path.is_dir():
        return found | {"problem": "the run is not there"}
    try:
        if find_suite(runs_dir, path) is not None:
            return found | {"task": f"suite {read_suite(path).suite}"}
        record = read_run(path)
    except InputError as error:
        return found | {"problem": error.problems[0].message}
    moved = {} if record.run_id == entry.run_id else {"problem": "another run stands there"}
    return found | {"task": record.task, "metric": record.primary_metric, "score": record.primary_score, **moved}
