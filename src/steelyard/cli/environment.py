"""The environment: `.env` from the working directory upward, and `STEELYARD_<OPTION>` for any option.

What is set in the real environment wins over `.env`, and the command line wins over both.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import click

from steelyard.errors import ConfigurationError, Problem
from steelyard.records.encoded import refuse_not_utf8
from steelyard.secrets import remember_environment

PREFIX = "STEELYARD_"
MAX_BYTES = 1 << 20
_PLACES = ("GITHUB_STEP_SUMMARY", "XDG_CACHE_HOME")
"""Variables of others that say where we write."""

_ASSIGNMENT = re.compile(r"(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*(.*)", re.DOTALL)
_QUOTED = re.compile(r"(?P<quote>[\"'])(?P<text>.*)(?P=quote)(?:\s+#.*)?")
_COMMENT = re.compile(r"(?:^|\s+)#.*")


def refuse_names_not_utf8(given: Sequence[str]) -> None:
    """Refuse names and paths that are not UTF-8, wherever a command may take them from."""
    for argument in given:
        refuse_not_utf8(argument, "the argument")
    for name, value in os.environ.items():
        if name.startswith(PREFIX) or name in _PLACES:
            refuse_not_utf8(value, f"the variable {name},")
    refuse_not_utf8(os.getcwd(), "the working directory")  # noqa: PTH109 - a Path would cost an import of its own


def load_environment_file() -> None:
    """Set variables from the nearest `.env` that are not set already, and take up what is secret in both."""
    here = Path.cwd()
    found: dict[str, str] = {}
    for folder in (here, *here.parents):
        file = folder / ".env"
        if file.is_file():
            for name, value in parse_environment(_text(file), file=str(file)).items():
                os.environ.setdefault(name, value)
                found[name] = value
            break
    # A value of the file that a variable of the process wins over is a secret all the same.
    remember_environment(found)
    remember_environment()


def _text(file: Path) -> str:
    data = file.read_bytes()[: MAX_BYTES + 1]
    if len(data) > MAX_BYTES:
        raise _unusable("the file is larger than 1 MiB, expected a few variables", str(file), None)
    try:
        return data.removeprefix(b"\xef\xbb\xbf").decode()
    except UnicodeDecodeError as error:
        message = f"byte 0x{data[error.start]:02x} at byte offset {error.start} is not UTF-8, expected UTF-8 text"
        line = data.count(b"\n", 0, error.start) + 1
        problem = Problem("not-utf8", message, hint="save the file as UTF-8", file=str(file), line=line)
        raise ConfigurationError(problem) from None


def parse_environment(text: str, *, file: str = ".env") -> dict[str, str]:
    r"""Return the variables of a `.env` file; a line that is none of NAME=value, comment or blank is refused.

    >>> parse_environment('A=1 # one\n# note\nexport B="two # words"\n')
    {'A': '1', 'B': 'two # words'}
    """
    found: dict[str, str] = {}
    for line, name, value in _assignments(text, file):
        if name in found and found[name] != value:
            raise _unusable(f"the variable {name} is set twice, to different values", file, line)
        found[name] = value
    return found


def _assignments(text: str, file: str) -> Iterator[tuple[int, str, str]]:
    """Yield line, name and value. Messages never quote a value: it may be a secret."""
    for number, line in enumerate(text.split("\n"), start=1):
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        match = _ASSIGNMENT.fullmatch(stripped)
        if match is None:
            raise _unusable("the line is not NAME=value", file, number)
        name, written = match.groups()
        quoted = _QUOTED.fullmatch(written)
        if quoted is None and written[:1] in ("'", '"'):
            raise _unusable(f"the quote around the value of {name} is not closed on its line", file, number)
        value = quoted["text"] if quoted else _COMMENT.sub("", written)
        if "\0" in value:
            raise _unusable(f"the value of {name} contains a NUL character", file, number)
        yield number, name, value


def _unusable(message: str, file: str, line: int | None) -> ConfigurationError:
    hint = "write NAME=value, one on a line; values with # or spaces at their ends need quotes"
    return ConfigurationError(Problem("bad-configuration", message, hint=hint, file=file, line=line))


def from_environment(command: click.Command) -> click.Command:
    """Let `STEELYARD_<OPTION>` set each option of a command and of those below it."""
    for parameter in command.params:
        if isinstance(parameter, click.Option) and parameter.envvar is None:
            longest = max(parameter.opts, key=len)
            parameter.envvar = PREFIX + longest.lstrip("-").replace("-", "_").upper()
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            from_environment(inner)
    return command


def asks_for_json(arguments: list[str]) -> bool:
    """Return whether errors are wanted as JSON too: `--json`, `--format json`, or the variables for these."""
    if "--json" in arguments or "--format=json" in arguments:
        return True
    variable = os.environ.get(PREFIX + "JSON", "").lower() in ("1", "true", "yes", "on", "t", "y")
    return ("--format", "json") in pairwise(arguments) or variable or os.environ.get(PREFIX + "FORMAT") == "json"
