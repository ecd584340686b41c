"""The rows of a training and the file that it is evaluated on, from a version of a dataset or from plain files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steelyard.datasets.overlap import TEST_SPLITS, tell_overlap, with_overlap
from steelyard.datasets.survey import survey
from steelyard.datasets.versions import Version, manifest_from_survey
from steelyard.errors import InputError, Problem, Problems, excerpt
from steelyard.models.prompts import PromptTemplate
from steelyard.reading.references import input_text
from steelyard.reading.rows import Row, read_rows
from steelyard.records.datasets import Manifest
from steelyard.records.fields import FieldNames
from steelyard.records.training import TrainingRow, TrainingTask

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
