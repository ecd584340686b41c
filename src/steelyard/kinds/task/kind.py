"""Runs of tasks for the verbs: judged again from their journals, made anew from their answers or by their model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from steelyard.errors import InputError, Problem
from steelyard.kinds.task.evaluation import TaskEvaluation, first_evaluation, own_evaluation
from steelyard.kinds.task.order import evaluate
from steelyard.kinds.task.recipe import TaskRecipe
from steelyard.records.runs import CONFIG_FILE, JOURNAL_FILE, RunRecord
from steelyard.runs.making import make_stored
from steelyard.runs.parts import STORED
from steelyard.runs.places import Place, Watching
from steelyard.runs.recipes import AS_IT_WAS, OtherJudges, not_for_this_kind
from steelyard.tasks.gates import check_gates
from steelyard.tasks.preparation import prepare


class TaskKind:
    """Runs of `steelyard eval`."""

    recipe: type[TaskRecipe] = TaskRecipe

    def again(
        self, recipe: TaskRecipe, run: Path, record: RunRecord, judges: OtherJudges = AS_IT_WAS, *, aside: bool = False
    ) -> TaskEvaluation:
        """Return the run's journal ready to be judged again."""
        if "not_evaluated" in record.flags:
            hint = "`steelyard eval --run RUN --test-data FILE` evaluates its model"
            raise not_for_this_kind("judging again", "a training that had no rows to be evaluated on", hint)
        if recipe.dataset is None:
            message = "the run's config.yaml names no dataset, so its items cannot be judged again"
            file = str(run / CONFIG_FILE)
            raise InputError(Problem("run-damaged", message, hint="evaluate the data again", file=file))
        options = recipe.options(
            predictions=str(run / JOURNAL_FILE),
            task_file=judges.task_file,
            scorer=judges.scorer,
            metrics=judges.metrics,
            slice_by=judges.slice_by,
            hard_examples=judges.hard_examples,
        )
        kept = () if judges.are_others else record.signed("scorers", "metrics")
        prepared = prepare(options, judged_by=kept)
        if judges.task_file is not None:
            check_gates(prepared, options)
        return own_evaluation(prepared, options, recipe, record, aside=aside)

    def anew(self, recipe: TaskRecipe, run: Path, record: RunRecord, place: Place, watching: Watching) -> Path:
        """Ask the model again, or judge the stored answers in a run of their own."""
        more: dict[str, Any] = {"runs_dir": place.runs_dir, "name": place.name, "cache": False}
        if recipe.model is not None and record.model.get("kind") != STORED:
            return evaluate(recipe.options(model=recipe.model, **more), watching).path
        options = recipe.options(predictions=str(run / JOURNAL_FILE), **more)
        prepared = prepare(options, judged_by=record.signed("scorers", "metrics"))
        return make_stored(first_evaluation(prepared, options, recipe, record.reading), place, watching).path

    def spec(self, recipe: TaskRecipe, run: Path) -> str | None:
        """Return the model that was asked."""
        del run
        return recipe.model
