"""Every kind of run, by the name that `run.json` gives it; each is imported when a run of it is met."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

from steelyard.errors import InputError, Problem
from steelyard.records.runs import CONFIG_FILE, RunKind, RunRecord
from steelyard.runs.artifacts import read_config
from steelyard.runs.recipes import Kind

KINDS: tuple[RunKind, ...] = get_args(RunKind)
_CLASSES = {
    "task": "TaskKind",
    "conversations": "ConversationsKind",
    "research": "ResearchKind",
    "training": "TrainingKind",
    "imported": "ImportedKind",
}


def kind_of(record: RunRecord) -> Kind[Any]:
    """Return what the verbs ask of a run."""
    module = import_module(f"steelyard.kinds.{record.kind}.kind")
    found: Kind[Any] = getattr(module, _CLASSES[record.kind])()
    return found


def recipe_of(path: Path, record: RunRecord) -> Any:
    """Return what a run is made from."""
    return read_recipe(record, read_config(path), path)


def read_recipe(record: RunRecord, config: Mapping[str, Any], path: Path) -> Any:
    """Return the recipe that a run's configuration holds; one that holds none is damage to the run."""
    try:
        return kind_of(record).recipe.of(config)
    except (KeyError, TypeError, ValueError) as error:
        file = path / CONFIG_FILE
        message = f"{CONFIG_FILE} is not that of a run of kind {record.kind}: {error}"
        hint = "bring the file back as it was, or evaluate again under another name"
        raise InputError(Problem("run-damaged", message, hint=hint, file=str(file))) from None
