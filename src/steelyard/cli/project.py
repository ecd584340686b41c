"""The project file on the command line: what `steelyard.yaml` says is an option's default.

The nearest file from the working directory upward counts. The command line and `STEELYARD_<OPTION>` stand over it, and
so does a task file where it says the same.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from steelyard.errors import ConfigurationError, Problem, quoted
from steelyard.records.encoded import refuse_not_utf8

FILE = "steelyard.yaml"
WITHOUT = ("schema", "init", "scorers", "metrics")
"""Commands that a broken project file does not hinder."""
TASK_KEYS = {
    "dataset": "dataset",
    "predictions": "predictions",
    "model": "model",
    "answer_type": "answer_type",
    "metrics": "metrics",
    "scorer": "scorers",
    "extract": "extract",
    "cluster_by": "cluster_by",
    "profile": "scoring_profile",
    "slice_by": "slice_by_tags",
    "hard_examples": "hard_examples",
}
"""Options that a task file may say too, and its word for each."""


def project_file() -> Path | None:
    """Return the nearest project file."""
    here = Path.cwd()
    return next((file for folder in (here, *here.parents) if (file := folder / FILE).is_file()), None)


def project_defaults(command: click.Command, name: str) -> dict[str, Any]:
    """Return what the project file says of a command's options, as click takes defaults."""
    file = None if name in WITHOUT else project_file()
    if file is None:
        return {}
    from steelyard.configuration.project import options_for, parse_project  # noqa: PLC0415 - only with a project file
    from steelyard.reading.yaml_file import read_yaml  # noqa: PLC0415

    project = parse_project(read_yaml(file), file=str(file))
    own = project.get(name) or {}
    return _defaults(command, options_for(project, name), own, file)


def _defaults(command: click.Command, wanted: Mapping[str, Any], own: Mapping[str, Any], file: Path) -> dict[str, Any]:
    """Return defaults by parameter, those of a group's commands under their names."""
    if isinstance(command, click.Group):
        _refuse_unknown(set(own) - set(command.commands), list(command.commands), command, file)
        top = {key: value for key, value in wanted.items() if key not in own}
        sections = {key: own.get(key) or {} for key in command.commands}
        return {
            key: _defaults(inner, top | sections[key], sections[key], file) for key, inner in command.commands.items()
        }
    options = {_name(one): one for one in command.params if isinstance(one, click.Option)}
    _refuse_unknown(set(own) - set(options), list(options), command, file)
    return {
        str(options[key].name): _value(options[key], key, value, file.parent)
        for key, value in wanted.items()
        if key in options
    }


def _name(option: click.Option) -> str:
    return max(option.opts, key=len).lstrip("-").replace("-", "_")


def _refuse_unknown(unknown: set[str], known: list[str], command: click.Command, file: Path) -> None:
    for key in sorted(unknown):
        close = get_close_matches(key, known, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"`steelyard {command.name} --help` lists the options"
        message = f"`steelyard {command.name}` has no option {quoted(key)}"
        raise ConfigurationError(Problem("unknown-key", message, hint=hint, file=str(file)))


def _value(option: click.Option, key: str, value: Any, folder: Path) -> Any:
    from steelyard.configuration.project import PATHS  # noqa: PLC0415 - only with a project file

    if isinstance(value, list) and not option.multiple:
        value = ",".join(map(str, value))
    elif option.multiple and not isinstance(value, list):
        value = [value]
    if key not in PATHS or not isinstance(value, str):
        return value
    refuse_not_utf8(value, f"the project file's {key}")
    return _beside(value, folder)


def _beside(value: str, folder: Path) -> str:
    """Return a path as it is found from here; a version or a set that ships is no path."""
    is_name = ("@" in value or value.startswith("evalsets:")) and not (folder / value).exists()
    if is_name or folder == Path.cwd() or Path(value).is_absolute():
        return value
    return os.path.relpath(folder / value)


def from_project(name: str) -> bool:
    """Return whether the running command has this option from the project file."""
    return click.get_current_context().get_parameter_source(name) is ParameterSource.DEFAULT_MAP


def give_way(given: dict[str, Any], *alternatives: str) -> None:
    """Take back what the project file says of options that stand for one another, where one is given elsewhere."""
    if any(given[name] is not None and not from_project(name) for name in alternatives):
        for name in alternatives:
            if from_project(name):
                given[name] = None


def under_the_task(task_file: Path | None, given: dict[str, Any]) -> None:
    """Take back what the project file says of options that the task file says too; a suite's tasks say it all."""
    asked = [name for name in TASK_KEYS if given.get(name) is not None and from_project(name)]
    if task_file is None or not asked:
        return
    from steelyard.reading.yaml_file import read_yaml  # noqa: PLC0415 - only with a project file

    task = read_yaml(task_file)
    block = task.get("eval")
    said = {*task, *(block if isinstance(block, dict) else ())}
    for name in asked:
        if TASK_KEYS[name] in said or "suite" in task:
            given[name] = None
