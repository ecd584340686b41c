"""The report: status, gates, metrics, what is missing, objective by objective.

The same artifacts give the same bytes: no clock, no path, no run name stands in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from steelyard.errors import LISTED_PROBLEMS, Problem
from steelyard.research.gates import GateVerdict, decide, overall
from steelyard.research.golden import REQUIREMENTS, Requirement
from steelyard.research.measures import GATED, RATIOS, measure
from steelyard.research.objectives import Objective
from steelyard.research.runs import RunJudgement
from steelyard.research.wording import explain

REPORT_VERSION = 1
LISTED = 100
"""How many claims, steps and shared pieces of evidence are listed over all runs; each run lists all of its own."""
STOPPED = "the evaluation stopped before any run was judged"


@dataclass(slots=True)
class Listing:
    """The first entries of a list that may be long, and how many there are."""

    total: int = 0
    listed: list[dict[str, Any]] = field(default_factory=list)

    def add(self, entry: dict[str, Any]) -> None:
        """Count an entry, and keep it while the list is short."""
        self.total += 1
        if len(self.listed) < LISTED:
            self.listed.append(entry)

    def facts(self) -> dict[str, Any]:
        """Return the listing as the report has it."""
        return {"total": self.total, "listed": self.listed}


@dataclass(slots=True)
class Findings:
    """What is listed over all runs, gathered run by run."""

    runs: int = 0
    without_entry: list[dict[str, Any]] = field(default_factory=list)
    unreadable: list[dict[str, Any]] = field(default_factory=list)
    uncovered: Listing = field(default_factory=Listing)
    unrecorded: Listing = field(default_factory=Listing)
    shared: Listing = field(default_factory=Listing)
    evidence: Counter[str] = field(default_factory=Counter)
    """How many pieces of evidence lack what, and `pieces` and `counting` over all."""

    def add(self, run: RunJudgement, facts: Mapping[str, Any]) -> None:
        """Take up one run with the facts that the report lists of it."""
        self.runs += 1
        if not run.readable:
            self.unreadable.append({"run": run.folder, "problems": facts["problems"]})
        if not facts["has_entry"] and run.output is not None:
            self.without_entry.append({"run": run.folder, "objective": run.output.objective})
        for judgement in run.verified:
            if not judgement.covered:
                details = [f"{piece.evidence_id or 'inline'}: {piece.detail}" for piece in judgement.evidence]
                claim = {"run": run.folder, "claim_id": judgement.claim.claim_id}
                self.uncovered.add(claim | {"why": details or ["it cites no evidence"]})
        for step in facts["steps_without_manifest"]:
            self.unrecorded.add({"run": run.folder, "step_id": step})
        for shared in facts["shared_evidence"]:
            self.shared.add({"run": run.folder, **shared})
        self._count_evidence(run)

    def _count_evidence(self, run: RunJudgement) -> None:
        pieces = [*run.uncited, *(piece for claim in run.claims for piece in claim.evidence)]
        self.evidence["pieces"] += len(pieces)
        self.evidence["counting"] += sum(piece.counts for piece in pieces)
        for piece in pieces:
            self.evidence.update(f"no_{name}" for name in piece.missing)
            self.evidence.update(piece.faults)


@dataclass(frozen=True, slots=True)
class Sources:
    """What was judged, by content."""

    golden_sha256: str
    outputs_sha256: str
    ignored: tuple[str, ...]
    """Names in the outputs folder that are no runs."""


def report(
    objectives: Sequence[Objective], findings: Findings, thresholds: Mapping[str, float], sources: Sources
) -> dict[str, Any]:
    """Return the report without its `objectives` and `runs`, which may be too many to hold as facts."""
    units = [objective.counts for objective in objectives]
    measurements = {ratio.name: measure(ratio, units) for ratio in RATIOS}
    verdicts = decide(measurements, thresholds)
    entries = [objective.entry for objective in objectives if objective.entry is not None]
    insufficient = sum(not entry.sufficient for entry in entries)
    return {
        "report_version": REPORT_VERSION,
        "status": overall(verdicts),
        "gates": [verdict.facts() for verdict in verdicts],
        "metrics": {name: measurement.facts() for name, measurement in measurements.items()},
        "golden": {"sha256": sources.golden_sha256, "entries": len(entries), "insufficient": insufficient},
        "outputs": {"sha256": sources.outputs_sha256, "runs": findings.runs, "ignored": list(sources.ignored)},
        "entries_without_run": [found.text for found in objectives if found.entry is not None and not found.runs],
        "runs_without_entry": findings.without_entry,
        "unreadable_runs": findings.unreadable,
        "uncovered_claims": findings.uncovered.facts(),
        "steps_without_manifest": findings.unrecorded.facts(),
        "shared_evidence": findings.shared.facts(),
        "evidence": {key: findings.evidence[key] for key in ("pieces", "counting")}
        | {key: count for key, count in sorted(findings.evidence.items()) if key not in ("pieces", "counting")},
    }


def objective_facts(objective: Objective) -> dict[str, Any]:
    """Return one objective's line of the breakdown."""
    entry = objective.entry
    return {
        "objective": objective.text or None,
        "item_id": objective.identity,
        "has_entry": entry is not None,
        "evidence_sufficient": entry.sufficient if entry is not None else None,
        "score": objective.score,
        "pass": objective.passed,
        "parts": objective.parts(),
        "runs": list(objective.runs),
        "unreadable_runs": list(objective.unreadable),
        "abstained_runs": objective.abstained_runs,
        "counts": dict(objective.counts),
        "missing_evidence_ids": objective.missing_ids,
        "inline_only_evidence_ids": sorted(objective.inline - objective.matched),
        "defective_evidence_ids": sorted(objective.defective & objective.matched),
        "error_tags": list(objective.error_tags),
        "explain": explain(objective),
    }


def system_error_report(
    faults: Sequence[tuple[Requirement, Problem]], thresholds: Mapping[str, float]
) -> dict[str, Any]:
    """Return the report of an evaluation that could not begin: what is missing, and no gate passed."""
    verdicts = [GateVerdict(measure(ratio, []), float(thresholds[ratio.name])) for ratio in GATED]
    return {
        "report_version": REPORT_VERSION,
        "status": "SYSTEM_ERROR",
        "missing_requirements": [
            {"requirement": requirement, "meaning": REQUIREMENTS[requirement], **problem.as_dict()}
            for requirement, problem in faults[:LISTED_PROBLEMS]
        ],
        "total_missing": len(faults),
        "gates": [verdict.facts() | {"reason": STOPPED} for verdict in verdicts],
        "metrics": {ratio.name: measure(ratio, []).facts() for ratio in RATIOS},
    }
