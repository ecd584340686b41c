"""What a training will do, settled and checked before its first step: configuration, rows, the evaluation after it."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from steelyard.configuration.training import TrainingFile, parse_training
from steelyard.datasets.overlap import TEST_SPLITS, tell_overlap, with_overlap
from steelyard.datasets.paths import data_path, is_reference
from steelyard.datasets.shipped import lasting_path
from steelyard.datasets.survey import survey
from steelyard.datasets.versions import Version, find_version, manifest_from_survey
from steelyard.errors import InputError, Problem, Problems, UsageError, excerpt
from steelyard.kinds.task.asking import rehearse
from steelyard.kinds.task.streaming import make_source
from steelyard.models.prompts import DEFAULT_PROMPT, PromptTemplate
from steelyard.reading.references import input_text
from steelyard.reading.rows import Row, read_rows
from steelyard.reading.yaml_file import read_yaml
from steelyard.records.datasets import Manifest
from steelyard.records.items import FieldNames
from steelyard.records.training import TrainingRow, TrainingSettings, TrainingTask
from steelyard.tasks.loading import EvaluateOptions
from steelyard.tasks.preparation import Prepared, prepare

# The rows of a training and the file that it is evaluated on, from a version of a dataset or from plain files.


_TARGETS: dict[TrainingTask, str] = {"sft": "output", "classification": "label"}


@dataclass(frozen=True, slots=True)
class TrainingData:
    """Rows to train on, what to evaluate on, and the manifest of both."""

    rows: tuple[TrainingRow, ...]
    test: Path | None
    manifest: dict[str, Any]


def training_data(place: Version | Path, task: TrainingTask, template: PromptTemplate) -> TrainingData:
    """Read the training split whole; all bad rows are listed."""
    folder, manifest = _described(place)
    tell_overlap(manifest)
    train = [folder / entry.path for entry in manifest.files if entry.split == "train"]
    if not train:
        if len(manifest.files) == 1:
            train = [folder / manifest.files[0].path]
        else:
            splits = ", ".join(f"{entry.path} ({entry.split})" for entry in manifest.files)
            message = f"there is no training split; there are: {splits}"
            raise InputError(Problem("no-items", message, hint="name a file train.jsonl", file=str(folder)))
    problems = Problems()
    rows = [_row(row, path, task, template, problems) for path in train for row in read_rows(path, problems)]
    problems.raise_if_any()
    return TrainingData(
        tuple(row for row in rows if row is not None), _test(folder, manifest, train), manifest.as_dict()
    )


def _described(place: Version | Path) -> tuple[Path, Manifest]:
    if isinstance(place, Version):
        return place.folder, with_overlap(place.folder, place.manifest)
    folder = place if place.is_dir() else place.parent
    name = place.name if place.is_dir() else place.name.split(".", maxsplit=1)[0]
    return folder, with_overlap(folder, manifest_from_survey(name, survey(place)))


def _test(folder: Path, manifest: Manifest, train: list[Path]) -> Path | None:
    """Return the file that the trained model is evaluated on: test before val; what it was trained on is none."""
    for split in TEST_SPLITS[:2]:
        for entry in manifest.files:
            if entry.split == split and folder / entry.path not in train:
                return folder / entry.path
    return None


def _row(row: Row, path: Path, task: TrainingTask, template: PromptTemplate, problems: Problems) -> TrainingRow | None:
    target = row.fields.get(_TARGETS[task])
    if isinstance(target, int) and not isinstance(target, bool) and task == "classification":
        target = str(target)
    if not isinstance(target, str) or not target:
        message = f"a row of a {task} training needs text in {_TARGETS[task]!r}; found {excerpt(repr(target))}"
        problems.add(Problem("missing-field", message, file=str(path), line=row.line))
        return None
    try:
        prompt = template.render(row.fields, input_text=input_text(row.fields, FieldNames()) or "")
    except InputError as error:
        first = error.problems[0]
        problems.add(Problem(first.code, first.message, first.hint, str(path), row.line))
        return None
    return TrainingRow(prompt, target)


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
