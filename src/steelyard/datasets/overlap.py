"""Rows of a dataset that a model would be tested on after it was trained on them."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from steelyard.datasets.similarity import Overlap, count_overlap
from steelyard.datasets.survey import rows_of
from steelyard.reading.references import input_text, item_id, reference_field, value_of
from steelyard.reading.rows import Row
from steelyard.records.datasets import DatasetFile, Manifest
from steelyard.records.fields import FieldNames

TEST_SPLITS = ("test", "val", "gold")
"""Which split an evaluation takes, in this order."""


@dataclass(frozen=True, slots=True)
class OverlapReport:
    """Rows that a model would be tested on after it was trained on them."""

    reference: str
    train_rows: int
    test_rows: int
    overlaps: list[Overlap]

    def as_dict(self) -> dict[str, Any]:
        """Return the report as JSON."""
        exact = sum(entry.similarity == 1 for entry in self.overlaps)
        return {
            "dataset": self.reference,
            "train_rows": self.train_rows,
            "test_rows": self.test_rows,
            "exact": exact,
            "near": len(self.overlaps) - exact,
            "overlaps": [entry.as_dict() for entry in self.overlaps],
        }


def with_overlap(folder: Path, manifest: Manifest) -> Manifest:
    """Return a manifest that says how far what is tested on overlaps with what is trained on."""
    if manifest.overlap is not None:
        return manifest
    found = count_overlap(texts_of(folder, manifest, ("train",)), texts_of(folder, manifest, TEST_SPLITS))
    return msgspec.structs.replace(manifest, overlap=found)


def tell_overlap(manifest: Manifest) -> None:
    """Warn of rows to test on that are trained on, or of near ones that were not looked for."""
    if manifest.overlap is not None and (manifest.overlap or manifest.overlap.near is None):
        is_kept = manifest.version.startswith("v")
        name = manifest.reference if is_kept else manifest.dataset_id
        listed = f"steelyard dataset check {name}" if is_kept else "steelyard dataset add` and `steelyard dataset check"
        warnings.warn(f"{name}: {manifest.overlap.told}; `{listed}` lists them", stacklevel=2)


def texts_of(folder: Path, manifest: Manifest, splits: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return what the rows of some splits ask, each with its place."""
    files = [entry for entry in manifest.files if entry.split in splits]
    return [(_place(entry, row), _text(row)) for entry, row in rows_of(folder, files)]


def _place(entry: DatasetFile, row: Row) -> str:
    return f"{entry.path}:{item_id(row.fields, FieldNames()) or row.line}"


def _text(row: Row) -> str:
    """Return what a row asks; rows that ask the same and expect something else are the same question."""
    found = input_text(row.fields, FieldNames())
    if found:
        return found
    named = reference_field(row.fields, FieldNames())
    return str(value_of(row.fields, named)) if named else ""
