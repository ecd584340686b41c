"""Run directories: names, owners, life from `running` to `completed` (page 30)."""

from __future__ import annotations

import fcntl
import os
import platform
import re
import secrets
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, TypeVar

import msgspec

from steelyard.errors import InputError, MachineError, Problem, UsageError, quoted
from steelyard.records.runs import RESCORED_FILE, RUN_FILE, Rescored, RunRecord, RunStatus
from steelyard.store.files import json_bytes, machine_errors, write_bytes

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_RESERVED = {".", "..", "latest", "baseline"}
_OWNER_FILE = ".owner"

T = TypeVar("T")


def check_run_name(name: str) -> str:
    """Return a name that can be a run's, or raise a usage error.

    >>> check_run_name("nightly-2024.1")
    'nightly-2024.1'
    """
    if _NAME.fullmatch(name) and name not in _RESERVED:
        return name
    raise UsageError(
        Problem(
            code="run-name",
            message=f"{quoted(name)} cannot name a run",
            hint="use up to 100 letters, digits, `.`, `_` and `-`, starting with a letter or digit; "
            "`latest` and `baseline` are taken",
        )
    )


def new_run_id(now: datetime) -> str:
    """Return an id such as `run_20240131_120000_3fa2b1`."""
    return f"run_{now:%Y%m%d_%H%M%S}_{secrets.token_hex(3)}"


class RunDirectory:
    """A run directory that this process owns until it is completed or given up."""

    def __init__(self, path: Path, run_id: str, created_at: str, owner: IO[str]) -> None:
        self.path = path
        self.run_id = run_id
        self.created_at = created_at
        self.host = platform.node()
        self._owner = owner

    @classmethod
    def create(cls, runs_dir: Path, name: str | None) -> RunDirectory:
        """Make `runs_dir/name` (or a dated name) and own it; an existing one is refused, never overwritten."""
        now = datetime.now(UTC)
        run_id = new_run_id(now)
        path = runs_dir / (check_run_name(name) if name is not None else run_id)
        with machine_errors(path):
            _refuse_link(runs_dir)
            _refuse_link(path)
            runs_dir.mkdir(parents=True, exist_ok=True)
            try:
                path.mkdir()
            except FileExistsError:
                raise _exists(path) from None
            (path / "eval").mkdir()
            owner = _own(path)
        return cls(path, run_id, now.isoformat(timespec="seconds"), owner)

    @classmethod
    def reopen(cls, path: Path) -> RunDirectory:
        """Own an existing run's directory, to derive its `eval/` anew."""
        record = read_run(path)
        with machine_errors(path):
            owner = _own(path)
        return cls(path, record.run_id, record.created_at, owner)

    @classmethod
    def resume(cls, path: Path) -> RunDirectory:
        """Own a run that was begun and not finished, at whatever point it stopped; sweep what it left half-written."""
        with machine_errors(path):
            _refuse_link(path)
            owner = _own(path)
            (path / "eval").mkdir(exist_ok=True)
            for stray in (*path.glob(".*.????????"), *path.glob("eval/.*.????????")):
                stray.unlink()
        if not (path / RUN_FILE).is_file():
            now = datetime.now(UTC)
            return cls(path, new_run_id(now), now.isoformat(timespec="seconds"), owner)
        record = read_run(path)
        return cls(path, record.run_id, record.created_at, owner)

    def write_record(self, record: RunRecord) -> None:
        """Write `run.json`. With status `completed` this is the last write of the run."""
        write_bytes(self.path / RUN_FILE, json_bytes(msgspec.to_builtins(record)))

    def release(self) -> None:
        """Give up ownership."""
        (self.path / _OWNER_FILE).unlink(missing_ok=True)
        self._owner.close()

    def discard(self) -> None:
        """Remove a run that never began to count: its input was refused before anything was published."""
        self._owner.close()
        shutil.rmtree(self.path, ignore_errors=True)


def _exists(path: Path) -> UsageError:
    return UsageError(
        Problem(
            code="run-exists",
            message=f"there is already a run in {path.name!r}",
            hint="choose another --name, or remove the old run yourself; runs are never overwritten",
            file=str(path),
        )
    )


def _refuse_link(path: Path) -> None:
    if path.is_symlink():
        raise InputError(
            Problem(
                code="unsafe-path",
                message="a symbolic link stands where a run directory is to be written",
                hint="give the real folder",
                file=str(path),
            )
        )


def _own(path: Path) -> IO[str]:
    """Lock the run for this process; the lock ends with the process, however it ends."""
    file = path / _OWNER_FILE
    stream = file.open("a+", encoding="utf-8")
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        stream.seek(0)
        owner = stream.read().strip() or "another process"
        stream.close()
        raise MachineError(
            Problem(code="machine", message=f"the run is owned by {owner}", hint="wait for it", file=str(path))
        ) from None
    if not file.exists() or os.fstat(stream.fileno()).st_ino != file.stat().st_ino:
        # The owner before us removed the file between our opening and our locking it: what we hold is nobody's.
        stream.close()
        return _own(path)
    stream.truncate(0)
    stream.write(f"process {os.getpid()} on {platform.node()}\n")
    stream.flush()
    return stream


def now_text() -> str:
    """Return the time as run records write it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def read_run(path: Path, *, as_made: bool = False) -> RunRecord:
    """Return what a run says about itself, as it is judged today; a folder without a readable `run.json` is no run.

    `as_made` leaves out that the run was judged again.
    """
    record = _decoded(path / RUN_FILE, RunRecord)
    if as_made or not (path / RESCORED_FILE).is_file():
        return record
    rescored = _decoded(path / RESCORED_FILE, Rescored)
    return msgspec.structs.replace(record, **msgspec.structs.asdict(rescored))


def _decoded(file: Path, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(file.read_bytes(), type=kind)
    except FileNotFoundError:
        message, hint = f"there is no {file.name} here", "name a run by its directory, its name or its id"
    except (msgspec.DecodeError, OSError) as error:
        message, hint = f"{file.name} cannot be read: {error}", "the run is damaged: evaluate again"
    raise InputError(Problem(code="run-not-found", message=message, hint=hint, file=str(file)))


def list_runs(runs_dir: Path, *, status: RunStatus | None = None) -> list[tuple[Path, RunRecord]]:
    """Return every run below a folder, newest first; what is no run is left alone."""
    found = []
    for file in sorted(runs_dir.glob(f"*/{RUN_FILE}")):
        record = read_run(file.parent)
        if status is None or record.status == status:
            found.append((file.parent, record))
    return sorted(found, key=lambda pair: (pair[1].created_at, pair[1].run_id), reverse=True)


def find_run(runs_dir: Path, name: str) -> Path:
    """Return a run's directory by its path, its name, its id, or `latest` for the newest complete one."""
    if name == "latest":
        complete = list_runs(runs_dir, status="completed")
        if complete:
            return complete[0][0]
        raise InputError(Problem(code="run-not-found", message=f"no complete run in {runs_dir}"))
    for candidate in (Path(name), runs_dir / name):
        if (candidate / RUN_FILE).is_file():
            return candidate
    for path, record in list_runs(runs_dir):
        if name in (record.run_id, record.name):
            return path
    raise InputError(
        Problem(
            code="run-not-found",
            message=f"there is no run {quoted(name)} in {runs_dir}",
            hint="`steelyard runs list` shows the runs there are",
        )
    )
