"""Where a run is to stand, and who is told how far it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from steelyard.records.runs import StartedAs

Progress: TypeAlias = Callable[[int], None]
"""Called with the number of items judged so far."""
Steps: TypeAlias = Callable[[int, int], None]
"""Called with how much is done, of items that are asked or steps of a training, and how much there is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a run is to stand, and as what it is started."""

    runs_dir: Path = Path("runs")
    name: str | None = None
    """None gives it a dated name."""
    started_as: StartedAs = "run"
    resume: bool = False
    """Whether one that was stopped there is gone on with."""
    retry_failed: bool = False
    """Whether items that failed are then asked again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Watching:
    """Who is told how far a run is; None where nobody looks."""

    judged: Progress | None = None
    asked: Steps | None = None
    trained: Steps | None = None


UNWATCHED = Watching()
