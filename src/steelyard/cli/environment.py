"""`.env` from the working directory upward, for `STEELYARD_…` options and secrets; the real environment wins."""

from __future__ import annotations

import os
from pathlib import Path


def load_environment_file() -> None:
    """Set variables from the nearest `.env` that are not set already."""
    here = Path.cwd()
    for folder in (here, *here.parents):
        file = folder / ".env"
        if file.is_file():
            for name, value in parse_environment(file.read_text(encoding="utf-8", errors="replace")).items():
                os.environ.setdefault(name, value)
            return


def parse_environment(text: str) -> dict[str, str]:
    """Return the variables of a `.env` file.

    >>> parse_environment('A=1\\n# note\\nexport B="two words"\\n')
    {'A': '1', 'B': 'two words'}
    """
    found = {}
    for line in text.splitlines():
        name, equals, value = line.strip().removeprefix("export ").partition("=")
        if equals and name.isidentifier():
            found[name] = value.strip().strip("\"'")
    return found
