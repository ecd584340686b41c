"""A run directory is complete or says that it is not."""

import json
from pathlib import Path

import pytest

from steelyard.errors import InputError, Problem
from steelyard.records.plans import ReportPlan
from steelyard.runs.places import Place
from steelyard.runs.recording import RunIdentity, recording

IDENTITY = RunIdentity(task="t", scorer_version="text@v1", signatures={"scorers": ["text@v1"]})
PLAN = ReportPlan(primary="text", metrics=(), directions={})


def test_refused_input_leaves_nothing_behind(tmp_path: Path):
    with pytest.raises(InputError), recording(Place(runs_dir=tmp_path, name="run"), IDENTITY, PLAN):
        raise InputError(Problem("bad-json", "no"))
    assert not (tmp_path / "run").exists()


def test_a_signal_leaves_a_run_that_says_it_was_interrupted(tmp_path: Path):
    with pytest.raises(KeyboardInterrupt), recording(Place(runs_dir=tmp_path, name="run"), IDENTITY, PLAN):
        raise KeyboardInterrupt
    assert json.loads((tmp_path / "run/run.json").read_bytes())["status"] == "interrupted"
    assert not (tmp_path / "run/eval/items.parquet").exists()


def test_a_run_under_way_says_so(tmp_path: Path):
    with recording(Place(runs_dir=tmp_path, name="run"), IDENTITY, PLAN) as recorder:
        assert json.loads((tmp_path / "run/run.json").read_bytes())["status"] == "running"
        recorder.complete(config={}, manifest={})
    assert json.loads((tmp_path / "run/run.json").read_bytes())["status"] == "completed"
