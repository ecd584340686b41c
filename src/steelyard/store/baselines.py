"""Baselines: names that point to runs, kept in one file beside the runs, and the journal of gate verdicts.

The files are the truth; the run index repeats them. A baseline moves only when it is set.
"""

from __future__ import annotations

import fcntl
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from steelyard.errors import InputError, Problem, quoted
from steelyard.store.directories import check_run_name, now_text
from steelyard.store.files import json_bytes, json_line, machine_errors, write_bytes

FOLDER = ".steelyard"
"""Beside the runs: baselines, verdicts and the SQLite index."""
DATABASE_VARIABLE = "STEELYARD_DATABASE_URL"
"""Names a team's database for the run index, instead of SQLite beside the runs."""
BASELINES_FILE = "baselines.json"
VERDICTS_FILE = "verdicts.jsonl"


@dataclass(frozen=True, slots=True)
class Baseline:
    """A name that points to a run."""

    name: str
    path: str
    """The run's directory, relative to the runs where it is among them."""
    run_id: str
    set_at: str


def set_baseline(runs_dir: Path, name: str, path: Path, run_id: str) -> Baseline:
    """Point a name at a run."""
    check_run_name(name)
    with _locked(runs_dir) as folder:
        known = _read(folder)
        found = Baseline(name, _relative(runs_dir, path), run_id, now_text())
        known[name] = asdict(found)
        write_bytes(folder / BASELINES_FILE, json_bytes(dict(sorted(known.items()))))
    return found


def list_baselines(runs_dir: Path) -> list[Baseline]:
    """Return every baseline in order of name."""
    return [Baseline(**entry) for entry in _read(runs_dir / FOLDER).values()]


def find_baseline(runs_dir: Path, name: str) -> Baseline | None:
    """Return a baseline by its name, or None."""
    entry = _read(runs_dir / FOLDER).get(name)
    return None if entry is None else Baseline(**entry)


def show_baseline(runs_dir: Path, name: str) -> Baseline:
    """Return a baseline by its name, or raise."""
    found = find_baseline(runs_dir, name)
    if found is not None:
        return found
    known = ", ".join(entry.name for entry in list_baselines(runs_dir)) or "none"
    message = f"there is no baseline {quoted(name)}; there are {known}"
    raise InputError(Problem("no-baseline", message, hint="`steelyard baseline set NAME RUN` makes one"))


def baseline_path(runs_dir: Path, baseline: Baseline) -> Path:
    """Return the directory that a baseline points to."""
    path = Path(baseline.path)
    return path if path.is_absolute() else runs_dir / path


def add_verdict(runs_dir: Path, verdict: Mapping[str, Any]) -> None:
    """Add one line to the journal of verdicts."""
    with _locked(runs_dir) as folder, (folder / VERDICTS_FILE).open("ab") as stream:
        stream.write(json_line({**verdict, "decided_at": now_text()}))


def list_verdicts(runs_dir: Path) -> list[dict[str, Any]]:
    """Return every verdict in the order in which they were given; a line cut by a crash is left out."""
    file = runs_dir / FOLDER / VERDICTS_FILE
    if not file.is_file():
        return []
    lines = file.read_bytes().split(b"\n")[:-1]
    return [json.loads(line) for line in lines if line]


def _relative(runs_dir: Path, path: Path) -> str:
    try:
        return str(path.resolve().relative_to(runs_dir.resolve()))
    except ValueError:
        return str(path.resolve())


def _read(folder: Path) -> dict[str, Any]:
    file = folder / BASELINES_FILE
    if not file.is_file():
        return {}
    try:
        found: dict[str, Any] = json.loads(file.read_bytes())
    except (OSError, ValueError) as error:
        message = f"the baselines cannot be read: {error}"
        raise InputError(Problem("run-damaged", message, hint="set them again", file=str(file))) from None
    return found


@contextmanager
def _locked(runs_dir: Path) -> Iterator[Path]:
    """Own the folder beside the runs for a moment; several processes wait for each other."""
    folder = runs_dir / FOLDER
    with machine_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / ".lock").open("a") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX)
            yield folder
