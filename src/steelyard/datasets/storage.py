"""Versions of datasets on disk: `.steelyard/datasets/<name>/v1/`, whole or not there, and never changed.

Earlier versions kept them in `datasets`, which beside people's code hid a package of that name. They are read there
still, and nothing is written there any more.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from steelyard.errors import InputError, Problem, UsageError, quoted
from steelyard.records.datasets import Manifest
from steelyard.records.runs import MANIFEST_FILE
from steelyard.store.counting import FOLDER
from steelyard.store.files import json_bytes, machine_errors, sync_folder, write_bytes

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_VERSION = re.compile(r"v([1-9][0-9]*)")


def dataset_roots() -> tuple[Path, ...]:
    """Return where versions are kept, the place for new ones first.

    That is `STEELYARD_DATASETS_DIR`, else `.steelyard/datasets` and the older `datasets` in the working directory.
    """
    given = os.environ.get("STEELYARD_DATASETS_DIR")
    return (Path(given),) if given else (Path(FOLDER) / "datasets", Path("datasets"))


def check_dataset_name(name: str) -> str:
    """Return a name that can be a dataset's."""
    if _NAME.fullmatch(name):
        return name
    hint = "use up to 100 letters, digits, `.`, `_` and `-`, starting with a letter or digit"
    raise UsageError(Problem("usage", f"{quoted(name)} cannot name a dataset", hint=hint))


def dataset_names() -> list[str]:
    """Return the names of all datasets."""
    folders = [path for root in dataset_roots() for path in root.glob("*") if path.is_dir()]
    return sorted({path.name for path in folders if version_folders(path.name)})


def version_folders(name: str) -> list[Path]:
    """Return the folders of a dataset's versions, oldest first; a folder without a manifest is none of ours."""
    found: dict[str, Path] = {}
    for root in dataset_roots():
        for path in (root / name).glob("v*"):
            if _VERSION.fullmatch(path.name) and (path / MANIFEST_FILE).is_file():
                found.setdefault(path.name, path)
    return sorted(found.values(), key=lambda path: int(path.name[1:]))


def not_found(reference: str) -> InputError:
    """Return the error of a reference that names nothing here."""
    known = ", ".join(dataset_names()) or "none"
    message = f"there is no dataset {quoted(reference)} in {dataset_roots()[0]}; there are: {known}"
    return InputError(Problem("dataset-not-found", message, hint="`steelyard dataset list` shows what there is"))


def now_text() -> str:
    """Return the time as manifests write it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def write_version(root: Path, base: Path, paths: Iterable[Path], manifest: Manifest) -> Path:
    """Copy files into a version's folder, which appears whole; return it."""
    target = root / manifest.dataset_id / manifest.version
    with machine_errors(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        aside = target.parent / f".adding-{secrets.token_hex(4)}"
        aside.mkdir()
        try:
            for path in paths:
                copy = aside / path.relative_to(base)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, copy)
                copy.chmod(stat.S_IMODE(copy.stat().st_mode) & 0o444)
            write_bytes(aside / MANIFEST_FILE, json_bytes(manifest.as_dict()))
            aside.rename(target)
            sync_folder(target.parent)
        except BaseException:
            shutil.rmtree(aside, ignore_errors=True)
            raise
    return target
