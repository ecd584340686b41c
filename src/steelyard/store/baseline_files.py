"""The two files that say where baselines point, read as far as they can be.

`baselines.json` says where each name points, `moves.jsonl` how it came there: who moved it, when, from where. Each has
seals, and a name on which the two disagree points nowhere until it is set again, so that no one file can be changed,
exchanged or lost to hold runs against another baseline. Names on which they agree hold, whatever else is damaged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import msgspec

from steelyard.errors import InputError, Problem, quoted
from steelyard.records.encoded import UNREADABLE
from steelyard.store.directories import refuse_newer
from steelyard.store.files import json_bytes, parsed, read_objects, write_bytes
from steelyard.store.seals import is_sealed, sealed

BASELINES_FILE = "baselines.json"
BASELINES_FORMAT = 2
"""1 was a plain object of names, without hashes or history; it is still read."""
MOVES_FILE = "moves.jsonl"
SET_AGAIN = "set it again: `steelyard baseline set NAME RUN`"


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


@dataclass(frozen=True, slots=True)
class KnownBaselines:
    """What the two files say, as far as they can be read."""

    folder: Path
    entries: dict[str, Baseline]
    moves: dict[str, list[Move]]
    damage: InputError | None
    """What is wrong with `baselines.json` as a whole."""

    def holding(self, name: str) -> Baseline | None:
        """Return a baseline on which both files agree, None where neither has it, or raise."""
        found, moves = self.entries.get(name), self.moves.get(name, [])
        if found is not None and not moves and found.fingerprint is None and self.damage is None:
            return found
        if found is None and not moves:
            if self.damage is not None:
                raise self.damage
            return None
        if not moves or moves[-1].after != found:
            message = f"{BASELINES_FILE} and {MOVES_FILE} do not agree on where the baseline {quoted(name)} points"
            raise _damaged(self.folder / BASELINES_FILE, message, f"`steelyard baseline set {name} RUN`")
        return found

    def names(self) -> list[str]:
        """Return every name that either file has."""
        return sorted({*self.entries, *self.moves})


def known_baselines(folder: Path) -> KnownBaselines:
    """Return what both files say; a file of a newer version is refused."""
    moves = _moves(folder)
    try:
        entries, damage = _entries(folder / BASELINES_FILE, lost=bool(moves))
    except (OSError, *UNREADABLE) as error:
        return KnownBaselines(
            folder, {}, moves, _damaged(folder / BASELINES_FILE, f"the baselines cannot be read: {error}")
        )
    return KnownBaselines(folder, entries, moves, damage)


def _entries(file: Path, *, lost: bool) -> tuple[dict[str, Baseline], InputError | None]:
    """Return the entries that can be read, and what is wrong with the file that they stand in."""
    if not file.exists():
        return {}, _damaged(file, "the baselines are not there") if lost else None
    found = parsed(file.read_bytes())
    if not isinstance(found, dict):
        raise ValueError("it holds no object")
    version = found.get("format_version", 1)
    entries = found if version == 1 else found.get("baselines")
    if not isinstance(version, int) or not isinstance(entries, dict):
        raise ValueError("it holds no baselines")
    refuse_newer(version, BASELINES_FORMAT, file)
    read = {name: entry for name, content in entries.items() if (entry := _entry(content)) is not None}
    if version > 1 and not is_sealed(found):
        return read, _damaged(file, "the baselines are not what was written: their seal does not hold")
    return read, None if len(read) == len(entries) else _damaged(file, "an entry of the baselines cannot be read")


def _entry(content: object) -> Baseline | None:
    try:
        return msgspec.convert(content, Baseline)
    except UNREADABLE:
        return None


def write_baselines(folder: Path, known: Mapping[str, Baseline]) -> None:
    """Write where each name points."""
    entries = {name: asdict(entry) for name, entry in sorted(known.items())}
    content = sealed({"format_version": BASELINES_FORMAT, "baselines": entries})
    write_bytes(folder / BASELINES_FILE, json_bytes(content))


def _moves(folder: Path) -> dict[str, list[Move]]:
    found: dict[str, list[Move]] = {}
    for _, content in read_objects(folder / MOVES_FILE):
        if (move := as_move(content)) is not None:
            found.setdefault(move.after.name, []).append(move)
    return found


def as_move(content: Mapping[str, object] | None) -> Move | None:
    """Return what a line of moves says; None where it is damaged."""
    if content is None or not is_sealed(content):
        return None
    try:
        return Move(
            msgspec.convert(content.get("from"), Baseline | None),
            msgspec.convert(content.get("to"), Baseline),
        )
    except UNREADABLE:
        return None


def _damaged(file: Path, message: str, hint: str = SET_AGAIN) -> InputError:
    return InputError(Problem("run-damaged", message, hint=hint, file=str(file)))
