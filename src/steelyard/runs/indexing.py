"""The run index kept in step with the run directories.

Runs are indexed when they are listed: whatever directory is not known yet, or was still running, is read then. So an
evaluation does not pay for the import of a database library. Where a team's database is named, a run is indexed when
it completes as well, so that others see it.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from steelyard.errors import InputError, Problem, SteelyardError, escape
from steelyard.records.encoded import HINT, is_utf8
from steelyard.records.runs import RESCORED_FILE, RUN_FILE, SUITE_FILE, RunRecord
from steelyard.store.baselines import list_baselines
from steelyard.store.checking import read_results
from steelyard.store.directories import read_run
from steelyard.store.index import RunIndex, discard_index
from steelyard.store.index_tables import IndexDamagedError
from steelyard.store.suites import numbered_verdicts, read_suite

FINAL = ("completed", "decided", "over_budget", "failed", "interrupted")
_NAMED = ("name", "path", "run_id", "set_at")
"""What the index repeats of a baseline."""


def index_run(path: Path) -> None:
    """Put one run into the index of the folder that holds it."""
    runs_dir = path.parent.parent if (path.parent / SUITE_FILE).is_file() else path.parent
    _put(RunIndex.open(runs_dir), runs_dir, [str(path.relative_to(runs_dir))])


def index_completed(path: Path) -> None:
    """Tell a team's database of a run; the run stands whether or not the database answers."""
    try:
        index_run(path)
    except SteelyardError as error:
        problem = error.problems[0]
        message = f"the run is whole, and it is not in the run index yet: {problem.message}"
        told = Problem(problem.code, message, hint="`steelyard reindex` mends it", file=problem.file)
        warnings.warn(told.in_one_line, stacklevel=2)


def refreshed(runs_dir: Path) -> RunIndex:
    """Return the index after it has taken up what changed among the run directories."""
    return brought_up(RunIndex.open(runs_dir), runs_dir)


def brought_up(index: RunIndex, runs_dir: Path) -> RunIndex:
    """Return an index after it has taken up what it does not know yet."""
    known = index.known()
    present = _present(runs_dir, known)
    gone = [path for path in known if path not in present]
    if gone:
        index.remove_runs(gone)
    waiting = [path for path in present if known.get(path) not in FINAL]
    if waiting:
        _put(index, runs_dir, waiting)
    _put_names(index, runs_dir)
    return index


def renewed(index: RunIndex, runs_dir: Path, paths: Sequence[str]) -> None:
    """Read runs again; those that cannot be read any more are no longer listed."""
    lost = _put(index, runs_dir, paths)
    if lost:
        index.remove_runs(lost)


def _put_names(index: RunIndex, runs_dir: Path) -> None:
    """Repeat baselines and verdicts in the index, where the files beside the runs say something else."""
    names = [{field: getattr(entry, field) for field in _NAMED} for entry in list_baselines(runs_dir)]
    verdicts = dict(numbered_verdicts(runs_dir))
    known = [{name: row[name] for name in row if name != "root"} for row in index.names()]
    if known != names or index.decided_at() != {place: row["decided_at"] for place, row in verdicts.items()}:
        index.put_names(names, verdicts)


def reindex(runs_dir: Path, *, discard: bool = False) -> int:
    """Rebuild the index from the run directories; return how many runs it has. A damaged SQLite file is made anew."""
    if discard:
        discard_index(runs_dir)
    try:
        return _rebuilt(runs_dir)
    except IndexDamagedError as error:
        warnings.warn(f"{error.problems[0].message}; it is thrown away and made anew", stacklevel=2)
    discard_index(runs_dir)
    return _rebuilt(runs_dir)


def _rebuilt(runs_dir: Path) -> int:
    index = RunIndex.open(runs_dir)
    index.clear()
    _put(index, runs_dir, list(_present(runs_dir, {})))
    _put_names(index, runs_dir)
    return index.count()


def _present(runs_dir: Path, known: Iterable[str]) -> dict[str, None]:
    """Return the paths of all runs below a folder; those already known are taken to be runs without another look."""
    if not runs_dir.is_dir():
        return {}
    seen = set(known)
    found: dict[str, None] = {}
    with os.scandir(runs_dir) as entries:
        for entry in entries:
            if entry.name in seen:
                found[entry.name] = None
            elif not is_utf8(entry.name):
                warnings.warn(f"{escape(entry.name)} is passed over: its name is not UTF-8; {HINT}", stacklevel=2)
            elif not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False):
                found |= dict.fromkeys(_runs_in(runs_dir, entry.name))
    return found


def _runs_in(runs_dir: Path, name: str) -> Iterator[str]:
    folder = runs_dir / name
    if (folder / RUN_FILE).is_file():
        yield name
    elif (folder / SUITE_FILE).is_file():
        try:
            paths = [entry.path for entry in read_suite(folder).tasks if entry.path is not None]
        except InputError as error:
            warnings.warn(f"the suite {name} is passed over: {error.problems[0].in_one_line}", stacklevel=2)
            paths = sorted(file.parent.name for file in folder.glob(f"*/{RUN_FILE}"))
        yield from (f"{name}/{path}" for path in paths)


def _put(index: RunIndex, runs_dir: Path, paths: Sequence[str]) -> list[str]:
    """Write runs into the index; tell of those that cannot be read, and return them."""
    rows, numbers, lost = [], {}, []
    for path in paths:
        try:
            record = read_run(runs_dir / path)
        except InputError as error:
            warnings.warn(f"{path} is not listed: {error.problems[0].in_one_line}", stacklevel=2)
            lost.append(path)
            continue
        rows.append(_row(path, record, stamp(runs_dir / path)))
        numbers[path] = _numbers(runs_dir / path)
    index.put_runs(rows, numbers)
    return lost


def _row(path: str, record: RunRecord, stamp: str) -> dict[str, Any]:
    model, dataset = record.model.get("name"), record.dataset.get("name") or record.dataset.get("sha256")
    return {
        "path": path,
        "run_id": record.run_id,
        "name": record.name,
        "status": record.status,
        "task": record.task,
        "model": None if model is None else str(model),
        "dataset": None if dataset is None else str(dataset),
        "prompt_version": record.prompt_version,
        "scorer_version": record.scorer_version,
        "primary_metric": record.primary_metric,
        "primary_score": record.primary_score,
        "n_items": _count(record.counts.get("n_items")),
        "n_skipped": _count(record.counts.get("n_skipped")),
        "flags": json.dumps(record.flags),
        "host": record.host,
        "created_at": record.created_at,
        "completed_at": record.completed_at,
        "stamp": stamp,
    }


def stamp(path: Path) -> str:
    """Return what changes when a run is written again or judged again."""
    parts = []
    for name in (RUN_FILE, RESCORED_FILE):
        try:
            found = os.stat(path / name)  # noqa: PTH116 - a third of the time of Path.stat, 10,000 times
        except OSError:
            continue
        parts.append(f"{found.st_mtime_ns}:{found.st_size}")
    return " ".join(parts)


def _count(value: object) -> int | None:
    """Return a count that a database can hold."""
    return value if isinstance(value, int) and 0 <= value < 2**31 else None


def _numbers(path: Path) -> dict[str, float | None]:
    """Return a run's metrics that are one number; none where its results cannot be read."""
    try:
        metrics = read_results(path)["metrics"]
    except SteelyardError:
        return {}
    return {name: value for name, value in metrics.items() if value is None or isinstance(value, int | float)}
