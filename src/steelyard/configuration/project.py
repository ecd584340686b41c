"""`steelyard.yaml` beside a project: options of the command line by name, for every command or for one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from pydantic import BaseModel, Field, create_model

from steelyard.configuration.problems import Strict, checked

PROJECT_FILE = "steelyard.yaml"
Names: TypeAlias = str | list[str]

_TEXTS = "answer_type base_model against bad_rows cluster_by device extract history metric model model_name scorer"
_PATHS = "dataset traces predictions test_data policy runs_dir golden outputs profile junit"
PATHS = frozenset((*_PATHS.split(), "gates", "config", "report", "output"))
"""Options that name a file or folder, which is relative to the project file."""
_WHOLE = (
    "batch_size concurrency hard_examples limit lora_r max_depth max_line_bytes max_unpacked_bytes max_retries repeats "
    "sample_size seed threads top workers"
)
_NUMBERS = "alpha deadline effect epochs error_budget lr power"
_SWITCHES = "attribute cache no_plots no_validation strict_ids verify"
_NAMES = "allow metrics slice_by"

OPTIONS: dict[str, Any] = {
    **dict.fromkeys((_TEXTS + " " + _PATHS).split(), str),
    **dict.fromkeys(_WHOLE.split(), int),
    **dict.fromkeys(_NUMBERS.split(), int | float),
    **dict.fromkeys(_SWITCHES.split(), bool),
    **dict.fromkeys(_NAMES.split(), Names),
}
"""What may stand at the top of a project file, and its type. A run's own matters (`name`, `resume`, `run`) may not."""

COMMANDS = (
    "eval", "evaluate", "research", "train", "rescore", "compare", "report", "gate", "calibrate", "plan", "reproduce",
)  # fmt: skip
"""For which commands the options at the top hold. `runs_dir` holds for the others too."""

SECTIONS = (*COMMANDS, "program", "score", "runs", "baseline", "reindex")
"""Which commands may have a section of their own, with any of their options; `dataset` and `cache` are options."""

_FIELDS: dict[str, Any] = {name: (kind | None, None) for name, kind in OPTIONS.items()}
_FIELDS |= {
    name: (dict[str, Any] | None, Field(None, description="Options of this command alone.")) for name in SECTIONS
}
Project: type[BaseModel] = create_model("Project", __base__=Strict, **_FIELDS)


def parse_project(values: Mapping[str, Any], *, file: str | None = None) -> dict[str, Any]:
    """Return what a project file says, or raise all that is wrong with it.

    >>> parse_project({"runs_dir": "out", "evaluate": {"model": "embedded"}})
    {'runs_dir': 'out', 'evaluate': {'model': 'embedded'}}
    """
    return checked(Project, values, file=file).model_dump(exclude_unset=True)


def options_for(project: Mapping[str, Any], command: str) -> dict[str, Any]:
    """Return the options that hold for a command: those at the top, under those of its own section.

    >>> options_for({"model": "embedded", "seed": 1, "eval": {"seed": 2}}, "eval")
    {'model': 'embedded', 'seed': 2}
    """
    top = {name: value for name, value in project.items() if name in OPTIONS and value is not None}
    if command not in COMMANDS:
        top = {name: value for name, value in top.items() if name == "runs_dir"}
    return top | (project.get(command) or {})
