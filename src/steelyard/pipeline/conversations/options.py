"""What a caller may ask of an evaluation of conversations, from the command line or from Python."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

History: TypeAlias = Literal["own", "gold"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationOptions:
    """The command line of `steelyard evaluate` as a record."""

    dataset: Path
    model: str | None = None
    """A model's spec; None where traces are given."""
    traces: Path | None = None
    """A folder of traces, or a file of traces or flat rows."""
    sample_size: int | None = None
    seed: int = 42
    max_retries: int = 2
    """How often the validator may send a plan back."""
    validation: bool = True
    history: History = "own"
    name: str | None = None
    runs_dir: Path = Path("runs")
    model_name: str | None = None
    """What to call the model behind stored traces."""
    concurrency: int | None = None
    """How many requests an endpoint is given at a time."""
    deadline: float | None = None
    """Seconds that one request may take, retries included."""
    threads: int | None = None
    """CPU threads of a local model."""
    plots: bool = True
    resume: bool = False
    """Go on with the run of that name where it stopped."""
