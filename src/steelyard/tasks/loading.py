"""The task of an evaluation as it is meant: what its file says, with the command line's overrides applied."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from steelyard.configuration.task import Task, parse_task
from steelyard.errors import ConfigurationError, Problem
from steelyard.reading.yaml_file import read_yaml
from steelyard.records.encoded import refuse_not_utf8
from steelyard.tasks.options import EvaluateOptions


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
