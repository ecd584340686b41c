"""Golden queries and artifacts ready to be judged, one run of the agent at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

from steelyard.errors import InputError, Problem
from steelyard.kinds.research.reading import RunReader, find_runs, read_golden
from steelyard.kinds.research.recipe import TASK, ResearchRecipe
from steelyard.reading.ids import sha256_file
from steelyard.reading.limits import Limits
from steelyard.records.plans import ReportPlan
from steelyard.research.gates import DEFAULT_THRESHOLDS
from steelyard.research.golden import GoldenEntry
from steelyard.research.items import BLOCK_OBJECTIVES, PRIMARY, facts_line, objective_blocks, shown_objectives
from steelyard.research.measures import RATIOS
from steelyard.research.objectives import Objective, Objectives
from steelyard.research.report import Findings, Sources, report
from steelyard.research.runs import run_facts
from steelyard.research.slices import ratio_slices, with_ratios
from steelyard.runs.places import UNWATCHED, Watching
from steelyard.runs.recipes import Found, Taking
from steelyard.runs.recording import RunIdentity
from steelyard.store.files import replacing

DETAILS_FILE = "eval/research_runs.jsonl"
VERSION = 1
SCORER = f"{PRIMARY}@v{VERSION}"
SIGNATURES = {
    "scorers": [f"{SCORER}|join=basic,quotes=folded"],
    "metrics": [ratio.key for ratio in RATIOS],
    "canonical": [],
}


@dataclass
class ArtifactsEvaluation:
    """One evaluation of an agent's artifacts; what it found is kept for whoever prints it."""

    recipe: ResearchRecipe
    entries: Sequence[GoldenEntry]
    folders: Sequence[str]
    ignored: tuple[str, ...]
    limits: Limits = field(default_factory=Limits)
    expected: str | None = None
    """The hash that the artifacts must have; None where they are judged for the first time."""
    group_rows: int | None = BLOCK_OBJECTIVES
    judged_by: dict[str, Any] | None = None
    content: dict[str, Any] = field(default_factory=dict)
    """The report, once everything is judged."""
    objectives: Sequence[Objective] = ()

    @property
    def thresholds(self) -> Mapping[str, float]:
        """The thresholds of all gates."""
        return DEFAULT_THRESHOLDS | dict(self.recipe.thresholds)

    @cached_property
    def golden(self) -> str:
        """The hash of the golden queries."""
        return sha256_file(self.recipe.data())

    @property
    def identity(self) -> RunIdentity:
        """What the run says about itself."""
        agent = self.recipe.agent
        return RunIdentity(
            task=TASK,
            scorer_version=SCORER,
            signatures=SIGNATURES,
            model={"name": agent, "kind": "research agent"} if agent else {"kind": "research agent"},
            dataset={"path": self.recipe.golden, "sha256": self.golden},
            kind="research",
        )

    @property
    def plan(self) -> ReportPlan:
        """What is reported over objectives."""
        directions = {ratio.name: ratio.direction for ratio in RATIOS}
        return ReportPlan(PRIMARY, (), dict(directions), slice_by=self.recipe.slice_by)

    def config(self) -> dict[str, Any]:
        """Return the recipe as the run keeps it, with the gates that decided."""
        decided = [gate["metric"] for gate in self.content["gates"] if gate["status"] != "NOT_APPLICABLE"]
        golden, outputs = (str(Path(place).resolve()) for place in (self.recipe.golden, self.recipe.outputs))
        return replace(self.recipe, gates=tuple(decided), golden=golden, outputs=outputs).config()

    def manifest(self, taking: Taking, found: Found) -> dict[str, Any]:
        """Return what the artifacts hash to."""
        del taking, found
        outputs = self.content["outputs"]
        return {"golden": self.content["golden"], "outputs": {"sha256": outputs["sha256"], "runs": outputs["runs"]}}

    def judge(self, taking: Taking, watching: Watching) -> Found:
        """Write what is known of each run and give the items.

        Artifacts that have another hash than is expected are refused before anything is replaced.
        """
        details = taking.path / DETAILS_FILE
        with replacing(details) as stream:
            self.read(stream, watching)
            if self.expected not in (None, self.content["outputs"]["sha256"]):
                raise self._changed()
        for block in objective_blocks(self.objectives, details):
            taking.add(block)
        taking.report.further.update(self.content["metrics"])
        extra: dict[str, Any] = {"research": {**self.content, "objectives": shown_objectives(self.objectives, details)}}
        if self.recipe.slice_by:
            extra["slices"] = with_ratios(taking.report.results()["slices"], self.content["slices"])
        return Found(extra, flags=("unreadable_runs",) if self.content["unreadable_runs"] else ())

    def read(self, stream: BinaryIO, watching: Watching = UNWATCHED) -> None:
        """Take up one run at a time, write its facts down, and let it go."""
        outputs = Path(self.recipe.outputs)
        reader = RunReader(outputs, self.limits)
        board, findings = Objectives(self.entries), Findings()
        for number, folder in enumerate(self.folders, start=1):
            run = reader.read(outputs / folder)
            facts = run_facts(run, has_entry=board.has_entry(run))
            board.add(run, stream.tell())
            findings.add(run, facts)
            stream.write(facts_line(facts))
            if watching.judged is not None:
                watching.judged(number)
        self.objectives = board.closed()
        sources = Sources(self.golden, reader.sha256, self.ignored)
        self.content = report(self.objectives, findings, self.thresholds, sources)
        if self.recipe.slice_by:
            self.content["slices"] = ratio_slices(self.objectives, self.recipe.slice_by)

    def _changed(self) -> InputError:
        found = self.content["outputs"]["sha256"]
        message = f"the artifacts' hash is {found}, expected {self.expected}: they have changed since the run"
        hint = "bring the artifacts back as they were, or judge the changed ones under another name"
        return InputError(Problem("dataset-changed", message, hint=hint, file=self.recipe.outputs))


def open_artifacts(
    recipe: ResearchRecipe, limits: Limits | None = None, *, expected: str | None = None
) -> ArtifactsEvaluation:
    """Return artifacts ready to be judged; what keeps an evaluation from beginning raises RequirementError."""
    limits = limits or Limits()
    entries = read_golden(recipe.data(), limits)
    folders, ignored = find_runs(Path(recipe.outputs))
    return ArtifactsEvaluation(recipe, entries, folders, tuple(ignored), limits, expected)
