"""What the command and its schemas have, told by themselves; and where in the table of ways and verbs each is tried."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import yaml

from tests.ways.kinds import WAYS
from tests.ways.places import Way, steelyard

_COMMAND = re.compile(r"^  ([a-z]+)\s", re.MULTILINE)
_OPTION = re.compile(r"^  (?:-\w, )?(--[a-z-]+)", re.MULTILINE)


def commands(group: str = "") -> list[str]:
    """Return every command by the names under which it is typed."""
    _, listed, rest = steelyard(f"{group} --help").out.partition("\nCommands:\n")
    names = [f"{group} {name}".strip() for name in _COMMAND.findall(rest.partition("\n\n")[0])]
    return [found for name in names for found in commands(name)] if listed else [group]


def options(command: str) -> set[str]:
    """Return every option of a command."""
    return {*_OPTION.findall(steelyard(f"{command} --help").out)} - {"--help"}


def models() -> set[str]:
    """Return every kind of model that can be asked."""
    hint = steelyard("evaluate --model nonesuch").err.partition("models are ")[2]
    return {form.partition(":")[0] for form in hint.strip().split(", ")}


def kinds() -> set[str]:
    """Return every kind that `run.json` may name."""
    return {*_schema("run")["$defs"]["RunRecord"]["properties"]["kind"]["enum"]}


def task_keys() -> set[str]:
    """Return every key of a task file, those of its `eval` block too."""
    schema = _schema("task")
    return {*schema["properties"], *(f"eval.{name}" for name in schema["$defs"]["EvalBlock"]["properties"])}


def _schema(name: str) -> Any:
    return json.loads(steelyard(f"schema {name}").out)


def written_keys(way: Way) -> set[str]:
    """Return every key of the task files that a way writes into this folder."""
    way.write()
    tasks = [yaml.safe_load(file.read_text()) for file in sorted(Path().glob("*.yaml"))]
    return {
        key for task in tasks if "task" in task for key in (*task, *(f"eval.{name}" for name in task.get("eval", ())))
    }


def tried(option: str, command: str) -> bool:
    """Return whether a way names an option of the command that makes it."""
    return any(way.command.split()[0] == command and option in way.options for way in WAYS.values())


MODELS = {
    "python": "asked",
    "mock": "mock",
    "replay": "replayed",
    "hf": "trained, other data",
    "openai": "asked",
    "embedded": "asked",
    "gguf": "asked",
}
"""The way that stands for every kind of model; what is asked goes one way, whoever answers."""
KINDS = {
    "run": "stored",
    "mock": "mock",
    "repeat": "repeats member",
    "member": "suite member",
    "suite": "suite member",
    "shard": "stored",
    "imported": "imported",
    "task": "stored",
    "conversations": "conversations by traces",
    "research": "research",
    "training": "training",
}
"""The way that stands for every kind in `run.json`: as what a run is started, and what it is."""
_EVERYWHERE = {"--name", "--runs-dir", "--json"}
_ASKING = {"--resume", "--concurrency", "--deadline", "--threads"}
WITHOUT_EFFECT = {
    "eval": _EVERYWHERE | _ASKING | {"--retry-failed", "--cache", "--batch-size", "--device", "--workers"},
    "evaluate": _EVERYWHERE | _ASKING,
    "research": _EVERYWHERE | {"--format", "--report", "--no-store"},
}
"""Options that do not change what is evaluated: where it goes, and how fast it is done."""
ELSEWHERE = {
    "evaluate": {"--max-retries", "--no-validation"},
}
"""Options of the built-in solver, which asks a model for plans: tests/e2e/test_evaluate_command.py."""
KEYS_ELSEWHERE = {"name", "prompt_template", "training"}
"""Seed 003's other words for two keys, and what `steelyard train` writes."""
