"""A training that ends in an evaluation: rows, fine-tuning, adapter, predictions, scores, one run (seed 001)."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import msgspec

from steelyard.errors import InputError, MachineError, Problem, SteelyardError, UsageError
from steelyard.models import open_model
from steelyard.models.parts import ADAPTER
from steelyard.pipeline.evaluation.asking import ask_and_judge, plan_asking
from steelyard.pipeline.generation.asking import Asking
from steelyard.pipeline.generation.predictions import model_options
from steelyard.pipeline.recording.artifacts import read_config, write_run_files
from steelyard.pipeline.recording.run import Evaluation, OverBudgetError, Progress, RunIdentity, run_record
from steelyard.pipeline.recording.sealing import seal_run
from steelyard.pipeline.training.planning import (
    TrainingPlan,
    TrainOptions,
    plan_training,
    planned_evaluation,
    task_values,
)
from steelyard.records.encoded import UNREADABLE
from steelyard.records.runs import RunStatus
from steelyard.records.training import TrainingOutcome, TrainingPaths, summary_content
from steelyard.store.checking import NOTHING
from steelyard.store.directories import RunDirectory, find_run, now_text, read_run
from steelyard.store.files import json_bytes, write_bytes

Training: TypeAlias = Callable[[int, int], None]
"""Called with the step that is done and how many there are."""


@dataclass(frozen=True, slots=True)
class Trained:
    """A finished training, with its evaluation where there was something to evaluate on."""

    path: Path
    outcome: TrainingOutcome
    evaluation: Evaluation | None


def train(
    options: TrainOptions,
    *,
    training: Training | None = None,
    progress: Progress | None = None,
    asking: Asking | None = None,
) -> Trained:
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
            outcome = fine_tune(plan.settings, plan.data.rows, paths, resume=path is not None, step=training)
            write_bytes(paths.summary, json_bytes(summary_content(outcome)))
        shutil.rmtree(paths.checkpoints, ignore_errors=True)
        evaluation = _evaluate(directory, plan, progress, asking)
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
    )


def _evaluate(
    directory: RunDirectory, plan: TrainingPlan, progress: Progress | None, asking: Asking | None
) -> Evaluation | None:
    """Evaluate the trained model on the split that is there for it; without one the run is complete as it is."""
    if plan.data.test is None:
        record = run_record(directory, _identity(plan), "completed")
        facts = {"completed_at": now_text(), "flags": ["not_evaluated"], **seal_run(directory.path, NOTHING)}
        directory.write_record(msgspec.structs.replace(record, **facts))
        return None
    spec = f"hf:{plan.settings.base_model}{ADAPTER}{TrainingPaths(directory.path).adapter}"
    prepared, options = planned_evaluation(plan)
    with closing(open_model(spec, model_options(options, losses=prepared.report.losses))) as model:
        asked = plan_asking(spec, prepared, options, model)
        asked = replace(asked, manifest=plan.data.manifest, identity=_named(asked.identity, plan, directory))
        return ask_and_judge(directory, asked, model, progress, asking)


def _named(identity: RunIdentity, plan: TrainingPlan, directory: RunDirectory) -> RunIdentity:
    """Return the identity with the run's own name for its model, and the version that it was trained on."""
    version = f"{plan.data.manifest['dataset_id']}@{plan.data.manifest['version']}"
    return replace(
        identity,
        model={**identity.model, "name": directory.path.name, "base": Path(plan.settings.base_model).name},
        dataset={**identity.dataset, "version": version, "content_hash": plan.data.manifest["content_hash"]},
    )


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
