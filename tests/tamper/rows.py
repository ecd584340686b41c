"""What people do, in ordinary use or on purpose, that would make a gate say more than is true: a row for each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.tamper.worlds import steelyard

AGAINST = "gate {run} --against main"
EVAL = "eval task.yaml --name forged --predictions"
WORSE = AGAINST.format(run="worse")


@dataclass(frozen=True)
class Row:
    """One way, and the command by which it would pass."""

    family: str
    name: str
    change: Callable[[], object]
    command: str = "gate forged --against main"
    kind: str = "stored"


def nothing() -> None:
    """Change nothing."""


def run(*lines: str) -> None:
    """Run commands, whatever comes of them: what a refused one leaves is no run."""
    for line in lines:
        steelyard(line)


def written(name: str, text: str, *lines: str) -> None:
    """Write a file, then run commands."""
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text)
    run(*lines)
