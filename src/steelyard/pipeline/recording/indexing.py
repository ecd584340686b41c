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

from steelyard.errors import InputError, SteelyardError
from steelyard.records.runs import RESCORED_FILE, RESULTS_FILE, RUN_FILE, SUITE_FILE, RunRecord
from steelyard.store.baselines import DATABASE_VARIABLE, list_baselines, list_verdicts
from steelyard.store.directories import read_run
from steelyard.store.folder import FOLDER
from steelyard.store.index import INDEX_FILE, RunIndex
from steelyard.store.owners import standing
from steelyard.store.suites import read_suite

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
        warnings.warn(f"the run is complete, and it is not in the run index yet: {error}", stacklevel=2)


def refreshed(runs_dir: Path) -> RunIndex:
    """Return the index after it has taken up what changed among the run directories."""
    index = RunIndex.open(runs_dir)
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


def _put_names(index: RunIndex, runs_dir: Path) -> None:
    """Repeat baselines and verdicts in the index, where the files beside the runs say something else."""
    names = [{field: getattr(entry, field) for field in _NAMED} for entry in list_baselines(runs_dir)]
    verdicts = list_verdicts(runs_dir)
    known = [{name: row[name] for name in row if name != "root"} for row in index.names()]
    if known != names or index.count_decided() != len(verdicts):
        index.put_names(names, verdicts)


def reindex(runs_dir: Path, *, discard: bool = False) -> int:
    """Rebuild the index from the run directories; return how many runs it has."""
    if discard and not os.environ.get(DATABASE_VARIABLE):
        for file in (runs_dir / FOLDER).glob(f"{INDEX_FILE}*"):
            file.unlink()
    index = RunIndex.open(runs_dir)
    index.clear()
    paths = list(_present(runs_dir, {}))
    _put(index, runs_dir, paths)
    _put_names(index, runs_dir)
    return index.count()


def list_page(
    runs_dir: Path, *, limit: int, offset: int = 0, everywhere: bool = False, **wanted: str | None
) -> tuple[list[dict[str, Any]], int]:
    """Return a page of runs, newest first, and how many there are in all."""
    index = refreshed(runs_dir)
    rows = index.page(limit=limit, offset=offset, everywhere=everywhere, **wanted)
    stale = [
        row["path"] for row in rows if row["root"] == index.root and _stamp(runs_dir / row["path"]) != row["stamp"]
    ]
    if stale:
        _put(index, runs_dir, stale)
        rows = index.page(limit=limit, offset=offset, everywhere=everywhere, **wanted)
    for row in rows:
        row["flags"] = json.loads(row["flags"])
        row["standing"] = standing(Path(row["root"]) / row["path"], row["status"])
    return rows, index.count(everywhere=everywhere, **wanted)


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
            elif not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False):
                found |= dict.fromkeys(_runs_in(runs_dir, entry.name))
    return found


def _runs_in(runs_dir: Path, name: str) -> Iterator[str]:
    folder = runs_dir / name
    if (folder / RUN_FILE).is_file():
        yield name
    elif (folder / SUITE_FILE).is_file():
        yield from (f"{name}/{entry.path}" for entry in read_suite(folder).tasks if entry.path is not None)


def _put(index: RunIndex, runs_dir: Path, paths: Sequence[str]) -> None:
    rows, numbers = [], {}
    for path in paths:
        try:
            record = read_run(runs_dir / path)
        except InputError as error:
            warnings.warn(f"{path} is not listed: {error}", stacklevel=2)
            continue
        rows.append(_row(path, record, _stamp(runs_dir / path)))
        numbers[path] = _numbers(runs_dir / path)
    index.put_runs(rows, numbers)


def _row(path: str, record: RunRecord, stamp: str) -> dict[str, Any]:
    model = record.model.get("name")
    return {
        "path": path,
        "run_id": record.run_id,
        "name": record.name,
        "status": record.status,
        "task": record.task,
        "model": None if model is None else str(model),
        "dataset": record.dataset.get("name") or record.dataset.get("sha256"),
        "prompt_version": record.prompt_version,
        "scorer_version": record.scorer_version,
        "primary_metric": record.primary_metric,
        "primary_score": record.primary_score,
        "n_items": record.counts.get("n_items"),
        "n_skipped": record.counts.get("n_skipped"),
        "flags": json.dumps(record.flags),
        "host": record.host,
        "created_at": record.created_at,
        "completed_at": record.completed_at,
        "stamp": stamp,
    }


def _stamp(path: Path) -> str:
    """Return what changes when a run is written again or judged again."""
    parts = []
    for name in (RUN_FILE, RESCORED_FILE):
        try:
            found = os.stat(path / name)  # noqa: PTH116 - a third of the time of Path.stat, 10,000 times
        except OSError:
            continue
        parts.append(f"{found.st_mtime_ns}:{found.st_size}")
    return " ".join(parts)


def _numbers(path: Path) -> dict[str, float | None]:
    """Return a run's metrics that are one number."""
    try:
        content: dict[str, Any] = json.loads((path / RESULTS_FILE).read_bytes())
    except (OSError, ValueError):
        return {}
    metrics = content.get("metrics", {})
    return {name: value for name, value in metrics.items() if value is None or isinstance(value, int | float)}
