"""Runs and suites by what people call them: a name, an id, a path, `latest`, `latest@TASK`.

A name means what stands below the folder of runs; only something with a slash is a path. `latest` is what was started
last in this folder, complete or not: never the one before it.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from steelyard.errors import InputError, Problem, UsageError, excerpt, quoted
from steelyard.records.runs import RUN_FILE, SUITE_FILE, of_today
from steelyard.store.counting import STARTED_FILE, Start, kept_records, read_record, read_starts

LATEST = "latest"


def find_named(runs_dir: Path, name: str | Path) -> Path:
    """Return the directory of a run or a suite."""
    if isinstance(name, Path):
        return _present(name, str(name), runs_dir)
    if name == LATEST or name.startswith(f"{LATEST}@"):
        return _latest(runs_dir, name.partition("@")[2] or None)
    if os.sep in name:
        return _by_path(runs_dir, name)
    if _is_there(runs_dir / name) or _was_started(runs_dir, name):
        return runs_dir / name
    return _by_id(runs_dir, name)


def _is_there(path: Path) -> bool:
    return (path / RUN_FILE).is_file() or (path / SUITE_FILE).is_file()


def _was_started(runs_dir: Path, name: str) -> bool:
    """Return whether a folder is that of a run which died, or lost its record, after the folder had counted it."""
    return (runs_dir / name).is_dir() and any(entry.path == name for entry in read_starts(runs_dir))


def _present(path: Path, name: str, runs_dir: Path) -> Path:
    if _is_there(path):
        return path
    raise _not_found(runs_dir, name)


def _not_found(runs_dir: Path, name: str) -> InputError:
    hint = "`steelyard runs list` shows the runs there are"
    if os.sep not in name and _is_there(Path(name)):
        hint = f"a name means a run below --runs-dir; `./{name}` is the folder here"
    return InputError(Problem("run-not-found", f"there is no run {quoted(name)} in {runs_dir}", hint=hint))


def _by_path(runs_dir: Path, name: str) -> Path:
    """Return what stands at a path, seen from here or from the folder of runs, as `suite/task` is."""
    places = [path for path in (Path(name), runs_dir / name) if _is_there(path)]
    if len({path.resolve() for path in places}) > 1:
        message = f"{quoted(name)} is a run here and another below {runs_dir}"
        raise _ambiguous(message, "give a path that names one of them, such as one that begins with ./")
    return _present(places[0] if places else Path(name), name, runs_dir)


def _by_id(runs_dir: Path, name: str) -> Path:
    found = [
        path for path, content in kept_records(runs_dir) if name in (content.get("run_id"), content.get("suite_id"))
    ]
    if len(found) > 1:
        raise _ambiguous(f"{len(found)} folders hold the run {quoted(name)}: {', '.join(found)}", "name one of them")
    if not found:
        raise _not_found(runs_dir, name)
    return runs_dir / found[0]


def _ambiguous(message: str, hint: str) -> UsageError:
    return UsageError(Problem("ambiguous-run", message, hint=hint))


@dataclass(frozen=True, slots=True)
class _Candidate:
    """What `latest` may be: a run or a suite, and whether the folder has counted it."""

    path: str
    sequence: int
    created_at: str
    started_as: str
    task: str
    counted: bool

    @property
    def order(self) -> tuple[int, str]:
        """When it was started; runs of format 1 have no number, and stand before all others by their clock."""
        return self.sequence, "" if self.sequence else self.created_at


def _latest(runs_dir: Path, task: str | None) -> Path:
    """Return what was started last: by the folder's count, which the runs' own numbers must agree with."""
    starts = read_starts(runs_dir)
    found = _counted(runs_dir, starts)
    found += _uncounted(runs_dir, starts, {entry.path for entry in found})
    wanted_as = ("run", "suite") if task is None else ("run", "member")
    wanted = [entry for entry in found if entry.started_as in wanted_as and task in (None, entry.task)]
    if not wanted:
        raise _none_yet(runs_dir, task, {entry.task for entry in found if entry.started_as in wanted_as})
    last = max(entry.order for entry in wanted)
    first, *others = [entry for entry in wanted if entry.order == last]
    if others:
        paths = ", ".join(entry.path for entry in (first, *others))
        raise _ambiguous(f"which run is the latest cannot be told: {paths}", "name the one you mean")
    if starts and first.sequence and not first.counted:
        message = f"{first.path} has number {first.sequence}, which this folder's count does not have"
        hint = f"was it started elsewhere, or was {STARTED_FILE} changed? Name the run you mean"
        raise InputError(Problem("run-damaged", message, hint=hint, file=str(runs_dir / first.path)))
    return runs_dir / first.path


def _none_yet(runs_dir: Path, task: str | None, tasks: Collection[str]) -> InputError:
    message = f"no run{f' of {quoted(task)}' if task else ''} in {runs_dir}"
    close = get_close_matches(task or "", tasks, n=1)
    there = f"there are runs of {', '.join(map(excerpt, sorted(tasks)))}" if tasks else "`steelyard eval` makes one"
    return InputError(Problem("run-not-found", message, hint=f"did you mean {quoted(close[0])}?" if close else there))


def _counted(runs_dir: Path, starts: list[Start]) -> list[_Candidate]:
    """Return what the folder counted and still has; a run that was moved by hand is known by its id."""
    last = {entry.path: entry for entry in starts}
    gone = {entry.run_id: entry for entry in last.values() if not (runs_dir / entry.path).is_dir()}
    moved = {}
    if gone:
        for path, content in kept_records(runs_dir):
            entry = gone.get(_id(content))
            if entry is not None and path not in last:
                moved[path] = entry
    here = {path: entry for path, entry in last.items() if entry.run_id not in gone}
    return [
        _Candidate(path, entry.sequence, "", entry.started_as, entry.task, counted=_agrees(runs_dir / path, entry))
        for path, entry in (here | moved).items()
    ]


def _agrees(path: Path, entry: Start) -> bool:
    """Return whether a run has the number that it was given; one without a record died before it wrote one."""
    content = next((found for name in (RUN_FILE, SUITE_FILE) if (found := read_record(path / name))), None)
    return content is None or (content.get("sequence"), _id(content)) == (entry.sequence, entry.run_id)


def _uncounted(runs_dir: Path, starts: list[Start], known: set[str]) -> list[_Candidate]:
    """Return what the folder did not count: runs of format 1, and those whose line is lost.

    A number that another run was given here was given elsewhere to this one: it is a copy, and never the latest.
    """
    taken = {entry.sequence for entry in starts}
    found = []
    for path, content in kept_records(runs_dir):
        sequence = content.get("sequence") or 0
        if content and path not in known and sequence not in taken:
            started_as = "mock" if "mock" in content.get("flags", ()) else of_today(content)["started_as"]
            started_as = "member" if os.sep in path and started_as == "run" else started_as
            started_as = "suite" if "suite_id" in content else started_as
            task, created_at = str(content.get("task")), str(content.get("created_at"))
            found.append(_Candidate(path, sequence, created_at, started_as, task, counted=False))
    return found


def _id(content: Mapping[str, Any]) -> str:
    return str(content.get("run_id") or content.get("suite_id"))
