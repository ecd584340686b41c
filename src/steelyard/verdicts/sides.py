"""The two sides of a gate: the run, and what it is held against, each of them what it says it is.

A run that is not complete has a verdict of its own. A run whose files are not what was written has none.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from steelyard.errors import InputError, Problem, SteelyardError, UsageError
from steelyard.records.comparisons import Contract
from steelyard.records.gates import Decision
from steelyard.records.runs import RUN_FILE, SUITE_FILE, RunRecord, SuiteRecord, SuiteTask
from steelyard.records.verdicts import Grain, TaskVerdict, Verdict
from steelyard.runs.baselines import baseline_run, refuse_changed
from steelyard.runs.repeated import check_members, with_repeats
from steelyard.runs.stored import HINTS, STANDINGS, StoredRun, UnfinishedError, open_run
from steelyard.store.baselines import find_baseline
from steelyard.store.checking import damaged
from steelyard.store.directories import find_run, read_run
from steelyard.store.suites import find_suite, read_suite, suite_fingerprint

BASELINE_GATE = "baseline complete"


class UnfinishedBaselineError(Exception):
    """What a run is held against is not complete."""

    def __init__(self, error: UnfinishedError) -> None:
        super().__init__(str(error))
        self.error = error


def whole_run(runs_dir: Path, name: str | Path, *, label: str | None = None) -> StoredRun:
    """Return a complete run whose files are what was written."""
    run = with_repeats(open_run(runs_dir, name, label=label))
    check_members(run)
    return run


def held_against(runs_dir: Path, name: str | Path | None) -> StoredRun | None:
    """Return the run that a baseline's name, or else a run's, stands for; None where nothing was named."""
    if name is None:
        return None
    entry = find_baseline(runs_dir, name) if isinstance(name, str) else None
    try:
        if entry is None:
            return whole_run(runs_dir, name, label=str(name))
        run = with_repeats(open_run(runs_dir, baseline_run(runs_dir, entry), label=entry.name))
    except UnfinishedError as error:
        raise UnfinishedBaselineError(error) from None
    refuse_changed(entry, run.record.run_id, check_members(run))
    return run


def refuse_itself(run: StoredRun, baseline: StoredRun | None) -> None:
    """Refuse to hold a run against itself, or against a copy of itself."""
    if baseline is not None and run.record.run_id == baseline.record.run_id:
        message = f"{run.label} is held against itself: {run.path} and {baseline.path} are both {run.record.run_id}"
        raise UsageError(Problem("usage", message, hint="--against takes another run, or a baseline that is one"))


def refuse_same_suite(suite: SuiteRecord, baseline: SuiteRecord) -> None:
    """Refuse to hold a suite against itself."""
    if suite.suite_id == baseline.suite_id:
        message = f"{suite.name} is held against itself: both are {suite.suite_id}"
        raise UsageError(Problem("usage", message, hint="--against takes another suite, or a baseline that is one"))


def suite_held_against(runs_dir: Path, name: str | Path) -> tuple[Path, SuiteRecord]:
    """Return the suite that a baseline's name, or else a suite's, stands for."""
    entry = find_baseline(runs_dir, name) if isinstance(name, str) else None
    folder = find_suite(runs_dir, name if entry is None else baseline_run(runs_dir, entry))
    if folder is None:
        message = f"{name} is no suite, and a suite is held against one"
        raise InputError(Problem("no-baseline", message, hint="give --against the folder of an evaluated suite"))
    record = read_suite(folder)
    if entry is not None:
        refuse_changed(entry, record.suite_id, suite_fingerprint(record))
    return folder, record


def suite_run(runs_dir: Path, folder: Path, entry: SuiteTask, *, label: str) -> StoredRun:
    """Return the run of a suite's task, which must be the one that the suite made."""
    place = folder / (entry.path or entry.task)
    run = whole_run(runs_dir, place, label=label)
    found = run.record.run_id, run.record.fingerprint
    # A suite of format 1 names no runs; its own are of format 1 too, and have no fingerprint.
    expected = (found[0], None) if entry.run_id is None else (entry.run_id, entry.fingerprint)
    if (*found, run.record.task) != (*expected, entry.task):
        named = entry.run_id or "a run that keeps no hashes"
        message = f"{SUITE_FILE} names {named} for {entry.task}, and {found[0]} of {run.record.task} stands there"
        raise damaged(place / RUN_FILE, message)
    return run


def suite_runs(runs_dir: Path, folder: Path, record: SuiteRecord, *, label: str) -> dict[str, StoredRun]:
    """Return the runs of a suite that others are held against, by task."""
    try:
        return {
            entry.task: suite_run(runs_dir, folder, entry, label=f"{label}/{entry.path}")
            for entry in record.tasks
            if entry.path is not None
        }
    except UnfinishedError as error:
        raise UnfinishedBaselineError(error) from None


def unfinished(error: UnfinishedError, task: str | None = None) -> Decision:
    """Return the gate of a run that is not complete: a crashed one fails, any other is undecided."""
    named = task or (error.record.task if error.record is not None else error.name)
    return Decision(
        gate="run complete",
        task=named,
        outcome="fail" if error.standing == "crashed" else "undecided",
        level="blocking",
        reason=f"the run {STANDINGS[error.standing]}",
        hint=HINTS[error.standing],
        candidate=0.0 if error.standing == "crashed" else None,
    )


def unfinished_verdict(
    error: UnfinishedError | UnfinishedBaselineError, runs_dir: Path, name: str, against: str | None
) -> Verdict:
    """Return the verdict on a run that is not complete, or that is held against one."""
    if isinstance(error, UnfinishedBaselineError):
        found = unfinished(error.error)
        found = replace(found, gate=BASELINE_GATE, outcome="undecided", candidate=None)
        decision, record = replace(found, reason=f"the baseline: {found.reason}"), _record(runs_dir, name)
    else:
        decision, record, name = unfinished(error), error.record, error.name
    if record is None:
        return Verdict(name, "default", (decision,), ())
    model, known = record.model.get("name"), None if against is None else _baseline_id(runs_dir, against)
    grain = Grain(record.task, None if model is None else str(model), record.prompt_version, record.scorer_version)
    part = TaskVerdict(
        record.task, record.name, against, grain, Contract(comparable=True), run_id=record.run_id, baseline_id=known
    )
    return Verdict(record.name, "default", (decision,), (part,))


def _record(runs_dir: Path, name: str | Path) -> RunRecord | None:
    """Return what a run says of itself; None where nothing can be read, as of a suite."""
    try:
        return read_run(find_run(runs_dir, name))
    except SteelyardError:
        return None


def _baseline_id(runs_dir: Path, name: str) -> str | None:
    """Return the id behind a baseline's name, or else a run's; None where there is none."""
    try:
        entry = find_baseline(runs_dir, name)
    except SteelyardError:
        return None
    record = _record(runs_dir, name) if entry is None else None
    return entry.run_id if entry is not None else record.run_id if record is not None else None
