"""The task of an evaluation as it is meant: what its file says, with the command line's overrides applied.

Before it what a caller may ask, from the command line or from Python.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from steelyard.configuration.task import Task, parse_task
from steelyard.errors import ConfigurationError, Problem
from steelyard.reading.yaml_file import read_yaml
from steelyard.records.encoded import refuse_not_utf8
from steelyard.records.runs import StartedAs
from steelyard.runs.places import Place

# What a caller may ask of an evaluation, from the command line or from Python.


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


def load_task(options: EvaluateOptions) -> tuple[Task, Path]:
    """Return the task of a file or of the command line alone, with the command line's overrides applied."""
    if options.task_file is not None:
        # Kept as it is read, with the place of each key, to which problems point.
        values: dict[str, Any] = read_yaml(options.task_file)
        folder = options.task_file.parent
    else:
        values, folder = dict(options.task or {"task": "evaluation"}), Path()
    overrides: dict[str, Any] = {
        "answer_type": options.answer_type,
        "extract": options.extract,
        "cluster_by": options.cluster_by,
        "metrics": list(options.metrics) if options.metrics is not None else None,
        "scorers": [options.scorer] if options.scorer else None,
    }
    values |= {key: value for key, value in overrides.items() if value is not None}
    _merge(values, "fields", {"prediction": options.prediction_field})
    _merge(values, "generation", {"seed": options.generation_seed})
    slices = [list(entry) if isinstance(entry, tuple) else entry for entry in options.slice_by or ()]
    slice_by = slices if options.slice_by is not None else None
    _merge(values, "eval", {"slice_by_tags": slice_by, "hard_examples": options.hard_examples})
    return parse_task(values, file=str(options.task_file) if options.task_file else None), folder


def _merge(values: dict[str, Any], key: str, overrides: dict[str, Any]) -> None:
    """Put what the command line says into a block of the task; a block that is no mapping is the parser's to refuse."""
    known = {name: value for name, value in overrides.items() if value is not None}
    given = values.get(key)
    if known and (given is None or isinstance(given, dict)):
        values[key] = (given or {}) | known


def prompt_text(task: Task, folder: Path) -> str | None:
    """Return the task's prompt, from the task or from its file; None without one."""
    if task.prompt_file is None:
        return task.prompt
    refuse_not_utf8(task.prompt_file, "the path")
    path = folder / task.prompt_file
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        message = f"the prompt file cannot be read: {error}"
        raise ConfigurationError(Problem("missing-file", message, file=str(path))) from None


def is_suite_file(path: Path | None) -> bool:
    """Return whether a YAML file names a suite, told without the machinery that evaluates one."""
    return path is not None and path.is_file() and "suite" in read_yaml(path)
