"""What a training will do, settled and checked before its first step: configuration, rows, the evaluation after it."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from steelyard.configuration.training import TrainingFile, parse_training
from steelyard.datasets.paths import data_path, is_reference
from steelyard.datasets.shipped import lasting_path
from steelyard.datasets.versions import Version, find_version
from steelyard.errors import Problem, UsageError
from steelyard.kinds.task.asking import rehearse
from steelyard.kinds.task.sources import make_source
from steelyard.kinds.training.data import TrainingData, training_data
from steelyard.models.prompts import DEFAULT_PROMPT, PromptTemplate
from steelyard.reading.yaml_file import read_yaml
from steelyard.records.training import TrainingSettings
from steelyard.tasks.options import EvaluateOptions
from steelyard.tasks.preparation import Prepared, prepare


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
        prepared, asked = planned_evaluation(plan)
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


def effective_training(plan: TrainingPlan) -> dict[str, Any]:
    """Return the training as it was run, with paths that can be opened again."""
    config: dict[str, Any] = plan.file.model_dump(mode="json", exclude_defaults=True)
    dataset = plan.file.dataset or ""
    config |= {"base_model": plan.settings.base_model, "task": plan.file.task}
    config["dataset"] = dataset if is_reference(dataset) else str((plan.folder / dataset).resolve())
    if plan.file.eval.gold_set is not None:
        config["eval"] |= {"gold_set": lasting_path(data_path(plan.file.eval.gold_set, plan.folder))}
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


def planned_evaluation(plan: TrainingPlan) -> tuple[Prepared, EvaluateOptions]:
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
