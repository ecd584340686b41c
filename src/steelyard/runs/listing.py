"""Pages of runs: from the index where it can be used, else from the run directories themselves.

Beside them one run as it is shown.
"""

from __future__ import annotations

import json
import os
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steelyard.errors import MachineError, Problem
from steelyard.records.runs import FINISHED, RESULTS_FILE, STATUSES, RunRecord
from steelyard.runs.indexing import brought_up, refreshed, renewed, stamp
from steelyard.store.baselines import DATABASE_VARIABLE, list_baselines
from steelyard.store.checking import read_results
from steelyard.store.counting import is_writable
from steelyard.store.directories import find_run, read_run
from steelyard.store.index import RunIndex
from steelyard.store.owners import Standing, standing
from steelyard.store.suites import list_verdicts

_NUMBERS = ("primary_score", "n_items", "n_skipped")


def list_page(
    runs_dir: Path, *, limit: int, offset: int = 0, everywhere: bool = False, **wanted: str | None
) -> tuple[list[dict[str, Any]], int]:
    """Return a page of runs, newest first, and how many there are in all.

    A folder that may not be written to, or whose own index is damaged, is read without an index.
    """
    asked: dict[str, Any] = {"limit": limit, "offset": offset, **wanted}
    if os.environ.get(DATABASE_VARIABLE):
        return _page(refreshed(runs_dir), runs_dir, everywhere=everywhere, **asked)
    if not is_writable(runs_dir):
        return _page(_without(runs_dir), runs_dir, everywhere=False, **asked)
    try:
        return _page(refreshed(runs_dir), runs_dir, everywhere=everywhere, **asked)
    except MachineError as error:
        problem = error.problems[0]
        if problem.code != "index-unavailable":
            raise
    message = f"{problem.message}; runs are listed from their directories"
    told = Problem(problem.code, message, hint="`steelyard reindex` makes the index anew", file=problem.file)
    warnings.warn(told.in_one_line, stacklevel=2)
    return _page(_without(runs_dir), runs_dir, everywhere=False, **asked)


def _without(runs_dir: Path) -> RunIndex:
    """Return an index that is in memory only."""
    return brought_up(RunIndex.in_memory(runs_dir), runs_dir)


def _page(index: RunIndex, runs_dir: Path, **asked: Any) -> tuple[list[dict[str, Any]], int]:
    rows = index.page(**asked)
    stale = [row["path"] for row in rows if row["root"] == index.root and not _holds(runs_dir, row)]
    if stale:
        renewed(index, runs_dir, stale)
        rows = index.page(**asked)
    for row in rows:
        row["flags"] = _flags(row) or []
        row["standing"] = standing(Path(row["root"]) / row["path"], row["status"])
    del asked["limit"], asked["offset"]
    return rows, index.count(**asked)


def _holds(runs_dir: Path, row: dict[str, Any]) -> bool:
    """Return whether a row is what the run says today; a damaged index may hold anything."""
    texts = (value for name, value in row.items() if name not in _NUMBERS)
    numbers = (row[name] for name in _NUMBERS)
    sound = row["status"] in STATUSES and _flags(row) is not None and isinstance(row["created_at"], str)
    sound &= all(value is None or isinstance(value, str) for value in texts)
    sound &= all(value is None or isinstance(value, int | float) for value in numbers)
    return sound and stamp(runs_dir / row["path"]) == row["stamp"]


def _flags(row: dict[str, Any]) -> list[str] | None:
    try:
        found = json.loads(row["flags"])
    except (TypeError, ValueError):
        return None
    return [str(flag) for flag in found] if isinstance(found, list) else None


# One run with everything that is known of it: its record, its results, the baselines and verdicts that name it.


@dataclass(frozen=True, slots=True)
class ShownRun:
    """A run, complete or not."""

    path: Path
    record: RunRecord
    results: dict[str, Any]
    """Empty where the run has none yet."""
    baselines: list[str]
    verdicts: list[dict[str, Any]]
    standing: Standing
    """How the run stands: a crashed one counts as 0.0 until it is resumed."""


def shown_run(runs_dir: Path, name: str) -> ShownRun:
    """Return a run by its directory, its name or its id."""
    path = find_run(runs_dir, name)
    record = read_run(path)
    results = read_results(path) if (path / RESULTS_FILE).exists() or _has_results(record) else {}
    names = [entry.name for entry in list_baselines(runs_dir) if entry.run_id == record.run_id]
    verdicts = [entry for entry in list_verdicts(runs_dir) if entry["run"] in (record.name, name)]
    return ShownRun(path, record, results, names, verdicts, standing(path, record.status))


def _has_results(record: RunRecord) -> bool:
    return record.status in FINISHED and "not_evaluated" not in record.flags
