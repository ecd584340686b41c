"""The recipe of a run, stated from what a caller asked for and the task that was prepared."""

from __future__ import annotations

from typing import Any

from steelyard.datasets.shipped import lasting_path
from steelyard.kinds.task.identity import judging_configuration
from steelyard.kinds.task.recipe import TaskRecipe
from steelyard.tasks.loading import EvaluateOptions
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
        **data_of(prepared, options),
    )


def data_of(prepared: Prepared, options: EvaluateOptions) -> dict[str, Any]:
    """Return which items a run is over, as its recipe has them."""
    dataset = resolve(prepared, options.dataset, prepared.task.dataset, "dataset")
    assert dataset is not None
    return {"dataset": lasting_path(dataset), "selection": options.selection, "limits": options.limits}
