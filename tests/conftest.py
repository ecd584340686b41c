"""Fixtures that every tree of tests shares."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from steelyard.kinds.task.order import evaluate
from steelyard.runs.recording import FinishedRun
from steelyard.tasks.loading import EvaluateOptions

# Machines differ and share their cores, so no single example is held to a time; tests of time say so themselves.
settings.register_profile("steelyard", deadline=None)
settings.load_profile("steelyard")

Rows = Sequence[dict[str, Any]]
ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def root() -> Path:
    """The root of the checkout."""
    return ROOT


@pytest.fixture(scope="session")
def shared_data() -> Callable[[str], Path]:
    """A folder of the real data beside the checkout; a test that needs it says that it did not run without it."""

    def find(name: str) -> Path:
        folder = ROOT.parent / "shared" / "data" / name
        if not folder.exists():
            pytest.skip(f"shared/data/{name} is not beside this checkout")
        return folder

    return find


@pytest.fixture
def lines(tmp_path: Path) -> Callable[[str, Rows], Path]:
    """Write rows as JSONL and return the file."""

    def write(name: str, rows: Rows) -> Path:
        path = tmp_path / name
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return path

    return write


@pytest.fixture
def judged(tmp_path: Path, lines: Callable[[str, Rows], Path]) -> Callable[..., FinishedRun]:
    """Evaluate rows, with or without a file of predictions, and return the finished run."""

    def run(items: Rows, predictions: Rows | None = None, **options: Any) -> FinishedRun:
        options.setdefault("runs_dir", tmp_path / "runs")
        dataset = str(lines("items.jsonl", items))
        given = None if predictions is None else str(lines("predictions.jsonl", predictions))
        return evaluate(EvaluateOptions(dataset=dataset, predictions=given, **options))

    return run
