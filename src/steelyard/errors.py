"""Every error of Steelyard, its code and its exit code.

    SteelyardError
    ├── UsageError            2   a command line that cannot be meant
    ├── ConfigurationError    2   a task file, profile, policy or parameter that cannot be used
    ├── InputError            3   data that cannot be read as what it claims to be
    ├── IncomparableError     3   two runs whose numbers do not mean the same
    ├── IncompleteError       4   a run that ended before every item had its state
    └── MachineError          5   disk, permission, lock, database

How errors travel: readers turn every bad row into a `Problem` and go on, so that a user sees all of them at once;
`InputError` carries the list. A bad *item* (unparsable, missing, failed) is data with a state, never an exception.
Extension code (scorers, callables) raises plain Python errors, and the room that called it gives them a type.
Whatever reaches the command line without one of these types is our bug: exit 70 with a crash report.

Each code has a page under `docs/errors/`; a test holds the two lists equal.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import ClassVar

LISTED_PROBLEMS = 20
"""How many problems are listed before "and N more"."""

EXCERPT_LENGTH = 80
"""How many characters of foreign text a message may quote."""

_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
    # Commands to a CI: `::error` where a line begins, `##vso[`, `##[` and `##teamcity[` anywhere in one.
    r"|\A(?P<space>[^\S\x00-\x1f\x85\u2028\u2029]*):(?=:)|#(?=#\w*\[)"
)


def escape(text: str) -> str:
    r"""Return `text` with control, direction and surrogate characters and the marks of CI commands spelled out.

    >>> escape("a\x1b[31m"), escape("::error::x")
    ('a\\x1b[31m', '\\x3a:error::x')
    """
    return _UNSAFE.sub(_spell, text)


def _spell(match: re.Match[str]) -> str:
    space = match["space"] or ""
    point = ord(match.group()[len(space) :])
    if point <= 0xFF:
        return f"{space}\\x{point:02x}"
    return f"\\u{point:04x}" if point <= 0xFFFF else f"\\U{point:08x}"


def excerpt(text: str) -> str:
    """Return at most 80 characters of foreign text, made safe to show."""
    shown = escape(text[: EXCERPT_LENGTH + 1])
    return shown if len(shown) <= EXCERPT_LENGTH else shown[: EXCERPT_LENGTH - 1] + "…"


_WHOLE_ESCAPES = re.compile(r"(?:[^\\]|\\(?:x..|u.{4}|U.{8}|[^xuU]))*")


def quoted(text: str) -> str:
    r"""Return at most 80 characters of foreign text as a literal in quotation marks: no two texts look alike.

    >>> print(quoted("up"), quoted("don't"), quoted("a\n"), quoted("a\\n"))
    'up' "don't" 'a\n' 'a\\n'
    """
    shown = escape(repr(text[: EXCERPT_LENGTH + 1]))
    if len(shown) <= EXCERPT_LENGTH + 2:
        return shown
    mark = shown[0]
    # An escape that the limit would cut in two is left out: half of one could hide the closing mark.
    within = _WHOLE_ESCAPES.match(shown, 1, EXCERPT_LENGTH)
    return f"{mark}{within.group() if within else ''}…{mark}"


@dataclass(frozen=True, slots=True)
class Code:
    """One kind of mistake: its stable name and what it means in one line."""

    name: str
    title: str


_TITLES = {
    "usage": "The command line cannot be meant",
    "unknown-key": "A configuration file has a key that does not exist",
    "unknown-name": "A scorer, metric or other registered name does not exist",
    "unknown-field": "A field that a configuration names is in no row",
    "unknown-tag": "A tag that is named is on no item",
    "unknown-parameter": "A scorer or metric was given a parameter it does not have",
    "bad-configuration": "A configuration value cannot be used",
    "ambiguous-alias": "One alias stands for two choices",
    "bad-pattern": "A pattern does not compile, is empty or too long",
    "bad-yaml": "A YAML file uses something that is refused or does not parse",
    "unset-variable": "A configuration names an environment variable that is not set",
    "duplicate-key": "A key stands twice in one object",
    "duplicate-id": "Two rows have the same id",
    "bad-json": "A line or file is not JSON",
    "not-an-object": "A row is not a JSON object",
    "truncated-line": "The last line ends in the middle of a row",
    "not-utf8": "A file is not UTF-8 text",
    "not-finite": "A number is NaN, infinite or too large",
    "too-deep": "A value is nested too deeply",
    "line-too-long": "A line is longer than the limit",
    "empty-file": "A file has no rows",
    "no-items": "No items are left to evaluate",
    "no-predictions": "An evaluation was given no predictions",
    "missing-field": "A row lacks a required field",
    "empty-reference": "An item has no reference answer",
    "bad-answer": "An object is not a CanonicalAnswer",
    "bad-reference": "A reference answer is not of the answer type",
    "bad-tag": "A tag cannot be used",
    "bad-program": "A turn program cannot be read or has no value",
    "bad-conversation": "A row is not a conversation",
    "bad-trace": "A stored trace or turn cannot be read",
    "bad-csv": "A CSV file is ragged, has an unclosed quote or a header twice",
    "corrupt-file": "A compressed or Parquet file cannot be read",
    "file-too-large": "A file unpacks to more than the limit",
    "unknown-id": "A prediction names an item that is not in the dataset",
    "unknown-format": "A file's format is not one that can be read",
    "file-exists": "A file to be written is there already",
    "missing-file": "A file is not there",
    "unsafe-path": "A path leads through a symbolic link or out of its folder",
    "bad-golden": "Golden queries are malformed",
    "bad-artifact": "A research artifact does not have its form",
    "no-runs": "An outputs folder has no research runs",
    "invalid-evalset": "An eval set does not hold to its rules",
    "unknown-tag-value": "A section or difficulty is not one of the known ones",
    "near-duplicate": "Two prompts of an eval set are nearly the same",
    "reference-leak": "A prompt contains its own reference answer",
    "run-name": "A run name cannot be used",
    "run-exists": "A run of that name is there already",
    "run-not-found": "No such run",
    "run-incomplete": "The run is not complete",
    "ambiguous-run": "A name stands for more than one run",
    "newer-format": "A file was written by a newer version",
    "dataset-changed": "A dataset's content is not what it was when the run was made",
    "run-damaged": "A run's files disagree with each other",
    "incomparable-runs": "Two runs' numbers do not mean the same",
    "mock-run": "A run was made with a mock model, so its scores say nothing",
    "not-for-this-kind": "A command was given a run of a kind that it is not for",
    "no-baseline": "There is no baseline of that name",
    "baseline-changed": "The run under a baseline's name is not the one that was set",
    "bad-policy": "A gate policy cannot be used",
    "index-newer": "The run index was written by a newer version",
    "index-unavailable": "The run index cannot be opened",
    "scorer-failed": "A scorer raised or gave a value outside [0, 1]",
    "bad-plugin": "A plugin cannot be loaded",
    "missing-extra": "An optional dependency is not installed",
    "bad-model": "A model cannot be loaded or is not named as models are",
    "unsafe-model": "A model would run foreign code: a pickle, remote code, or a chat template beyond its limits",
    "adapter-without-effect": "An adapter changes nothing about its base model",
    "model-refused": "An endpoint refuses or does not reach any request: address, key, permission or model name",
    "model-errors": "More items failed than the error budget allows",
    "run-differs": "A run cannot be resumed with another configuration",
    "hash-mismatch": "A file's bytes are not those that its manifest, or the run it belongs to, names",
    "dataset-not-found": "No such dataset, or no such version of it",
    "training-failed": "A training ended before its last step",
    "machine": "Disk, permission, lock or database",
    "interrupted": "The command was stopped by a signal",
    "internal": "Steelyard itself failed",
}

CODES: dict[str, Code] = {name: Code(name, title) for name, title in _TITLES.items()}


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, in the one shape that terminal and JSON share."""

    code: str
    message: str
    """What was found and what was expected."""
    hint: str = ""
    """What to do."""
    file: str | None = None
    line: int | None = None
    column: int | None = None
    item_id: str | None = None

    def __post_init__(self) -> None:
        if self.code not in CODES:
            raise AssertionError(f"error code {self.code!r} is not in errors.CODES")

    @property
    def place(self) -> str:
        """Where it is, as `file:line:column`, as far as known."""
        parts = [escape(self.file)] if self.file else []
        if self.line is not None:
            parts.append(str(self.line) if parts else f"line {self.line}")
            if self.column is not None:
                parts.append(str(self.column))
        return ":".join(parts)

    def __str__(self) -> str:
        where = f"{self.place}: " if self.place else ""
        item = f" (item {excerpt(self.item_id)})" if self.item_id is not None else ""
        hint = f"\n    hint: {escape(self.hint)}" if self.hint else ""
        return f"{where}[{self.code}] {escape(self.message)}{item}{hint}"

    @property
    def in_one_line(self) -> str:
        """The problem as a warning tells it."""
        where = f"{self.place}: " if self.place else ""
        return f"{where}[{self.code}] {self.message}" + (f"; {self.hint}" if self.hint else "")

    def as_dict(self) -> dict[str, str | int | None]:
        """Return the problem as the JSON object that machines read."""
        return asdict(self)


UNDECIDED = 3
"""The exit code of bad input and of gates that nothing decides."""


class SteelyardError(Exception):
    """Any error that a user can do something about."""

    exit_code: ClassVar[int] = 70

    def __init__(self, problems: Problem | Sequence[Problem], *, total: int | None = None) -> None:
        self.problems = (problems,) if isinstance(problems, Problem) else tuple(problems)
        self.total = len(self.problems) if total is None else total
        self.verdict = ""
        """What a gate that this error keeps from deciding says on its last line."""
        super().__init__(str(self))

    def __str__(self) -> str:
        lines = [str(problem) for problem in self.problems[:LISTED_PROBLEMS]]
        hidden = self.total - len(lines)
        return "\n".join([*lines, f"and {hidden} more"] if hidden > 0 else lines)

    def as_dict(self) -> dict[str, object]:
        """Return the error as the JSON object that `--json` prints."""
        listed = [problem.as_dict() for problem in self.problems[:LISTED_PROBLEMS]]
        verdict: dict[str, object] = {}
        if self.verdict:
            verdict = {"verdict": "undecided" if self.exit_code == UNDECIDED else None, "line": self.verdict}
        return verdict | {
            "error": type(self).__name__,
            "exit_code": self.exit_code,
            "problems": listed,
            "total": self.total,
        }


class UsageError(SteelyardError):
    """A command line that cannot be meant."""

    exit_code = 2


class ConfigurationError(SteelyardError):
    """A task file, profile, policy or parameter that cannot be used."""

    exit_code = 2


class InputError(SteelyardError):
    """Data that cannot be read as what it claims to be."""

    exit_code = 3


class IncomparableError(SteelyardError):
    """Two runs whose numbers do not mean the same."""

    exit_code = 3


class IncompleteError(SteelyardError):
    """A run that ended before every item had its state."""

    exit_code = 4


class MachineError(SteelyardError):
    """Disk, permission, lock or database."""

    exit_code = 5


class Problems:
    """A ledger of problems that keeps the first twenty and counts the rest."""

    def __init__(self) -> None:
        self.listed: list[Problem] = []
        self.total = 0

    def __bool__(self) -> bool:
        return self.total > 0

    def add(self, problem: Problem) -> None:
        """Record one problem."""
        self.total += 1
        if len(self.listed) < LISTED_PROBLEMS:
            self.listed.append(problem)

    def extend(self, problems: Iterable[Problem]) -> None:
        """Record several problems."""
        for problem in problems:
            self.add(problem)

    def merge(self, other: Problems) -> None:
        """Record what another ledger holds."""
        room = LISTED_PROBLEMS - len(self.listed)
        self.listed.extend(other.listed[: max(0, room)])
        self.total += other.total

    def interleave(self, other: Problems) -> None:
        """Record what another ledger holds of the same file, as if both had been kept as one in the order of lines."""
        self.listed = sorted([*self.listed, *other.listed], key=lambda problem: problem.line or 0)[:LISTED_PROBLEMS]
        self.total += other.total

    def raise_if_any(self) -> None:
        """Raise one InputError with everything recorded, or return."""
        if self.total:
            raise InputError(self.listed, total=self.total)
