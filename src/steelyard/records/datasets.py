"""What a version of a dataset says about itself in its `manifest.json`."""

from __future__ import annotations

from typing import Any

import msgspec


class DatasetFile(msgspec.Struct, frozen=True):
    """One file of a dataset."""

    path: str
    split: str
    num_rows: int
    sha256: str


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

    @property
    def reference(self) -> str:
        """How the version is named wherever a data path is asked for."""
        return f"{self.dataset_id}@{self.version}"

    def as_dict(self) -> dict[str, Any]:
        """Return the content of `manifest.json`."""
        found: dict[str, Any] = msgspec.to_builtins(self)
        return found | {"files": list(found["files"]), "tag_keys": list(found["tag_keys"])}
