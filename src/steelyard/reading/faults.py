"""How readers speak of what is wrong: a fault of one row, which becomes a `Problem`, or of a file, which is raised."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from steelyard.errors import InputError, Problem


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
