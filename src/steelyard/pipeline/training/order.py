"""A training that ends in an evaluation: rows, fine-tuning, adapter, predictions, scores, one run (seed 001)."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from copy import deepcopy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from steelyard.configuration.training import TrainingFile, parse_training
from steelyard.errors import InputError, MachineError, Problem, SteelyardError, UsageError
from steelyard.models import open_model
from steelyard.models.hugging_face import ADAPTER
from steelyard.models.prompts import DEFAULT_PROMPT, PromptTemplate
from steelyard.pipeline.datasets import Version, find_version, is_reference
from steelyard.pipeline.evaluation.asking import ask_and_judge, plan_asking, rehearse
from steelyard.pipeline.evaluation.sources import make_source
from steelyard.pipeline.generation.predictions import Asking, model_options
from steelyard.pipeline.options import EvaluateOptions
from steelyard.pipeline.preparation.task import Prepared, prepare
from steelyard.pipeline.recording.artifacts import write_run_files
from steelyard.pipeline.recording.run import Evaluation, Progress, RunIdentity, run_record
from steelyard.pipeline.training.data import TrainingData, training_data
from steelyard.reading.yaml_file import read_yaml
from steelyard.records.runs import CONFIG_FILE, RunStatus
from steelyard.records.training import (
    TrainingOutcome,
    TrainingPaths,
    TrainingSettings,
    summary_content,
)
from steelyard.store.directories import RunDirectory, find_run, now_text, read_run
from steelyard.store.files import json_bytes, write_bytes

Training: TypeAlias = Callable[[int, int], None]
"""Called with the step that is done and how many there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainOptions:
    """The command line of `steelyard train` as a record. None means: as the file says."""

    config: Path | None = None
    values: Mapping[str, Any] | None = None
    """A training's content where there is no file."""
    overrides: Mapping[str, Any] = field(default_factory=dict)
    name: str | None = None
    runs_dir: Path = Path("runs")
    resume: str | None = None


@dataclass(frozen=True, slots=True)
class Trained:
    """A finished training, with its evaluation where there was something to evaluate on."""

    path: Path
    outcome: TrainingOutcome
    evaluation: Evaluation | None


@dataclass(frozen=True, slots=True)
class TrainingPlan:
    """Everything that is settled before the first step."""

    file: TrainingFile
    folder: Path
    """What relative paths in the file are relative to."""
    settings: TrainingSettings
    data: TrainingData

    def summary(self) -> dict[str, Any]:
        """Return what `--dry-run` shows."""
        rows = len(self.data.rows)
        steps = -(-rows // self.settings.batch_size) * self.settings.epochs
        return {
            "base_model": self.settings.base_model,
            "task": self.settings.task,
            "dataset": self.data.manifest["dataset_id"],
            "dataset_version": self.data.manifest["version"],
            "train_rows": rows,
            "evaluated_on": None if self.data.test is None else str(self.data.test),
            "steps": int(steps),
            "settings": msgspec.to_builtins(self.settings),
        }


def plan_training(options: TrainOptions) -> TrainingPlan:
    """Read configuration and rows and check them all; nothing is written."""
    file, folder = _file(options)
    dataset = file.dataset
    if dataset is None:
        raise UsageError(Problem("usage", "no dataset was given", hint="name one in the file or with --dataset"))
    template = PromptTemplate(file.prompt or DEFAULT_PROMPT)
    place: Version | Path = find_version(dataset) if is_reference(dataset) else folder / dataset
    data = training_data(place, file.task, template)
    values = {name: getattr(file, name) for name in TrainingSettings.__struct_fields__}
    values["base_model"] = _base(file.base_model, folder)
    plan = TrainingPlan(file, folder, TrainingSettings(**values), data)
    if data.test is not None:
        # What is wrong with the test items is told before anything is trained.
        prepared, asked = _evaluation(plan)
        rehearse(prepared, make_source(prepared, asked))
    return plan


def _file(options: TrainOptions) -> tuple[TrainingFile, Path]:
    values: dict[str, Any] = dict(read_yaml(options.config)) if options.config else dict(options.values or {})
    folder = options.config.parent if options.config else Path()
    given = {name: value for name, value in options.overrides.items() if value is not None}
    if "dataset" in given and not is_reference(given["dataset"]):
        given["dataset"] = str(Path(given["dataset"]).resolve())
    if "base_model" in given and Path(given["base_model"]).exists():
        given["base_model"] = str(Path(given["base_model"]).resolve())
    return parse_training(values | given, file=str(options.config) if options.config else None), folder


def _base(name: str, folder: Path) -> str:
    """Return a base as it is loaded: a folder beside the file, else a name of the hub."""
    beside = folder / name
    return str(beside.resolve()) if beside.is_dir() else name


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
    directory = RunDirectory.resume(path) if path else RunDirectory.create(options.runs_dir, options.name)
    paths = TrainingPaths(directory.path)
    with _failing(directory, plan):
        outcome = finished_training(paths)
        if outcome is None:
            _begin(directory, plan)
            outcome = fine_tune(plan.settings, plan.data.rows, paths, resume=path is not None, step=training)
            write_bytes(paths.summary, json_bytes(summary_content(outcome)))
        evaluation = _evaluate(directory, plan, progress, asking)
        shutil.rmtree(paths.checkpoints, ignore_errors=True)
    return Trained(directory.path, outcome, evaluation)


def finished_training(paths: TrainingPaths) -> TrainingOutcome | None:
    """Return the outcome of a run whose training is done, though its evaluation may not be."""
    if not paths.summary.is_file() or not (paths.adapter / "adapter_config.json").is_file():
        return None
    outcome = msgspec.json.decode(paths.summary.read_bytes(), type=TrainingOutcome)
    return outcome if outcome.status == "completed" else None


def _of_run(path: Path, options: TrainOptions) -> TrainOptions:
    """Return the options that a run was begun with, from its own configuration."""
    if read_run(path).status == "completed":
        message = "the run is complete, so there is nothing to resume"
        raise UsageError(Problem("usage", message, hint="train under another --name", file=str(path)))
    values = read_yaml(path / CONFIG_FILE).get("training")
    if not isinstance(values, dict):
        message = "this run was not made by `steelyard train`"
        raise InputError(
            Problem("run-differs", message, hint="`steelyard eval --resume` resumes those", file=str(path))
        )
    return replace(options, config=None, values=values, overrides={})


def effective_training(plan: TrainingPlan) -> dict[str, Any]:
    """Return the training as it was run, with paths that can be opened again."""
    config: dict[str, Any] = plan.file.model_dump(mode="json", exclude_defaults=True)
    dataset = plan.file.dataset or ""
    config |= {"base_model": plan.settings.base_model, "task": plan.file.task}
    config["dataset"] = dataset if is_reference(dataset) else str((plan.folder / dataset).resolve())
    if plan.file.eval.gold_set is not None:
        config["eval"] |= {"gold_set": str((plan.folder / plan.file.eval.gold_set).resolve())}
    return config


def task_values(plan: TrainingPlan) -> dict[str, Any]:
    """Return the task that a trained model is evaluated under."""
    file, config = plan.file, effective_training(plan)
    values: dict[str, Any] = {
        "task": file.task,
        "answer_type": "text" if file.task == "sft" else "label",
        "training": config,
    }
    for name in ("prompt", "prompt_version", "generation", "metrics", "eval"):
        if name in config:
            # A copy of its own: YAML would write one object in two places as an anchor, which our reader refuses.
            values[name] = deepcopy(config[name])
    return values


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
        directory.write_record(msgspec.structs.replace(record, completed_at=now_text(), flags=["not_evaluated"]))
        return None
    spec = f"hf:{plan.settings.base_model}{ADAPTER}{TrainingPaths(directory.path).adapter}"
    prepared, options = _evaluation(plan)
    with closing(open_model(spec, model_options(options, losses=prepared.report.losses))) as model:
        asked = plan_asking(spec, prepared, options, model)
        asked = replace(asked, manifest=plan.data.manifest, identity=_named(asked.identity, plan, directory))
        return ask_and_judge(directory, asked, model, progress, asking)


def _evaluation(plan: TrainingPlan) -> tuple[Prepared, EvaluateOptions]:
    """Return the evaluation of a trained model, prepared."""
    settings = plan.settings
    options = EvaluateOptions(
        task=task_values(plan),
        dataset=str(plan.data.test),
        batch_size=settings.batch_size,
        device=settings.device,
        threads=settings.threads,
        cache=False,
    )
    return prepare(options), options


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
    except BaseException as error:
        status: RunStatus = "failed" if isinstance(error, SteelyardError | Exception) else "interrupted"
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
