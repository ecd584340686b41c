"""Trainings for the verbs: judged again as runs of a task are, made anew by training once more."""

from __future__ import annotations

from pathlib import Path

from steelyard.kinds.task.kind import TaskKind
from steelyard.kinds.task.recipe import TaskRecipe
from steelyard.kinds.training.order import train
from steelyard.kinds.training.planning import TrainOptions
from steelyard.kinds.training.recipe import TrainingRecipe
from steelyard.models.parts import ADAPTER
from steelyard.records.runs import RunRecord
from steelyard.records.training import TrainingPaths
from steelyard.runs.places import Place, Watching


class TrainingKind(TaskKind):
    """Runs of `steelyard train`."""

    recipe = TrainingRecipe

    def anew(self, recipe: TaskRecipe, run: Path, record: RunRecord, place: Place, watching: Watching) -> Path:
        """Train again."""
        del run, record
        assert isinstance(recipe, TrainingRecipe)
        options = TrainOptions(values=recipe.training, name=place.name, runs_dir=place.runs_dir)
        return train(options, watching).path

    def spec(self, recipe: TaskRecipe, run: Path) -> str | None:
        """Return the base model with the adapter that was trained."""
        assert isinstance(recipe, TrainingRecipe)
        return f"hf:{recipe.training['base_model']}{ADAPTER}{TrainingPaths(run).adapter}"
