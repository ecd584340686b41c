"""How much a file may ask of us before it is refused. Every message about a limit names the option that raises it.

Beside them: what is wrong with a row, in one shape.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from steelyard.errors import InputError, Problem

MIB = 1024 * 1024
RATIO_FLOOR = 64 * MIB
"""Below this many unpacked bytes no compression ratio is suspicious."""


@dataclass(frozen=True)
class Limits:
    """The limits of page 80, as far as they concern files."""

    max_line_bytes: int = 32 * MIB
    """`--max-line-bytes`: one line of JSONL, one record of CSV."""
    max_depth: int = 64
    """`--max-depth`: objects and lists inside each other, the row itself counted."""
    max_unpacked_bytes: int = 16 * 1024 * MIB
    """`--max-unpacked-bytes`: what one compressed file may unpack to, and what one JSON file may hold."""
    max_ratio: int = 1000
    """Unpacked over packed bytes beyond which a file of more than 64 MiB is a bomb."""
    max_yaml_bytes: int = MIB
    """One configuration file."""


# How readers speak of what is wrong: a fault of one row, which becomes a `Problem`, or of a file, which is raised.


@dataclass(slots=True, eq=False)
class RowError(Exception):
    """One row that cannot be used. It never leaves this room: `read_rows` gives it a file and a line."""

    code: str
    message: str
    """What was found and what was expected."""
    column: int | None = None
    """The character, counted from 1, where it is known."""
    hint: str = ""
    cut: bool = False
    """Whether the text stops where it is still good, as a file does that was cut while being written."""

    def __str__(self) -> str:
        return self.message

    def at(self, file: Path | str, line: int | None) -> Problem:
        """Return the fault as a problem of a place."""
        return Problem(self.code, self.message, hint=self.hint, file=str(file), line=line, column=self.column)


def bad_file(path: Path, code: str, message: str, *, hint: str, line: int | None = None) -> InputError:
    """Return the error of a file that cannot be read at all."""
    return InputError(Problem(code, message, hint=hint, file=str(path), line=line))
