"""The folder of a suite: `suite.json`, and a run directory for each task.

Beside it the verdicts that a folder keeps.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from steelyard.errors import InputError, Problem
from steelyard.records.encoded import UNREADABLE
from steelyard.records.runs import SUITE_FILE, SUITE_FORMAT, SuiteRecord
from steelyard.secrets import redacted
from steelyard.store.counting import FOLDER, is_writable, locked
from steelyard.store.directories import now_text, refuse_newer
from steelyard.store.files import append_line, json_bytes, json_line, parsed, pass_over, read_objects, write_bytes
from steelyard.store.finding import find_named
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


# The journal of gate verdicts beside the runs; the run index repeats it.


VERDICTS_FILE = "verdicts.jsonl"
VERDICTS_FORMAT = 1
"""Lines of earlier versions have no number, and are of this format."""


class StoredVerdict(msgspec.Struct, frozen=True):
    """One line of the journal: which run was given which verdict, by what, against what."""

    run: str
    task: str
    baseline: str | None
    policy: str
    verdict: str
    line: str
    decided_at: str


def add_verdict(runs_dir: Path, verdict: Mapping[str, Any]) -> None:
    """Add one line to the journal of verdicts; in a folder that may only be read, the verdict holds without."""
    if not is_writable(runs_dir):
        message = "the folder may not be written to, so the verdict is not kept beside the runs"
        file = str(runs_dir / FOLDER / VERDICTS_FILE)
        warnings.warn(Problem("machine", message, hint="", file=file).in_one_line, stacklevel=2)
        return
    with locked(runs_dir) as folder:
        entry = {"format_version": VERDICTS_FORMAT, **verdict, "decided_at": now_text()}
        append_line(folder / VERDICTS_FILE, json_line(redacted(entry)))


def list_verdicts(runs_dir: Path) -> list[dict[str, Any]]:
    """Return every verdict in the order in which they were given; a damaged line is told and passed over."""
    return [verdict for _, verdict in numbered_verdicts(runs_dir)]


def numbered_verdicts(runs_dir: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield every verdict with the number of its line, counted from 0."""
    file = runs_dir / FOLDER / VERDICTS_FILE
    for number, content in read_objects(file):
        version = (content or {}).get("format_version", VERDICTS_FORMAT)
        if isinstance(version, int) and version > VERDICTS_FORMAT:
            message = f"a verdict of format {version} is passed over: this version reads up to {VERDICTS_FORMAT}"
            pass_over(file, number, message, "a newer Steelyard wrote it: use that version, or a newer one")
            continue
        try:
            found = msgspec.convert(content, StoredVerdict)
        except UNREADABLE:
            message = "the line is no verdict, and is passed over"
            pass_over(file, number, message, "remove the line; what it said is lost, and `steelyard gate` decides anew")
            continue
        yield number - 1, msgspec.structs.asdict(found)
