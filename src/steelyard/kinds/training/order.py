"""A training that ends in an evaluation: rows, fine-tuning, adapter, predictions, scores, one run (seed 001)."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from steelyard.asking.requests import model_options
from steelyard.errors import InputError, MachineError, Problem, SteelyardError, UsageError
from steelyard.kinds.task.asking import ask_and_judge, asked_recipe, plan_asking
from steelyard.kinds.training.planning import (
    TrainingPlan,
    TrainOptions,
    plan_training,
    planned_evaluation,
    task_values,
)
from steelyard.kinds.training.recipe import TrainingRecipe
from steelyard.models import open_model
from steelyard.models.parts import ADAPTER
from steelyard.records.encoded import UNREADABLE
from steelyard.records.runs import RunStatus
from steelyard.records.training import TrainingOutcome, TrainingPaths, summary_content
from steelyard.runs.artifacts import read_config, write_run_files
from steelyard.runs.places import UNWATCHED, Watching
from steelyard.runs.recording import FinishedRun, OverBudgetError, RunIdentity, run_record
from steelyard.runs.sealing import seal_run
from steelyard.store.checking import NOTHING
from steelyard.store.directories import RunDirectory, find_run, now_text, read_run
from steelyard.store.files import json_bytes, write_bytes


@dataclass(frozen=True, slots=True)
class Trained:
    """A finished training, with its evaluation where there was something to evaluate on."""

    path: Path
    outcome: TrainingOutcome
    evaluation: FinishedRun | None


def train(options: TrainOptions, watching: Watching = UNWATCHED) -> Trained:
    """Train, evaluate, and leave a complete run behind; what stops it leaves a run that says so, with its log."""
    from steelyard.training import fine_tune  # noqa: PLC0415 - torch is an extra, and loads for seconds

    path = find_run(options.runs_dir, options.resume) if options.resume else None
    plan = plan_training(_of_run(path, options) if path else options)
    directory = (
        RunDirectory.resume(path) if path else RunDirectory.create(options.runs_dir, options.name, task=plan.file.task)
    )
    paths = TrainingPaths(directory.path)
    with _failing(directory, plan):
        outcome = finished_training(paths)
        if outcome is None:
            _begin(directory, plan)
            outcome = fine_tune(plan.settings, plan.data.rows, paths, resume=path is not None, step=watching.trained)
            write_bytes(paths.summary, json_bytes(summary_content(outcome)))
        shutil.rmtree(paths.checkpoints, ignore_errors=True)
        evaluation = _evaluate(directory, plan, watching)
    return Trained(directory.path, outcome, evaluation)


def finished_training(paths: TrainingPaths) -> TrainingOutcome | None:
    """Return the outcome of a run whose training is done, though its evaluation may not be."""
    if not paths.summary.is_file() or not (paths.adapter / "adapter_config.json").is_file():
        return None
    try:
        outcome = msgspec.json.decode(paths.summary.read_bytes(), type=TrainingOutcome)
    except UNREADABLE as error:
        message, hint = f"the summary cannot be read: {error}", "bring the file back as it was, or train anew"
        raise InputError(Problem("run-damaged", message, hint=hint, file=str(paths.summary))) from None
    return outcome if outcome.status == "completed" else None


def _of_run(path: Path, options: TrainOptions) -> TrainOptions:
    """Return the options that a run was begun with, from its own configuration."""
    if read_run(path).status == "completed":
        message = "the run is complete, so there is nothing to resume"
        raise UsageError(Problem("usage", message, hint="train under another --name", file=str(path)))
    values = read_config(path).get("training")
    if not isinstance(values, dict):
        message = "this run was not made by `steelyard train`"
        raise InputError(
            Problem("run-differs", message, hint="`steelyard eval --resume` resumes those", file=str(path))
        )
    return replace(options, config=None, values=values, overrides={})


def _begin(directory: RunDirectory, plan: TrainingPlan) -> None:
    """Write what the run is made from before the first step."""
    config = {**task_values(plan), **({"dataset": str(plan.data.test.resolve())} if plan.data.test else {})}
    dataset = {"sha256": plan.data.manifest["content_hash"]}
    write_run_files(directory.path, config=config, manifest=plan.data.manifest, dataset=dataset)
    directory.write_record(run_record(directory, _identity(plan), "running"))


def _identity(plan: TrainingPlan) -> RunIdentity:
    """Return what the run says of itself while it is trained."""
    return RunIdentity(
        task=plan.file.task,
        scorer_version="",
        signatures={},
        answer_type="text" if plan.file.task == "sft" else "label",
        model={"name": Path(plan.settings.base_model).name, "kind": "hf", "spec": f"hf:{plan.settings.base_model}"},
        dataset={"version": f"{plan.data.manifest['dataset_id']}@{plan.data.manifest['version']}"},
        prompt_version=plan.file.prompt_version,
        kind="training",
    )


def _evaluate(directory: RunDirectory, plan: TrainingPlan, watching: Watching) -> FinishedRun | None:
    """Evaluate the trained model on the split that is there for it; without one the run is complete as it is."""
    if plan.data.test is None:
        record = run_record(directory, _identity(plan), "completed")
        facts = {"completed_at": now_text(), "flags": ["not_evaluated"], **seal_run(directory.path, NOTHING)}
        directory.write_record(msgspec.structs.replace(record, **facts))
        return None
    spec = f"hf:{plan.settings.base_model}{ADAPTER}{TrainingPaths(directory.path).adapter}"
    prepared, options = planned_evaluation(plan)
    with closing(open_model(spec, model_options(options, losses=prepared.report.losses))) as model:
        recipe = TrainingRecipe.of(asked_recipe(spec, prepared, options).config())
        asked = plan_asking(spec, prepared, options, model, recipe)
        evaluation = replace(asked.evaluation, **_named(asked.evaluation.model, plan, directory))
        return ask_and_judge(directory, replace(asked, evaluation=evaluation), model, watching)


def _named(model: Mapping[str, Any], plan: TrainingPlan, directory: RunDirectory) -> dict[str, Any]:
    """Return the run's own name for its model, and what it was trained on beside what it is evaluated on."""
    manifest = plan.data.manifest
    version = f"{manifest['dataset_id']}@{manifest['version']}"
    return {
        "model": {**model, "name": directory.path.name, "base": Path(plan.settings.base_model).name},
        "trained_on": {"version": version, "content_hash": manifest["content_hash"]},
        "own_manifest": manifest,
    }


@contextmanager
def _failing(directory: RunDirectory, plan: TrainingPlan) -> Iterator[None]:
    """Leave a run that failed as one that says so, with its log."""
    try:
        yield
    except OverBudgetError:
        directory.release()
        raise
    except BaseException as error:
        status: RunStatus = "failed" if isinstance(error, Exception) else "interrupted"
        _leave(directory, plan, status, error)
        if isinstance(error, OSError):
            hint = "free the disk, then `steelyard train --resume RUN`"
            raise MachineError(
                Problem("machine", f"cannot write: {error.strerror or error}", hint=hint, file=str(directory.path))
            ) from error
        raise
    directory.release()


def _leave(directory: RunDirectory, plan: TrainingPlan, status: RunStatus, error: BaseException) -> None:
    reason = str(error.problems[0]) if isinstance(error, SteelyardError) else f"{type(error).__name__}: {error}"
    try:
        directory.write_record(run_record(directory, _identity(plan), status, error=reason))
    except MachineError:
        if not isinstance(error, MachineError | OSError):
            raise
    finally:
        directory.release()
