"""Run directories: names, numbers, life from `running` to `completed` (page 30)."""

from __future__ import annotations

import platform
import re
import secrets
import shutil
import warnings
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from steelyard.errors import InputError, Problem, UsageError, quoted
from steelyard.records.encoded import UNREADABLE, refuse_not_utf8
from steelyard.records.runs import (
    FINISHED,
    OWNER_FILE,
    RESCORED_FILE,
    RUN_FILE,
    RUN_FORMAT,
    SUITE_FILE,
    Rescored,
    RunRecord,
    RunStatus,
    StartedAs,
    of_today,
)
from steelyard.store.counting import count_start, forget_start
from steelyard.store.files import json_bytes, machine_errors, write_bytes
from steelyard.store.finding import find_named
from steelyard.store.owners import Owner, Standing, standing
from steelyard.store.seals import sealed

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_RESERVED = {".", "..", "latest", "baseline"}

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

    def __init__(self, path: Path, run_id: str, created_at: str, owner: Owner) -> None:
        self.path = path
        self.run_id = run_id
        self.created_at = created_at
        self.host = platform.node()
        self.sequence: int | None = None
        self.started_as: StartedAs = "run"
        self._owner = owner

    @classmethod
    def create(
        cls,
        runs_dir: Path,
        name: str | None,
        *,
        task: str = "",
        started_as: StartedAs = "run",
        replaces: Callable[[Path], bool] | None = None,
    ) -> RunDirectory:
        """Make `runs_dir/name` (or a dated name), own it and give it the folder's next number.

        An existing run is refused, never overwritten, but for one that died and that `replaces` says is this one.
        """
        now = datetime.now(UTC)
        run_id = new_run_id(now)
        refuse_not_utf8(runs_dir.absolute(), "the folder of runs")
        path = runs_dir / (check_run_name(name) if name is not None else run_id)
        with machine_errors(path):
            _refuse_link(runs_dir)
            _refuse_link(path)
            runs_dir.mkdir(parents=True, exist_ok=True)
            owner = _made(path) or _emptied(path, replaces)
            (path / "eval").mkdir()
        found = cls(path, run_id, now.isoformat(timespec="seconds"), owner)
        found.sequence, found.started_as = count_start(runs_dir, path, run_id, task=task, started_as=started_as)
        return found

    @classmethod
    def reopen(cls, path: Path) -> RunDirectory:
        """Own an existing run's directory, to derive its `eval/` anew."""
        record = read_run(path)
        with machine_errors(path):
            return cls._of(path, record, Owner(path))

    @classmethod
    def resume(cls, path: Path, *, task: str = "", started_as: StartedAs = "run") -> RunDirectory:
        """Own a run that was begun and not finished, at whatever point it stopped; sweep what it left half-written."""
        with machine_errors(path):
            _refuse_link(path)
            owner = Owner(path)
            (path / "eval").mkdir(exist_ok=True)
            for stray in (*path.glob(".*.????????"), *path.glob("eval/.*.????????")):
                stray.unlink()
        if (path / RUN_FILE).is_file():
            return cls._of(path, read_run(path), owner)
        now = datetime.now(UTC)
        found = cls(path, new_run_id(now), now.isoformat(timespec="seconds"), owner)
        found.sequence, found.started_as = count_start(
            path.parent, path, found.run_id, task=task, started_as=started_as
        )
        return found

    @classmethod
    def _of(cls, path: Path, record: RunRecord, owner: Owner) -> RunDirectory:
        found = cls(path, record.run_id, record.created_at, owner)
        found.sequence, found.started_as = record.sequence, record.started_as
        return found

    def write_record(self, record: RunRecord) -> None:
        """Write `run.json` with the run's number. With status `completed` this is the last write of the run."""
        numbered = msgspec.structs.replace(record, sequence=self.sequence, started_as=self.started_as)
        write_bytes(self.path / RUN_FILE, json_bytes(sealed(msgspec.to_builtins(numbered))))

    def release(self) -> None:
        """Give up ownership."""
        self._owner.release()

    def discard(self) -> None:
        """Remove a run that never began to count: its input was refused before anything was published."""
        self._owner.close()
        shutil.rmtree(self.path, ignore_errors=True)
        if self.sequence is not None:
            forget_start(self.path.parent, self.path, self.sequence)


def _made(path: Path) -> Owner | None:
    """Make and own a run's directory; None where there is one."""
    try:
        path.mkdir()
    except FileExistsError:
        return None
    return Owner(path)


def _emptied(path: Path, replaces: Callable[[Path], bool] | None) -> Owner:
    """Own a dead run's directory, emptied, where it may be replaced."""
    if replaces is None or not _died(path) or not replaces(path):
        raise _exists(path)
    owner = Owner(path)
    if (path / RUN_FILE).is_file() and read_run(path).status in FINISHED:
        # Another process began it again, and ended it, between our looking and our owning it.
        owner.release()
        raise _exists(path)
    for entry in path.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        elif entry.name != OWNER_FILE:
            entry.unlink()
    return owner


def _died(path: Path) -> bool:
    """Return whether a run's process ended before the run did; a folder with anything else in it is none of ours.

    One that died before it could own its folder left it empty, and one that found no room for its first file left an
    empty folder in it.
    """
    if (path / RUN_FILE).is_file():
        return run_standing(path, read_run(path)) == "crashed"
    names = {entry.name for entry in path.iterdir()}
    ours = all(name in (OWNER_FILE, "eval") or name.startswith(f".{RUN_FILE}.") for name in names)
    is_empty = names <= {"eval"} and not any((path / "eval").glob("*"))
    return ours and (is_empty or OWNER_FILE in names) and standing(path, "running") == "crashed"


def run_standing(path: Path, record: RunRecord) -> Standing:
    """Return how a run stands today."""
    return standing(path, record.status)


def _exists(path: Path) -> UsageError:
    return UsageError(
        Problem(
            code="run-exists",
            message=f"there is already a run in {path.name!r}",
            hint="choose another --name, or remove the old run yourself; runs are never overwritten, "
            "and --resume goes on with one that was stopped",
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


def now_text() -> str:
    """Return the time as run records write it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def read_run(path: Path, *, as_made: bool = False) -> RunRecord:
    """Return what a run says about itself, as it is judged today; a folder without a readable `run.json` is no run.

    `as_made` leaves out that the run was judged again.
    """
    record = _decoded(path / RUN_FILE, RunRecord, of_today)
    refuse_newer(record.format_version, RUN_FORMAT, path / RUN_FILE)
    if as_made or not (path / RESCORED_FILE).is_file():
        return record
    rescored = _decoded(path / RESCORED_FILE, Rescored)
    return msgspec.structs.replace(record, **standing_fields(rescored))


def standing_fields(rescored: Rescored) -> dict[str, Any]:
    """Return the fields of a run's record that hold since it was judged again."""
    found = msgspec.structs.asdict(rescored)
    return {name: value for name, value in found.items() if name not in ("items", "config")}


def find_run(runs_dir: Path, name: str | Path) -> Path:
    """Return a run's directory by its path, its name, its id, or as `latest` or `latest@TASK`."""
    found = find_named(runs_dir, name)
    if (found / SUITE_FILE).is_file() and not (found / RUN_FILE).is_file():
        message = f"{found.name} is a suite, expected one run"
        raise UsageError(Problem("not-for-this-kind", message, hint=f"name one of its runs: {found.name}/TASK"))
    return found


def refuse_newer(found: int, known: int, file: Path) -> None:
    """Refuse a file of a format that a later version writes."""
    if found > known:
        message = f"{file.name} has format {found}, and this version reads up to {known}"
        hint = "a newer Steelyard wrote it: use that version, or a newer one"
        raise InputError(Problem("newer-format", message, hint=hint, file=str(file)))


def _decoded(file: Path, kind: type[T], brought_up: Callable[[dict[str, Any]], dict[str, Any]] | None = None) -> T:
    """Return what a JSON file holds; `brought_up` puts what an older version wrote into today's words."""
    try:
        content = file.read_bytes()
        if brought_up is None:
            return msgspec.json.decode(content, type=kind)
        return msgspec.convert(brought_up(msgspec.json.decode(content, type=dict[str, Any])), kind)
    except FileNotFoundError:
        message = f"there is no {file.name} here"
        hint = "name a run by its directory, its name or its id; the command that made a run which died begins it again"
        raise InputError(Problem("run-not-found", message, hint=hint, file=str(file))) from None
    except (OSError, *UNREADABLE) as error:
        message = f"{file.name} cannot be read: {error}"
        hint = "bring the file back as it was, or evaluate again under another name"
        raise InputError(Problem("run-damaged", message, hint=hint, file=str(file))) from None


def list_runs(runs_dir: Path, *, status: RunStatus | None = None) -> list[tuple[Path, RunRecord]]:
    """Return every run below a folder, newest first; what is no run is left alone."""
    found = []
    for file in sorted(runs_dir.glob(f"*/{RUN_FILE}")):
        try:
            record = read_run(file.parent)
        except InputError as error:
            warnings.warn(f"{file.parent.name} is passed over: {error.problems[0].in_one_line}", stacklevel=2)
            continue
        if status is None or record.status == status:
            found.append((file.parent, record))
    return sorted(found, key=_age, reverse=True)


def _age(pair: tuple[Path, RunRecord]) -> tuple[int, str, str]:
    record = pair[1]
    return record.sequence or 0, record.created_at, record.run_id
