"""What a run of a task is made from: the task as it was settled, its data, which rows, and how they are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Self

from steelyard.datasets.shipped import opened_path
from steelyard.records.runs import RunKind
from steelyard.tasks.loading import EvaluateOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRecipe:
    """A task, its data and its model; each field but the task is a key of `config.yaml` under its own name."""

    kind: ClassVar[RunKind] = "task"

    task: Mapping[str, Any]
    """By what items are judged: a task file's content, with the command line's overrides and paths that stay."""
    dataset: str | None = None
    predictions: str | None = None
    model: str | None = None
    model_name: str | None = None
    selection: Mapping[str, int] = field(default_factory=dict)
    limits: Mapping[str, int] = field(default_factory=dict)
    bad_rows: str | None = None
    strict_ids: bool | None = None
    error_budget: float | None = None

    def config(self) -> dict[str, Any]:
        """Return everything that decides a number."""
        own = {name: getattr(self, name) for name in self._keys()}
        return {**self.task, **{name: value for name, value in own.items() if value not in (None, {})}}

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> Self:
        """Return the recipe of a `config.yaml`."""
        own = {name: value for name, value in config.items() if name in cls._keys()}
        return cls(task={name: value for name, value in config.items() if name not in own}, **own)

    @classmethod
    def _keys(cls) -> list[str]:
        """Return the keys of `config.yaml` that say what is judged, and not by what."""
        return [entry.name for entry in fields(cls) if entry.name != "task"]

    def judged_by(self, config: Mapping[str, Any]) -> Self:
        """Return the same data under the judges of another configuration."""
        return replace(self, task=type(self).of(config).task)

    def data(self) -> Path | None:
        """Return the file of the items."""
        return None if self.dataset is None else opened_path(self.dataset)

    def options(self, **more: Any) -> EvaluateOptions:
        """Return the command line that would make the run, with more said."""
        own = {"strict_ids": bool(self.strict_ids), "bad_rows": self.bad_rows or "refuse"}
        own |= {"model_name": self.model_name, "error_budget": self.error_budget or 0}
        given = {"task": self.task, "dataset": self.dataset, **self.selection, **self.limits, **own, **more}
        return EvaluateOptions(**given)

    def crossed(self, outputs: Self, data: Self) -> Self:
        """Return these judges over another run's outputs and items; where an output stands is said by who made it."""
        places = {name: value for name, value in self.task.get("fields", {}).items() if name != "prediction"}
        prediction = outputs.task.get("fields", {}).get("prediction")
        places |= {} if prediction is None else {"prediction": prediction}
        limits = {
            name: max(outputs.limits.get(name, 0), data.limits.get(name, 0)) for name in {*outputs.limits, *data.limits}
        }
        task = {**self.task, "fields": places}
        return replace(self, task=task, dataset=data.dataset, selection=data.selection, limits=limits)
