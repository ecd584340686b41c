"""What a version of a dataset says about itself in its `manifest.json`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias, TypedDict

import msgspec

from steelyard.errors import Problem

DATASET_FORMAT = 1
"""Manifests of earlier versions have no number, and are of this format."""


class DatasetFile(msgspec.Struct, frozen=True):
    """One file of a dataset."""

    path: str
    split: str
    num_rows: int
    sha256: str


class OverlapCounts(msgspec.Struct, frozen=True):
    """How many rows that are tested on stand, exactly or nearly, among those that are trained on."""

    train_rows: int
    test_rows: int
    exact: int
    near: int | None
    """Null where there are too many rows to look for near ones at once."""
    examples: tuple[tuple[str, str], ...] = ()
    """The first pairs: a row that is tested on, and the one that it is like."""

    def __bool__(self) -> bool:
        """Whether there is any overlap."""
        return bool(self.exact or self.near)

    @property
    def told(self) -> str:
        """The counts as a sentence."""
        near = "near ones were not looked for" if self.near is None else f"{self.near:,} nearly"
        rows = f"of {self.test_rows:,} rows to test on {self.exact:,} stand exactly"
        return f"{rows} among {self.train_rows:,} rows to train on, {near}"


class Manifest(msgspec.Struct, frozen=True):
    """An immutable version of a dataset, known by its content."""

    dataset_id: str
    version: str
    format: str
    task: str
    """`sft` and `classification` as seed 001 has them, else `evaluation`."""
    num_rows: int
    content_hash: str
    created_at: str
    files: tuple[DatasetFile, ...]
    tag_keys: tuple[str, ...]
    tag_schema: dict[str, list[str]]
    """The values that each tag takes."""
    tag_distribution: dict[str, dict[str, int]]
    """How many rows have each value."""
    format_version: int = DATASET_FORMAT
    overlap: OverlapCounts | None = None
    """Null where there are not both rows to train on and rows to test on, and in versions added before it was told."""

    @property
    def reference(self) -> str:
        """How the version is named wherever a data path is asked for."""
        return f"{self.dataset_id}@{self.version}"

    def as_dict(self) -> dict[str, Any]:
        """Return the content of `manifest.json`."""
        found: dict[str, Any] = msgspec.to_builtins(self)
        if self.overlap is None:
            del found["overlap"]
        else:
            found["overlap"]["examples"] = [list(pair) for pair in self.overlap.examples]
        return found | {"files": list(found["files"]), "tag_keys": list(found["tag_keys"])}


# What is known about an eval set after it was checked: its errors, its warnings and what it is made of.


class Share(TypedDict):
    """How many items have a value, and how many percent of all items that is."""

    n: int
    percent: float


Composition: TypeAlias = dict[str, dict[str, Share]]
"""For each of section, category and difficulty: the share of every value; items without one are `_untagged`."""


@dataclass(frozen=True, slots=True)
class EvalsetReport:
    """One eval set, checked."""

    path: str
    n_items: int
    """Rows that are JSON objects, whether or not their fields hold to the rules."""
    errors: list[Problem]
    """The first twenty."""
    total_errors: int
    warnings: list[Problem]
    """The first twenty."""
    total_warnings: int
    composition: Composition

    @property
    def valid(self) -> bool:
        """Whether there are no errors; warnings leave a set valid."""
        return self.total_errors == 0

    def as_dict(self) -> dict[str, Any]:
        """Return the report as the JSON object that `steelyard validate --json` prints."""
        return {
            "path": self.path,
            "valid": self.valid,
            "n_items": self.n_items,
            "errors": [problem.as_dict() for problem in self.errors],
            "total_errors": self.total_errors,
            "warnings": [problem.as_dict() for problem in self.warnings],
            "total_warnings": self.total_warnings,
            "composition": self.composition,
        }
