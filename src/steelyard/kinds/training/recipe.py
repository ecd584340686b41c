"""What a training is made from: the task that its model is evaluated under, and how it is trained."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from steelyard.kinds.task.recipe import TaskRecipe
from steelyard.records.runs import RunKind


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingRecipe(TaskRecipe):
    """A task and a training."""

    kind: ClassVar[RunKind] = "training"

    training: Mapping[str, Any] = field(default_factory=dict)
    """A training file's content, with the command line's overrides and paths that stay."""
