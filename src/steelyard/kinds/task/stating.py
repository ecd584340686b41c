"""The recipe of a run, stated from what a caller asked for and the task that was prepared."""

from __future__ import annotations

from typing import Any

import msgspec

from steelyard.asking.requests import prompt_template, task_generation
from steelyard.datasets.shipped import lasting_path
from steelyard.kinds.task.identity import judging_configuration
from steelyard.kinds.task.recipe import TaskRecipe
from steelyard.tasks.options import EvaluateOptions
from steelyard.tasks.preparation import Prepared, resolve


def stored_recipe(prepared: Prepared, options: EvaluateOptions) -> TaskRecipe:
    """Return the recipe of a run over stored predictions."""
    predictions = resolve(prepared, options.predictions, prepared.task.predictions, "predictions")
    return TaskRecipe(
        task=judging_configuration(prepared),
        predictions=None if predictions is None else str(predictions.resolve()),
        model_name=options.model_name or prepared.task.model,
        bad_rows=None if options.bad_rows == "refuse" else options.bad_rows,
        strict_ids=options.strict_ids or None,
        **_data(prepared, options),
    )


def asked_recipe(spec: str, prepared: Prepared, options: EvaluateOptions) -> TaskRecipe:
    """Return the recipe of a model's run, from which the same questions can be asked again."""
    prompt, generation = prompt_template(prepared).text, msgspec.to_builtins(task_generation(prepared.task))
    return TaskRecipe(
        task=judging_configuration(prepared) | {"prompt": prompt, "generation": generation},
        model=spec,
        error_budget=options.error_budget or None,
        **_data(prepared, options),
    )


def _data(prepared: Prepared, options: EvaluateOptions) -> dict[str, Any]:
    dataset = resolve(prepared, options.dataset, prepared.task.dataset, "dataset")
    assert dataset is not None
    return {"dataset": lasting_path(dataset), "selection": options.selection, "limits": options.limits}
