"""What a data path means: a plain file, a version of a dataset by `name@v2`, a set that ships; and its manifest."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from steelyard.datasets.shipped import is_shipped, shipped_file
from steelyard.datasets.storage import dataset_roots
from steelyard.reading.ids import sha256_file
from steelyard.records.datasets import Manifest
from steelyard.records.encoded import refuse_not_utf8
from steelyard.records.runs import MANIFEST_FILE

REFERENCE = re.compile(
    r"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]{0,99})@(?P<version>v[1-9][0-9]*|sha256:[0-9a-f]{6,64})(?:#(?P<split>[\w-]+))?"
)


def is_reference(text: str) -> bool:
    """Return whether a text names a version of a dataset, or a set that ships, and not a path."""
    return is_shipped(text) or (REFERENCE.fullmatch(text) is not None and not Path(text).exists())


def data_path(text: str, base: Path | None = None) -> Path:
    """Return the file behind a data path or a reference; relative paths are relative to `base`."""
    if is_shipped(text):
        return shipped_file(text)
    refuse_not_utf8(text, "the path")
    if is_reference(text):
        named = REFERENCE.fullmatch(text)
        assert named is not None
        from steelyard.datasets.versions import find_version  # noqa: PLC0415 - most data is a plain file

        return find_version(text).file(named["split"])
    return (base or Path()) / text


def stored_manifest(path: Path) -> Manifest | None:
    """Return the manifest of the version that a file belongs to, where it belongs to one."""
    for root in (root.resolve() for root in dataset_roots()):
        if path.resolve().is_relative_to(root) and len(parts := path.resolve().relative_to(root).parts) > 1:
            folder = root / parts[0] / parts[1]
            if (folder / MANIFEST_FILE).is_file():
                from steelyard.datasets.survey import read_manifest  # noqa: PLC0415 - as above

                return read_manifest(folder)
    return None


def plain_manifest(path: Path, n_rows: int, content: str | None = None) -> dict[str, Any]:
    """Return the manifest of a file that is no version of a dataset; its hash may be known already."""
    content = content or sha256_file(path)
    return {
        "dataset_id": path.name.split(".", maxsplit=1)[0],
        "version": content,
        "format": path.suffix.lstrip("."),
        "num_rows": n_rows,
        "content_hash": content,
        "files": [{"path": path.name, "split": "test", "num_rows": n_rows, "sha256": content}],
    }
