"""Evidence gates: golden queries and stored artifacts in, a report and an ordinary run out (page 50)."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from steelyard.errors import Problem, UsageError, excerpt, quoted
from steelyard.kinds.research.evaluation import DETAILS_FILE, ArtifactsEvaluation, open_artifacts
from steelyard.kinds.research.reading import RequirementError
from steelyard.kinds.research.recipe import ResearchRecipe
from steelyard.reading.limits import Limits
from steelyard.reading.yaml_file import read_yaml
from steelyard.research.gates import DEFAULT_THRESHOLDS, parse_thresholds
from steelyard.research.golden import GoldenEntry
from steelyard.research.items import SUFFICIENCY_TAG
from steelyard.research.objectives import Objective
from steelyard.research.report import objective_facts, system_error_report
from steelyard.runs.making import make_stored
from steelyard.runs.places import UNWATCHED, Place, Watching
from steelyard.runs.recording import FinishedRun
from steelyard.secrets import warn_of_plain_secrets
from steelyard.store.directories import check_run_name


@dataclass(frozen=True, slots=True, kw_only=True)
class ResearchOptions:
    """The command line of `steelyard research` as a record."""

    golden: Path
    outputs: Path
    gates_file: Path | None = None
    thresholds: Mapping[str, float] = field(default_factory=dict)
    """Thresholds of single gates, which win over the file's."""
    agent: str | None = None
    slice_by: tuple[tuple[str, ...], ...] = ()
    name: str | None = None
    runs_dir: Path = Path("runs")
    store: bool = True
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class ResearchEvaluation:
    """A finished evaluation. `details` holds the facts of each run, one a line; it has none after a SYSTEM_ERROR."""

    report: dict[str, Any]
    objectives: Sequence[Objective] = ()
    details: Path | None = None
    run: FinishedRun | None = None

    def objective_facts(self) -> Iterator[dict[str, Any]]:
        """Yield the report's line on each objective."""
        return map(objective_facts, self.objectives)

    def run_facts(self) -> Iterator[bytes]:
        """Yield the report's line on each run, as JSON."""
        if self.details is not None:
            with self.details.open("rb") as lines:
                yield from lines


@contextmanager
def evaluate_research(options: ResearchOptions, watching: Watching = UNWATCHED) -> Iterator[ResearchEvaluation]:
    """Judge stored artifacts. What keeps an evaluation from beginning is a report too, with status SYSTEM_ERROR."""
    thresholds = thresholds_of(options)
    warn_of_plain_secrets()
    if options.store and options.name is not None:
        check_run_name(options.name)
    recipe = ResearchRecipe(
        golden=str(options.golden),
        outputs=str(options.outputs),
        thresholds=thresholds,
        slice_by=options.slice_by,
        agent=options.agent,
    )
    try:
        evaluation = open_artifacts(recipe, options.limits)
    except RequirementError as error:
        yield ResearchEvaluation(system_error_report(error.faults, thresholds))
        return
    _check_slices(options, evaluation.entries)
    with ExitStack() as stack:
        yield _stored(evaluation, options, watching) if options.store else _unstored(evaluation, stack, watching)


def _stored(evaluation: ArtifactsEvaluation, options: ResearchOptions, watching: Watching) -> ResearchEvaluation:
    """Judge and leave a complete run behind."""
    run = make_stored(evaluation, Place(runs_dir=options.runs_dir, name=options.name), watching)
    return ResearchEvaluation(evaluation.content, evaluation.objectives, run.path / DETAILS_FILE, run)


def _unstored(evaluation: ArtifactsEvaluation, stack: ExitStack, watching: Watching) -> ResearchEvaluation:
    """Judge and leave nothing behind."""
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="steelyard-research-"))
    details = Path(folder) / "runs.jsonl"
    with details.open("wb") as stream:
        evaluation.read(stream, watching)
    return ResearchEvaluation(evaluation.content, evaluation.objectives, details)


def _check_slices(options: ResearchOptions, entries: Sequence[GoldenEntry]) -> None:
    known = sorted({SUFFICIENCY_TAG, *(key for entry in entries for key in entry.tags)})
    for key in (key for keys in options.slice_by for key in keys):
        if key not in known:
            message = f"no golden query has the tag {quoted(key)} to slice by"
            raise UsageError(Problem("usage", message, hint=f"there are {', '.join(map(excerpt, known))}"))


def thresholds_of(options: ResearchOptions) -> dict[str, float]:
    """Return seed 002's defaults under the gates file under the command line."""
    read = {} if options.gates_file is None else read_yaml(options.gates_file)
    from_file = parse_thresholds(read, file=str(options.gates_file)) if read else {}
    return DEFAULT_THRESHOLDS | from_file | parse_thresholds(options.thresholds)
