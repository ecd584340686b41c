"""The model of an evaluation, opened as the caller said, and what its run says of it."""

from __future__ import annotations

from typing import Any

import msgspec

from steelyard.models import Model, ModelOptions, open_model
from steelyard.records.models import ModelIdentity
from steelyard.secrets import redacted
from steelyard.tasks.options import EvaluateOptions


def model_options(options: EvaluateOptions, *, losses: bool) -> ModelOptions:
    """Return how a model is run, as far as the caller said."""
    names = ("concurrency", "deadline", "batch_size", "threads", "device")
    given = {name: value for name in names if (value := getattr(options, name)) is not None}
    return ModelOptions(losses=losses, **given)


def open_task_model(spec: str, options: EvaluateOptions, *, losses: bool) -> Model:
    """Return the model of an evaluation."""
    return open_model(spec, model_options(options, losses=losses))


def model_facts(identity: ModelIdentity) -> dict[str, Any]:
    """Return what `run.json` says of the model."""
    facts: dict[str, Any] = msgspec.to_builtins(identity)
    return redacted({"name": facts.pop("name"), "kind": facts.pop("kind"), **facts})  # type: ignore[no-any-return]
