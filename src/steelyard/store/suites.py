"""The folder of a suite: `suite.json`, and a run directory for each task."""

from __future__ import annotations

from pathlib import Path

import msgspec

from steelyard.errors import InputError, Problem
from steelyard.records.runs import SUITE_FILE
from steelyard.records.suites import SuiteRecord
from steelyard.store.files import json_bytes, write_bytes


def write_suite(path: Path, record: SuiteRecord) -> None:
    """Write `suite.json`."""
    write_bytes(path / SUITE_FILE, json_bytes(msgspec.to_builtins(record)))


def find_suite(runs_dir: Path, name: str) -> Path | None:
    """Return a suite's folder by its path or its name, or None."""
    for candidate in (Path(name), runs_dir / name):
        if (candidate / SUITE_FILE).is_file():
            return candidate
    return None


def read_suite(path: Path) -> SuiteRecord:
    """Return what `suite.json` says."""
    file = path / SUITE_FILE
    try:
        return msgspec.json.decode(file.read_bytes(), type=SuiteRecord)
    except (OSError, msgspec.DecodeError) as error:
        hint = "evaluate the suite again"
        raise InputError(Problem("run-damaged", f"it cannot be read: {error}", hint=hint, file=str(file))) from None
