"""What a caller may ask of an evaluation of conversations, from the command line or from Python."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

from steelyard.datasets.paths import data_path
from steelyard.datasets.shipped import CONVERSATIONS, PREFIX, TRACES, shipped_file
from steelyard.errors import Problem, UsageError
from steelyard.runs.places import Place

History: TypeAlias = Literal["own", "gold"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationOptions:
    """The command line of `steelyard evaluate` as a record."""

    dataset: Path | None = None
    """A file, a version of a dataset or a set that ships; None for the conversations that ship."""
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

    @property
    def place(self) -> Place:
        """Where the run is to stand."""
        return Place(runs_dir=self.runs_dir, name=self.name, resume=self.resume)

    @property
    def data(self) -> Path:
        """The file of the conversations, once it is settled."""
        assert self.dataset is not None
        return self.dataset


def ready(options: ConversationOptions) -> ConversationOptions:
    """Return options with the files that they mean; where nothing is named, what ships is judged by its own traces."""
    named = (options.dataset, options.model, options.traces)
    if named == (None, None, None):
        return replace(options, dataset=shipped_file(PREFIX + CONVERSATIONS), traces=shipped_file(PREFIX + TRACES))
    if (options.model is None) == (options.traces is None):
        hint = "--traces DIR_OR_FILE judges stored traces, --model SPEC asks a model"
        raise UsageError(Problem("usage", "give one of --model and --traces", hint=hint))
    if options.dataset is None and options.traces is not None:
        hint = "name the conversations that the traces are of: --dataset FILE"
        raise UsageError(Problem("usage", "--traces was given without --dataset", hint=hint))
    dataset = PREFIX + CONVERSATIONS if options.dataset is None else str(options.dataset)
    traces = None if options.traces is None else data_path(str(options.traces))
    return replace(options, dataset=data_path(dataset), traces=traces)
