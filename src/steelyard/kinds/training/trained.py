"""`steelyard eval --run DIR`: evaluate the model that a run trained, on its own test data or on other items."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from steelyard.errors import InputError, Problem
from steelyard.kinds.rejudging import RescoreOptions, rescore
from steelyard.kinds.task.order import evaluate
from steelyard.kinds.training.recipe import TrainingRecipe
from steelyard.models.parts import ADAPTER
from steelyard.records.training import TrainingPaths
from steelyard.runs.artifacts import read_config
from steelyard.runs.parts import refuse_other_model
from steelyard.runs.places import UNWATCHED, Watching
from steelyard.runs.recording import FinishedRun
from steelyard.store.directories import find_run, read_run
from steelyard.tasks.loading import EvaluateOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainedOptions:
    """What may be asked of a trained run. None means: as the run has it."""

    run: str
    test_data: str | None = None
    metrics: tuple[str, ...] | None = None
    slice_by: tuple[str | tuple[str, ...], ...] | None = None
    hard_examples: int | None = None
    name: str | None = None
    runs_dir: Path = Path("runs")
    resume: bool = False
    retry_failed: bool = False


def evaluate_trained(options: TrainedOptions, watching: Watching = UNWATCHED) -> FinishedRun:
    """Evaluate a trained run.

    On its own test data the answers are in its journal already, and only `eval/` is derived anew; the data's hash is
    held to the run's. On other data the model is asked, and the answers become a run of their own. The adapter, the
    tokenizer and, where it is asked, the base model must be those that the run was made with.
    """
    path = find_run(options.runs_dir, options.run)
    if options.test_data is None:
        refuse_other_model(path, read_run(path, as_made=True), None)
        wanted = RescoreOptions(
            run=str(path),
            runs_dir=options.runs_dir,
            metrics=options.metrics,
            slice_by=options.slice_by,
            hard_examples=options.hard_examples,
        )
        return rescore(wanted, watching)
    other = _on_other_data(path, options)
    refuse_other_model(path, read_run(path, as_made=True), other.model)
    return evaluate(other, watching)


def _on_other_data(path: Path, options: TrainedOptions) -> EvaluateOptions:
    recipe = TrainingRecipe.of(read_config(path))
    if not recipe.training:
        message = "this run trained no model"
        hint = "`steelyard eval --model SPEC --dataset FILE` evaluates a model on other data"
        raise InputError(Problem("run-differs", message, hint=hint, file=str(path)))
    return EvaluateOptions(
        task=recipe.task,
        model=f"hf:{recipe.training['base_model']}{ADAPTER}{TrainingPaths(path).adapter}",
        dataset=options.test_data,
        metrics=options.metrics,
        slice_by=options.slice_by,
        hard_examples=options.hard_examples,
        name=options.name,
        runs_dir=options.runs_dir,
        threads=recipe.training.get("threads"),
        device=recipe.training.get("device"),
        resume=options.resume,
        retry_failed=options.retry_failed,
    )
