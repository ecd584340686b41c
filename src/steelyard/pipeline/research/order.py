"""Evidence gates: golden queries and stored artifacts in, a report and an ordinary run out (page 50)."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from steelyard.errors import InputError, Problem, UsageError, excerpt, quoted
from steelyard.pipeline.recording.run import Derivation, Evaluation, Recorder, RunIdentity, recording
from steelyard.pipeline.research.items import (
    BLOCK_OBJECTIVES,
    PRIMARY,
    SUFFICIENCY_TAG,
    facts_line,
    objective_blocks,
    shown_objectives,
)
from steelyard.pipeline.research.reading import RequirementError, RunReader, find_runs, read_golden
from steelyard.pipeline.research.slices import ratio_slices, with_ratios
from steelyard.reading.hashing import sha256_file
from steelyard.reading.limits import Limits
from steelyard.reading.yaml_file import read_yaml
from steelyard.records.plans import ReportPlan
from steelyard.records.secrets import warn_of_plain_secrets
from steelyard.research.gates import DEFAULT_THRESHOLDS, parse_thresholds
from steelyard.research.golden import GoldenEntry
from steelyard.research.measures import RATIOS
from steelyard.research.objectives import Objective, Objectives
from steelyard.research.report import Findings, Sources, objective_facts, report, system_error_report
from steelyard.research.runs import run_facts
from steelyard.store.directories import check_run_name
from steelyard.store.files import replacing

TASK = "research"
DETAILS_FILE = "eval/research_runs.jsonl"
VERSION = 1
SCORER = f"{PRIMARY}@v{VERSION}"
SIGNATURES = {
    "scorers": [f"{SCORER}|join=basic,quotes=folded"],
    "metrics": [ratio.key for ratio in RATIOS],
    "canonical": [],
}

Progress = Callable[[int], None]
"""Called with the number of runs judged so far."""


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
    run: Evaluation | None = None

    def objective_facts(self) -> Iterator[dict[str, Any]]:
        """Yield the report's line on each objective."""
        return map(objective_facts, self.objectives)

    def run_facts(self) -> Iterator[bytes]:
        """Yield the report's line on each run, as JSON."""
        if self.details is not None:
            with self.details.open("rb") as lines:
                yield from lines


@contextmanager
def evaluate_research(options: ResearchOptions, *, progress: Progress | None = None) -> Iterator[ResearchEvaluation]:
    """Judge stored artifacts. What keeps an evaluation from beginning is a report too, with status SYSTEM_ERROR."""
    thresholds = thresholds_of(options)
    warn_of_plain_secrets()
    if options.store and options.name is not None:
        check_run_name(options.name)
    try:
        entries = read_golden(options.golden, options.limits)
        folders, ignored = find_runs(options.outputs)
    except RequirementError as error:
        yield ResearchEvaluation(system_error_report(error.faults, thresholds))
        return
    _check_slices(options, entries)
    judging = Judging(options, thresholds, entries, folders, tuple(ignored), progress)
    with ExitStack() as stack:
        yield judging.stored() if options.store else judging.unstored(stack)


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


@dataclass(frozen=True, slots=True)
class Judging:
    """One evaluation under way."""

    options: ResearchOptions
    thresholds: Mapping[str, float]
    entries: Sequence[GoldenEntry]
    folders: Sequence[str]
    ignored: tuple[str, ...]
    progress: Progress | None

    def stored(self) -> ResearchEvaluation:
        """Judge and leave a complete run behind."""
        options = self.options
        golden = sha256_file(options.golden)
        with recording(
            options.runs_dir, options.name, self._identity(golden), self.plan(), BLOCK_OBJECTIVES
        ) as recorder:
            content, objectives, extra = self.derive(recorder, golden)
            run = self._complete(recorder, content, extra)
        return ResearchEvaluation(content, objectives, run.path / DETAILS_FILE, run)

    def derive(
        self, items: Recorder | Derivation, golden: str, outputs: str | None = None
    ) -> tuple[dict[str, Any], list[Objective], dict[str, Any]]:
        """Write what is known of each run and give the items; return the report, the objectives, and further results.

        With `outputs`, artifacts that have another hash are refused before anything is replaced.
        """
        details = items.path / DETAILS_FILE
        with replacing(details) as stream:
            content, objectives = self._judge(stream, golden)
            if outputs is not None and content["outputs"]["sha256"] != outputs:
                raise _changed(content["outputs"]["sha256"], outputs, self.options.outputs)
        for block in objective_blocks(objectives, details):
            items.add(block)
        items.report.further.update(content["metrics"])
        extra: dict[str, Any] = {"research": {**content, "objectives": shown_objectives(objectives, details)}}
        if self.options.slice_by:
            extra["slices"] = with_ratios(items.report.results()["slices"], content["slices"])
        return content, objectives, extra

    def unstored(self, stack: ExitStack) -> ResearchEvaluation:
        """Judge and leave nothing behind."""
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="steelyard-research-"))
        details = Path(folder) / "runs.jsonl"
        with details.open("wb") as stream:
            content, objectives = self._judge(stream, sha256_file(self.options.golden))
        return ResearchEvaluation(content, objectives, details)

    def _judge(self, stream: BinaryIO, golden: str) -> tuple[dict[str, Any], list[Objective]]:
        """Take up one run at a time, write its facts down, and let it go."""
        reader = RunReader(self.options.outputs, self.options.limits)
        board, findings = Objectives(self.entries), Findings()
        for number, folder in enumerate(self.folders, start=1):
            run = reader.read(self.options.outputs / folder)
            facts = run_facts(run, has_entry=board.has_entry(run))
            board.add(run, stream.tell())
            findings.add(run, facts)
            stream.write(facts_line(facts))
            if self.progress is not None:
                self.progress(number)
        objectives = board.closed()
        sources = Sources(golden, reader.sha256, self.ignored)
        content = report(objectives, findings, self.thresholds, sources)
        if self.options.slice_by:
            content["slices"] = ratio_slices(objectives, self.options.slice_by)
        return content, objectives

    def _identity(self, golden: str) -> RunIdentity:
        options = self.options
        return RunIdentity(
            task=TASK,
            scorer_version=SCORER,
            signatures=SIGNATURES,
            model={"name": options.agent, "kind": "research agent"} if options.agent else {"kind": "research agent"},
            dataset={"path": str(options.golden), "sha256": golden},
        )

    def plan(self) -> ReportPlan:
        """Return what is reported over objectives."""
        directions = {ratio.name: ratio.direction for ratio in RATIOS}
        return ReportPlan(PRIMARY, (), dict(directions), slice_by=self.options.slice_by)

    def _complete(self, recorder: Recorder, content: Mapping[str, Any], extra: dict[str, Any]) -> Evaluation:
        options = self.options
        slices = {"slice_by": [list(keys) for keys in options.slice_by]} if options.slice_by else {}
        decided = [gate for gate in content["gates"] if gate["status"] != "NOT_APPLICABLE"]
        return recorder.complete(
            config={
                "task": TASK,
                "golden": str(options.golden.resolve()),
                "outputs": str(options.outputs.resolve()),
                "gates": [{"metric": gate["metric"], "min": gate["threshold"]} for gate in decided],
                "thresholds": dict(self.thresholds),
                **slices,
            },
            manifest={
                "golden": content["golden"],
                "outputs": {"sha256": content["outputs"]["sha256"], "runs": content["outputs"]["runs"]},
            },
            extra=extra,
            flags=["unreadable_runs"] if content["unreadable_runs"] else [],
        )


def _changed(found: str, expected: str, outputs: Path) -> InputError:
    message = f"the artifacts' hash is {found}, expected {expected}: they have changed since the run"
    hint = "bring the artifacts back as they were, or judge the changed ones under another name"
    return InputError(Problem("dataset-changed", message, hint=hint, file=str(outputs)))
