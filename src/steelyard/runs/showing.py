"""One run with everything that is known of it: its record, its results, the baselines and verdicts that name it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steelyard.records.runs import FINISHED, RESULTS_FILE, RunRecord
from steelyard.store.baselines import list_baselines
from steelyard.store.directories import find_run, read_run
from steelyard.store.owners import Standing, standing
from steelyard.store.results import read_results
from steelyard.store.verdicts import list_verdicts


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
