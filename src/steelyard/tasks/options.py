"""What a caller may ask of an evaluation, from the command line or from Python."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from steelyard.records.runs import StartedAs
from steelyard.runs.places import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluateOptions:
    """The command line of `steelyard eval` as a record. None means: as the task file says."""

    task_file: Path | None = None
    task: Mapping[str, Any] | None = None
    """A task's content where there is no file."""
    dataset: str | None = None
    predictions: str | None = None
    prediction_field: str | None = None
    """The field that holds the prediction, where one file has several systems' answers."""
    answer_type: str | None = None
    limit: int | None = None
    sample_size: int | None = None
    seed: int = 0
    metrics: tuple[str, ...] | None = None
    scorer: str | None = None
    extract: str | None = None
    slice_by: tuple[str | tuple[str, ...], ...] | None = None
    hard_examples: int | None = None
    cluster_by: str | None = None
    profile: str | None = None
    name: str | None = None
    started_as: StartedAs = "run"
    """What the run is started as: a repeat of another is never `latest`."""
    runs_dir: Path = Path("runs")
    bad_rows: Literal["refuse", "quarantine"] = "refuse"
    strict_ids: bool = False
    model_name: str | None = None
    """What to call the model behind stored predictions."""
    model: str | None = None
    """A model's spec (page 60), asked for predictions instead of reading stored ones."""
    generation_seed: int | None = None
    """The seed of generation, in place of the task's own; repeats of a run have one each."""
    resume: bool = False
    retry_failed: bool = False
    error_budget: float = 0
    """How many items may fail: a count, or a share below 1."""
    cache: bool = True
    concurrency: int | None = None
    deadline: float | None = None
    batch_size: int | None = None
    threads: int | None = None
    device: str | None = None
    workers: int = 1
    max_line_bytes: int | None = None
    max_depth: int | None = None
    max_unpacked_bytes: int | None = None

    @property
    def place(self) -> Place:
        """Where the run is to stand."""
        return Place(
            runs_dir=self.runs_dir,
            name=self.name,
            started_as=self.started_as,
            resume=self.resume,
            retry_failed=self.retry_failed,
        )

    @property
    def limits(self) -> dict[str, int]:
        """The limits of rows that the caller set, by their names."""
        given = {name: getattr(self, name) for name in LIMITS}
        return {name: value for name, value in given.items() if value is not None}

    @property
    def selection(self) -> dict[str, int]:
        """Which items are evaluated, where that is not all of them."""
        given = {"limit": self.limit, "sample_size": self.sample_size}
        chosen = {name: value for name, value in given.items() if value is not None}
        return chosen | {"seed": self.seed} if chosen else {}


LIMITS = ("max_line_bytes", "max_depth", "max_unpacked_bytes")
