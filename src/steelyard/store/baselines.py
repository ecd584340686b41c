"""Baselines: names that point to runs, and the journal of gate verdicts; the run index repeats both.

`baselines.json` says where each name points, `moves.jsonl` how it came there: who moved it, when, from where. Each has
seals, and a name on which the two disagree points nowhere until it is set again, so that no one file can be changed,
exchanged or lost to hold runs against another baseline.
"""

from __future__ import annotations

import getpass
import json
import os
import platform
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from steelyard.errors import InputError, Problem, UsageError, quoted
from steelyard.store.counting import append_line
from steelyard.store.directories import check_run_name, now_text, refuse_newer
from steelyard.store.files import json_bytes, json_line, write_bytes
from steelyard.store.folder import FOLDER, counting_folder, locked
from steelyard.store.seals import is_sealed, sealed

DATABASE_VARIABLE = "STEELYARD_DATABASE_URL"
"""Names a team's database for the run index, instead of SQLite beside the runs."""
BASELINES_FILE = "baselines.json"
BASELINES_FORMAT = 2
"""1 was a plain object of names, without hashes or history; it is still read."""
MOVES_FILE = "moves.jsonl"
VERDICTS_FILE = "verdicts.jsonl"


@dataclass(frozen=True, slots=True)
class Baseline:
    """A name that points to a run."""

    name: str
    path: str
    """The run's directory, relative to the runs where it is among them."""
    run_id: str
    set_at: str
    fingerprint: str | None = None
    """The hash of what the run was made from and answered; null in baselines of format 1."""
    set_by: str | None = None


@dataclass(frozen=True, slots=True)
class Move:
    """One time that a baseline was set: where it pointed before, and where it points since."""

    before: Baseline | None
    after: Baseline


def set_baseline(runs_dir: Path, name: str, path: Path, run_id: str, fingerprint: str | None) -> Baseline:
    """Point a name at a run, and record the move before it holds."""
    check_run_name(name)
    with locked(runs_dir) as folder:
        known = _known_for_setting(folder)
        found = Baseline(name, _relative(runs_dir, path), run_id, now_text(), fingerprint, _who())
        before = known.get(name)
        move = {"name": name, "from": None if before is None else asdict(before), "to": asdict(found)}
        append_line(folder / MOVES_FILE, json_line(sealed(move)))
        known[name] = found
        _write(folder, known)
    return found


def list_baselines(runs_dir: Path) -> list[Baseline]:
    """Return every baseline in order of name."""
    return list(_read(runs_dir / FOLDER).values())


def find_baseline(runs_dir: Path, name: str) -> Baseline | None:
    """Return a baseline by its name, or None; one whose last move says something else is refused."""
    folder = runs_dir / FOLDER
    found = _read(folder).get(name)
    moves = list_moves(runs_dir, name)
    if found is not None and found.fingerprint is None and not moves:
        return found
    if (moves[-1].after if moves else None) != found:
        message = f"{BASELINES_FILE} and {MOVES_FILE} do not agree on where the baseline {quoted(name)} points"
        raise _damaged(folder / BASELINES_FILE, message, f"`steelyard baseline set {name} RUN`")
    return found


def show_baseline(runs_dir: Path, name: str) -> Baseline:
    """Return a baseline by its name, or raise."""
    found = find_baseline(runs_dir, name)
    if found is not None:
        return found
    known = ", ".join(entry.name for entry in list_baselines(runs_dir)) or "none"
    message = f"there is no baseline {quoted(name)}; there are {known}"
    raise InputError(Problem("no-baseline", message, hint="`steelyard baseline set NAME RUN` makes one"))


def list_moves(runs_dir: Path, name: str) -> list[Move]:
    """Return how a baseline came to where it points, oldest first; a damaged line is passed over."""
    file = runs_dir / FOLDER / MOVES_FILE
    if not file.is_file():
        return []
    return [move for line in file.read_bytes().split(b"\n") if (move := _move(line)) and move.after.name == name]


def _move(line: bytes) -> Move | None:
    try:
        content = json.loads(line)
    except ValueError:
        return None
    if not isinstance(content, dict) or not is_sealed(content):
        return None
    before = content["from"]
    return Move(None if before is None else Baseline(**before), Baseline(**content["to"]))


def baseline_path(runs_dir: Path, baseline: Baseline) -> Path:
    """Return the directory that a baseline points to."""
    path = Path(baseline.path)
    return path if path.is_absolute() else runs_dir / path


def refuse_named_by_baseline(path: Path) -> None:
    """Refuse to replace or remove a run that a baseline names."""
    runs_dir = counting_folder(path.parent)
    names = [entry.name for entry in list_baselines(runs_dir) if _holds(baseline_path(runs_dir, entry), path)]
    if names:
        message = f"{path.name} is the baseline {', '.join(names)}"
        hint = f"point the baseline to another run first: `steelyard baseline set {names[0]} RUN`"
        raise UsageError(Problem("run-exists", message, hint=hint, file=str(path)))


def _holds(baseline: Path, path: Path) -> bool:
    return path.resolve().is_relative_to(baseline.resolve()) or baseline.resolve().is_relative_to(path.resolve())


def add_verdict(runs_dir: Path, verdict: Mapping[str, Any]) -> None:
    """Add one line to the journal of verdicts."""
    with locked(runs_dir) as folder, (folder / VERDICTS_FILE).open("ab") as stream:
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


def _who() -> str:
    """Return who moves a baseline, as far as the machine knows: in a container a user may have no name."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = str(os.getuid())
    return f"{user}@{platform.node()}"


def _write(folder: Path, known: Mapping[str, Baseline]) -> None:
    entries = {name: asdict(entry) for name, entry in sorted(known.items())}
    content = sealed({"format_version": BASELINES_FORMAT, "baselines": entries})
    write_bytes(folder / BASELINES_FILE, json_bytes(content))


def _known_for_setting(folder: Path) -> dict[str, Baseline]:
    """Return the baselines there are; where their file is damaged, those that their moves tell of."""
    try:
        return _read(folder)
    except InputError:
        return dict(_moved(folder))


def _moved(folder: Path) -> Iterator[tuple[str, Baseline]]:
    if (folder / MOVES_FILE).is_file():
        for line in (folder / MOVES_FILE).read_bytes().split(b"\n"):
            if (move := _move(line)) is not None:
                yield move.after.name, move.after


def _read(folder: Path) -> dict[str, Baseline]:
    file = folder / BASELINES_FILE
    if not file.is_file():
        return {}
    try:
        found: dict[str, Any] = json.loads(file.read_bytes())
        if "format_version" not in found:
            return {name: Baseline(**entry) for name, entry in found.items()}
        refuse_newer(found["format_version"], BASELINES_FORMAT, file)
        if not is_sealed(found):
            raise _damaged(file, "the baselines are not what was written: their seal does not hold")
        return {name: Baseline(**entry) for name, entry in found["baselines"].items()}
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise _damaged(file, f"the baselines cannot be read: {error}") from None


def _damaged(file: Path, message: str, hint: str = "set them again: `steelyard baseline set NAME RUN`") -> InputError:
    return InputError(Problem("run-damaged", message, hint=hint, file=str(file)))
