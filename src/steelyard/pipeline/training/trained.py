"""`steelyard eval --run DIR`: evaluate the model that a run trained, on its own test data or on other items."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steelyard.errors import InputError, Problem
from steelyard.models.parts import ADAPTER
from steelyard.pipeline.evaluation.order import evaluate
from steelyard.pipeline.evaluation.rescoring import RescoreOptions, rescore
from steelyard.pipeline.generation.asking import Asking
from steelyard.pipeline.options import EvaluateOptions
from steelyard.pipeline.recording.artifacts import read_config
from steelyard.pipeline.recording.run import Evaluation, Progress
from steelyard.pipeline.runs.parts import refuse_other_model
from steelyard.records.training import TrainingPaths
from steelyard.store.directories import find_run, read_run


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


def evaluate_trained(
    options: TrainedOptions, *, progress: Progress | None = None, asking: Asking | None = None
) -> Evaluation:
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
        return rescore(wanted, progress=progress)
    other = _on_other_data(path, options)
    refuse_other_model(path, read_run(path, as_made=True), other.model)
    return evaluate(other, progress=progress, asking=asking)


def _on_other_data(path: Path, options: TrainedOptions) -> EvaluateOptions:
    config: dict[str, Any] = read_config(path)
    training = config.pop("training", None)
    if not isinstance(training, dict):
        message = "this run trained no model"
        hint = "`steelyard eval --model SPEC --dataset FILE` evaluates a model on other data"
        raise InputError(Problem("run-differs", message, hint=hint, file=str(path)))
    for name in ("selection", "dataset", "predictions", "model"):
        config.pop(name, None)
    return EvaluateOptions(
        task=config,
        model=f"hf:{training['base_model']}{ADAPTER}{TrainingPaths(path).adapter}",
        dataset=options.test_data,
        metrics=options.metrics,
        slice_by=options.slice_by,
        hard_examples=options.hard_examples,
        name=options.name,
        runs_dir=options.runs_dir,
        threads=training.get("threads"),
        device=training.get("device"),
    )
