"""The count of runs: every run takes the next number of its folder when it is started, under the folder's lock.

`.steelyard/started.jsonl` has a line for each start and is never shortened, so removing runs gives no number twice. It
is the authority on which run was started last; runs keep their number in `run.json`, so that a line that is lost or
damaged here is noticed, and a file that is lost is made again from the runs.

Before it the folder's own files and its lock.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

import msgspec

from steelyard.records.encoded import UNREADABLE, is_utf8
from steelyard.records.runs import RUN_FILE, SUITE_FILE, StartedAs
from steelyard.store.files import append_line, json_line, line_object, machine_errors, parsed, read_objects
from steelyard.store.seals import is_sealed, sealed

# `.steelyard`, the folder beside the runs: baselines, verdicts, the count of runs, the SQLite index.


FOLDER = ".steelyard"
LOCK_FILE = ".lock"


def counting_folder(runs_dir: Path) -> Path:
    """Return the folder of runs that a run belongs to: the runs of a suite belong to the one that the suite is in."""
    return runs_dir.parent if (runs_dir / SUITE_FILE).is_file() else runs_dir


@contextmanager
def locked(runs_dir: Path) -> Iterator[Path]:
    """Own the folder beside the runs for a moment; several processes wait for each other."""
    folder = runs_dir / FOLDER
    with machine_errors(folder), _lock(folder):
        yield folder


def _lock(folder: Path) -> IO[str]:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / LOCK_FILE
    try:
        stream = file.open("a")
    except FileNotFoundError:
        return _lock(folder)
    fcntl.flock(stream, fcntl.LOCK_EX)
    if not file.exists() or os.fstat(stream.fileno()).st_ino != file.stat().st_ino:
        # The folder was removed, empty, between our opening the file and our locking it: what we hold is nobody's.
        stream.close()
        return _lock(folder)
    return stream


def is_writable(runs_dir: Path) -> bool:
    """Return whether the folder beside the runs, and what stands in it, may be written to by this process."""
    folder = runs_dir / FOLDER
    if not folder.exists():
        return os.access(runs_dir, os.W_OK | os.X_OK)
    return os.access(folder, os.W_OK | os.X_OK) and all(os.access(entry, os.W_OK) for entry in folder.iterdir())


def remove_empty(folder: Path) -> None:
    """Remove a folder beside the runs that holds nothing but its lock, which the caller has."""
    if [entry.name for entry in folder.iterdir()] == [LOCK_FILE]:
        (folder / LOCK_FILE).unlink()
        folder.rmdir()


STARTED_FILE = "started.jsonl"


@dataclass(frozen=True, slots=True)
class Start:
    """One run, or suite, that was started in a folder."""

    sequence: int
    path: str
    """The directory, relative to the folder."""
    run_id: str
    task: str
    started_as: StartedAs


def count_start(runs_dir: Path, path: Path, run_id: str, *, task: str, started_as: StartedAs) -> tuple[int, StartedAs]:
    """Give a run the next number of its folder; return it, and as what the run counts."""
    folder = counting_folder(runs_dir)
    if folder != runs_dir and started_as == "run":
        started_as = "member"
    with locked(folder) as place:
        file = place / STARTED_FILE
        found = [_start(content) for _, content in read_objects(file)]
        known = [entry.sequence for entry in found if entry is not None]
        whole = bool(known) and None not in found
        last = max([0, *known] if whole else [0, *known, _highest(folder)])
        entry = Start(last + 1, str(path.relative_to(folder)), run_id, task, started_as)
        append_line(file, json_line(sealed(asdict(entry))))
    return entry.sequence, started_as


def forget_start(runs_dir: Path, path: Path, sequence: int) -> None:
    """Take back the number of a run that never began to count, so that refused input leaves nothing behind."""
    folder = counting_folder(runs_dir)
    with locked(folder) as place:
        file = place / STARTED_FILE
        *before, last = file.read_bytes().splitlines(keepends=True) or [b""]
        found = _start(line_object(last))
        if found is not None and (found.sequence, found.path) == (sequence, str(path.relative_to(folder))):
            os.truncate(file, sum(map(len, before)))
        if not file.stat().st_size:
            file.unlink()
        remove_empty(place)


def read_starts(runs_dir: Path) -> list[Start]:
    """Return every start that is whole, in the order of the file; what is damaged is passed over."""
    found = (_start(content) for _, content in read_objects(runs_dir / FOLDER / STARTED_FILE))
    return [entry for entry in found if entry is not None]


def _start(content: dict[str, Any] | None) -> Start | None:
    if content is None or not is_sealed(content):
        return None
    try:
        return msgspec.convert(content, Start)
    except UNREADABLE:
        return None


def _highest(runs_dir: Path) -> int:
    """Return the highest number that the runs of a folder keep, for a folder whose count is lost."""
    return max((sequence for _, content in kept_records(runs_dir) if (sequence := _number(content))), default=0)


def kept_records(runs_dir: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the path of every run and suite below a folder with what its record holds; empty where it is unreadable."""
    for name in (RUN_FILE, SUITE_FILE, f"*/{RUN_FILE}"):
        for file in sorted(runs_dir.glob(f"[!.]*/{name}")):
            if not is_utf8(str(file)):
                continue
            yield str(file.parent.relative_to(runs_dir)), read_record(file)


def read_record(file: Path) -> dict[str, Any]:
    """Return what a `run.json` or `suite.json` holds, whatever its format; empty where it cannot be read."""
    try:
        found = parsed(file.read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _number(content: dict[str, Any]) -> int:
    found = content.get("sequence")
    return found if isinstance(found, int) else 0
