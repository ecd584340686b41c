"""A small task on disk, for flows that read and write files."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from steelyard.pipeline.evaluation.order import evaluate
from steelyard.pipeline.options import EvaluateOptions
from steelyard.pipeline.recording.run import Evaluation

Rows = Sequence[dict[str, Any]]


@pytest.fixture
def lines(tmp_path: Path) -> Callable[[str, Rows], Path]:
    """Write rows as JSONL and return the file."""

    def write(name: str, rows: Rows) -> Path:
        path = tmp_path / name
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return path

    return write


@pytest.fixture
def judged(tmp_path: Path, lines: Callable[[str, Rows], Path]) -> Callable[..., Evaluation]:
    """Evaluate rows, with or without a file of predictions, and return the finished run."""

    def run(items: Rows, predictions: Rows | None = None, **options: Any) -> Evaluation:
        options.setdefault("runs_dir", tmp_path / "runs")
        dataset = str(lines("items.jsonl", items))
        given = None if predictions is None else str(lines("predictions.jsonl", predictions))
        return evaluate(EvaluateOptions(dataset=dataset, predictions=given, **options))

    return run
