"""Baselines: a run, or an evaluated suite, under a name that stays until it is set again."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from steelyard.comparison.contract import refuse_mock
from steelyard.pipeline.runs.stored import open_run
from steelyard.store.baselines import Baseline, baseline_path, list_baselines, set_baseline, show_baseline
from steelyard.store.directories import read_run
from steelyard.store.suites import find_suite, read_suite


def name_baseline(runs_dir: Path, name: str, run: str) -> Baseline:
    """Point a name at a completed run or at an evaluated suite."""
    suite = find_suite(runs_dir, run)
    if suite is not None:
        return set_baseline(runs_dir, name, suite, read_suite(suite).suite_id)
    found = open_run(runs_dir, run)
    refuse_mock([(found.label, found.record)])
    return set_baseline(runs_dir, name, found.path, found.record.run_id)


def described_baselines(runs_dir: Path) -> list[dict[str, Any]]:
    """Return every baseline with what its run says of itself."""
    return [_described(runs_dir, entry) for entry in list_baselines(runs_dir)]


def described_baseline(runs_dir: Path, name: str) -> dict[str, Any]:
    """Return one baseline with what its run says of itself."""
    return _described(runs_dir, show_baseline(runs_dir, name))


def _described(runs_dir: Path, entry: Baseline) -> dict[str, Any]:
    path = baseline_path(runs_dir, entry)
    found: dict[str, Any] = asdict(entry)
    if find_suite(runs_dir, str(path)) is not None:
        return found | {"task": f"suite {read_suite(path).suite}", "metric": None, "score": None}
    if not path.is_dir():
        return found | {"task": None, "metric": None, "score": None, "problem": "the run is not there"}
    record = read_run(path)
    moved = {} if record.run_id == entry.run_id else {"problem": "another run stands there"}
    return found | {"task": record.task, "metric": record.primary_metric, "score": record.primary_score, **moved}
