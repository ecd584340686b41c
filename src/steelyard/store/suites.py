"""The folder of a suite: `suite.json`, and a run directory for each task."""

from __future__ import annotations

from pathlib import Path

import msgspec

from steelyard.errors import InputError, Problem
from steelyard.records.encoded import UNREADABLE
from steelyard.records.runs import SUITE_FILE
from steelyard.records.suites import SUITE_FORMAT, SuiteRecord
from steelyard.store.directories import refuse_newer
from steelyard.store.files import json_bytes, write_bytes
from steelyard.store.finding import find_named
from steelyard.store.lines import parsed
from steelyard.store.seals import is_as_written, sealed, text_digest


def write_suite(path: Path, record: SuiteRecord) -> None:
    """Write `suite.json`."""
    write_bytes(path / SUITE_FILE, json_bytes(sealed(msgspec.to_builtins(record))))


def find_suite(runs_dir: Path, name: str | Path) -> Path | None:
    """Return a suite's folder by its path or its name, or as `latest`; None where that is none."""
    try:
        found = find_named(runs_dir, name)
    except InputError:
        return None
    return found if (found / SUITE_FILE).is_file() else None


def read_suite(path: Path) -> SuiteRecord:
    """Return what `suite.json` says, which must be what was written."""
    file = path / SUITE_FILE
    try:
        content = file.read_bytes()
        record = msgspec.json.decode(content, type=SuiteRecord)
        whole = record.format_version < SUITE_FORMAT or is_as_written(content, parsed(content))
    except (OSError, *UNREADABLE) as error:
        raise _damaged(file, f"it cannot be read: {error}") from None
    refuse_newer(record.format_version, SUITE_FORMAT, file)
    if not whole:
        raise _damaged(file, "it is not what was written: its seal does not hold")
    return record


def suite_fingerprint(record: SuiteRecord) -> str:
    """Return the hash of what the runs of a suite were made from and answered."""
    return text_digest("\n".join(f"{entry.task} {entry.run_id} {entry.fingerprint}" for entry in record.tasks).encode())


def _damaged(file: Path, message: str) -> InputError:
    return InputError(Problem("run-damaged", message, hint="evaluate the suite again", file=str(file)))
