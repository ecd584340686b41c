"""Baselines: names that point to runs; the run index repeats them."""

from __future__ import annotations

import getpass
import os
import platform
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from steelyard.errors import InputError, Problem, UsageError, quoted
from steelyard.store.baseline_files import (
    BASELINES_FILE,
    MOVES_FILE,
    SET_AGAIN,
    Baseline,
    KnownBaselines,
    Move,
    as_move,
    known_baselines,
    write_baselines,
)
from steelyard.store.counting import FOLDER, counting_folder, locked
from steelyard.store.directories import check_run_name, now_text
from steelyard.store.files import append_line, json_line, pass_over, read_objects, take_back
from steelyard.store.seals import sealed

DATABASE_VARIABLE = "STEELYARD_DATABASE_URL"
"""Names a team's database for the run index, instead of SQLite beside the runs."""


def set_baseline(runs_dir: Path, name: str, path: Path, run_id: str, fingerprint: str | None) -> Baseline:
    """Point a name at a run, and record the move before it holds."""
    check_run_name(name)
    with locked(runs_dir) as folder:
        known = known_baselines(folder)
        found = Baseline(name, _relative(runs_dir, path), run_id, now_text(), fingerprint, _who())
        before = known.entries.get(name)
        move = {"name": name, "from": None if before is None else asdict(before), "to": asdict(found)}
        size = append_line(folder / MOVES_FILE, json_line(sealed(move)))
        try:
            write_baselines(folder, _kept(known) | {name: found})
        except BaseException:
            # A full disk, or a signal: where the name still points where it did, it was not moved.
            if known_baselines(folder).entries.get(name) != found:
                take_back(folder / MOVES_FILE, size)
            raise
    return found


def _kept(known: KnownBaselines) -> dict[str, Baseline]:
    """Return the entries to write again: where their file was lost or damaged, those too that only their moves tell."""
    told = {name: moves[-1].after for name, moves in known.moves.items()} if known.damage is not None else {}
    return told | known.entries


def list_baselines(runs_dir: Path) -> list[Baseline]:
    """Return every baseline that holds, in order of name; what is damaged is told and passed over."""
    known = known_baselines(runs_dir / FOLDER)
    if known.damage is not None:
        pass_over(runs_dir / FOLDER / BASELINES_FILE, None, known.damage.problems[0].message, SET_AGAIN)
    return [found for name in known.names() if (found := _held(known, name)) is not None]


def _held(known: KnownBaselines, name: str) -> Baseline | None:
    try:
        return known.holding(name)
    except InputError as error:
        problem = error.problems[0]
        pass_over(known.folder / BASELINES_FILE, None, problem.message, problem.hint)
        return None


def find_baseline(runs_dir: Path, name: str) -> Baseline | None:
    """Return a baseline by its name, or None; one whose last move says something else is refused."""
    return None if os.sep in name else known_baselines(runs_dir / FOLDER).holding(name)


def show_baseline(runs_dir: Path, name: str) -> Baseline:
    """Return a baseline by its name, or raise."""
    found = find_baseline(runs_dir, name)
    if found is not None:
        return found
    known = ", ".join(entry.name for entry in list_baselines(runs_dir)) or "none"
    message = f"there is no baseline {quoted(name)}; there are {known}"
    raise InputError(Problem("no-baseline", message, hint="`steelyard baseline set NAME RUN` makes one"))


def list_moves(runs_dir: Path, name: str) -> list[Move]:
    """Return how a baseline came to where it points, oldest first; a damaged line is told and passed over."""
    file = runs_dir / FOLDER / MOVES_FILE
    found = []
    for number, content in read_objects(file):
        move = as_move(content)
        if move is None:
            pass_over(file, number, "the line is no move of a baseline, and is passed over", SET_AGAIN)
        elif move.after.name == name:
            found.append(move)
    return found


def baseline_path(runs_dir: Path, baseline: Baseline) -> Path:
    """Return the directory that a baseline points to."""
    path = Path(baseline.path)
    return path if path.is_absolute() else runs_dir / path


def refuse_named_by_baseline(path: Path) -> None:
    """Refuse to replace or remove a run that a baseline names, whatever state the baselines are in."""
    names = baselines_naming(path)
    if names:
        message = f"{path.name} is the baseline {', '.join(names)}"
        hint = f"point the baseline to another run first: `steelyard baseline set {names[0]} RUN`"
        raise UsageError(Problem("run-exists", message, hint=hint, file=str(path)))


def baselines_naming(path: Path) -> tuple[str, ...]:
    """Return the baselines that name a run, a suite that it is part of, or a run of that suite."""
    runs_dir = counting_folder(path.parent)
    names = [entry.name for entry in _pointing(runs_dir) if _holds(baseline_path(runs_dir, entry), path)]
    return tuple(dict.fromkeys(names))


def _pointing(runs_dir: Path) -> Iterator[Baseline]:
    """Yield where either file says that a name points."""
    known = known_baselines(runs_dir / FOLDER)
    for name in known.names():
        if name in known.entries:
            yield known.entries[name]
        if name in known.moves:
            yield known.moves[name][-1].after


def _holds(baseline: Path, path: Path) -> bool:
    return path.resolve().is_relative_to(baseline.resolve()) or baseline.resolve().is_relative_to(path.resolve())


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
