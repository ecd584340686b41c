"""`.steelyard`, the folder beside the runs: baselines, verdicts, the count of runs, the SQLite index."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from steelyard.records.runs import SUITE_FILE
from steelyard.store.files import machine_errors

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
