"""JSON Schemas of the configuration files, built from the models that check them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from steelyard.configuration.policy import PolicyFile
from steelyard.configuration.profile import ScoringProfile
from steelyard.configuration.project import Project
from steelyard.configuration.task import Suite, Task
from steelyard.configuration.training import TrainingFile


def task_schema() -> dict[str, Any]:
    """Return the schema of a task file; seed 003's `name` and `prompt_template` stand for `task` and `prompt`."""
    schema = Task.model_json_schema()
    properties = schema["properties"]
    properties["name"] = properties["task"] | {"title": "Name", "description": "Seed 003's word for `task`."}
    properties["prompt_template"] = properties["prompt"] | {
        "title": "Prompt Template",
        "description": "Seed 003's word for `prompt`.",
    }
    schema["required"] = [key for key in schema["required"] if key != "task"]
    one_name = {"oneOf": [{"required": ["task"]}, {"required": ["name"]}]}
    return schema | one_name


def gate_policy_schema() -> dict[str, Any]:
    """Return the schema of a gate policy; `{allow: […]}` and `{required: […]}` may stand among its gates."""
    schema = PolicyFile.model_json_schema()
    names = {"type": "array", "items": {"type": "string"}}
    beside = [
        {"type": "object", "properties": {key: names}, "required": [key], "additionalProperties": False}
        for key in ("allow", "required")
    ]
    gates = schema["properties"]["gates"]
    gates["items"] = {"anyOf": [gates["items"], *beside]}
    return schema


def training_schema() -> dict[str, Any]:
    """Return the schema of a training file; YAML takes `1e-4` for a text, and a rate may be written so."""
    schema = TrainingFile.model_json_schema()
    rate = schema["properties"]["lr"]
    written = {"type": "string", "pattern": r"^[0-9]+(\.[0-9]*)?[eE][-+]?[0-9]+$"}
    number = {key: rate.pop(key) for key in ("type", "exclusiveMinimum")}
    schema["properties"]["lr"] = {"anyOf": [number, written], **rate}
    return schema


def project_schema() -> dict[str, Any]:
    """Return the schema of a project file, `steelyard.yaml`."""
    return Project.model_json_schema()


SCHEMAS: dict[str, Callable[[], dict[str, Any]]] = {
    "task": task_schema,
    "scoring-profile": ScoringProfile.model_json_schema,
    "gate-policy": gate_policy_schema,
    "suite": Suite.model_json_schema,
    "training": training_schema,
    "project": project_schema,
}
