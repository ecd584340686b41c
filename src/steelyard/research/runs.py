"""One run judged: which claims are covered, which evidence counts, which steps have a manifest.

A run with an artifact that cannot be read counts as failing: its claims as uncovered, its steps as without a manifest
(at least one of each), its ledger as empty, and it has not abstained.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from steelyard.errors import Problem
from steelyard.research.evidence import Chunks, EvidenceJudgement, judge_citation, judge_evidence
from steelyard.research.outputs import Claim, Evidence, ResearchOutput, Step, StepLedger, parse_output


@dataclass(frozen=True, slots=True)
class ClaimJudgement:
    """One claim with what is said of each piece of evidence it cites."""

    claim: Claim
    evidence: tuple[EvidenceJudgement, ...]

    @property
    def covered(self) -> bool:
        """Whether at least one piece of its evidence counts."""
        return any(piece.counts for piece in self.evidence)


@dataclass(frozen=True, slots=True)
class RunJudgement:
    """Everything that is known of one run."""

    folder: str
    output: ResearchOutput | None
    """None where not even the output could be read."""
    claims: tuple[ClaimJudgement, ...]
    uncited: tuple[EvidenceJudgement, ...]
    """Records of the ledger that no claim cites."""
    steps: StepLedger
    problems: tuple[Problem, ...]
    """Why the run cannot be read; empty for a good one."""
    quotes_checked: bool
    """Whether the run stores chunks to hold quotes against."""
    held_key: bool = False
    """Whether a key was taken out of its artifacts."""

    @property
    def readable(self) -> bool:
        """Whether every artifact could be read."""
        return not self.problems

    @property
    def verified(self) -> tuple[ClaimJudgement, ...]:
        """The claims that the run vouches for."""
        return tuple(judgement for judgement in self.claims if judgement.claim.status == "verified")

    @property
    def cited_pieces(self) -> dict[str, bool]:
        """What verified claims cite, each piece once, and whether it counts wherever it is cited.

        A piece is known by its id; one without an id by what it says.
        """
        found: dict[str, bool] = {}
        for piece in (piece for judgement in self.verified for piece in judgement.evidence):
            key = json.dumps(piece.evidence_id or piece.shown, sort_keys=True)
            found[key] = found.get(key, True) and piece.counts
        return found

    @property
    def ledger_ids(self) -> frozenset[str]:
        """The evidence ids that golden recall finds."""
        return frozenset(self.output.ledger) if self.output and self.readable else frozenset()

    @property
    def defective_ids(self) -> frozenset[str]:
        """Ids of the ledger whose evidence would cover no claim."""
        pieces = (*self.uncited, *(piece for claim in self.claims for piece in claim.evidence))
        return frozenset(piece.evidence_id for piece in pieces if piece.evidence_id and not piece.counts)

    @property
    def inline_ids(self) -> frozenset[str]:
        """Evidence ids that claims cite inline and the ledger does not have."""
        if not self.output:
            return frozenset()
        cited = (citation for claim in self.output.claims for citation in claim.citations if citation.record)
        return frozenset(found.evidence_id for found in cited if found.evidence_id) - frozenset(self.output.ledger)

    @property
    def abstained(self) -> bool:
        """Whether the run stopped with NO_EVIDENCE and verified nothing."""
        return self.readable and self.output is not None and self.output.abstained

    @property
    def shared_evidence(self) -> dict[str, list[str]]:
        """Evidence ids that more than one verified claim cites, with those claims."""
        citing: dict[str, list[str]] = {}
        for judgement in self.verified:
            for evidence_id in dict.fromkeys(piece.evidence_id for piece in judgement.evidence):
                if evidence_id is not None:
                    citing.setdefault(evidence_id, []).append(judgement.claim.claim_id)
        return {evidence_id: claims for evidence_id, claims in citing.items() if len(claims) > 1}


@dataclass(slots=True)
class RunUnderJudgement:
    """Takes up a run's artifacts as they are read."""

    folder: str
    output: ResearchOutput | None = None
    steps: StepLedger = field(default_factory=StepLedger)
    chunks: Chunks | None = None
    problems: list[Problem] = field(default_factory=list)
    held_key: bool = False

    def add_output(self, value: Any) -> None:
        """Take up `research_output.json`."""
        self.output = parse_output(value)

    def add_chunk(self, value: Any) -> None:
        """Take up one line of `chunks.jsonl`; `expect_chunks` comes first."""
        assert self.chunks is not None
        self.chunks.add(value)

    def expect_chunks(self) -> None:
        """Say that the run stores chunks, which may be none."""
        self.chunks = Chunks(_records(self.output) if self.output else ())

    def judgement(self) -> RunJudgement:
        """Return what is known once everything has been read."""
        output = self.output
        return RunJudgement(
            folder=self.folder,
            output=output,
            claims=tuple(self._claim(claim) for claim in output.claims) if output else (),
            uncited=tuple(judge_evidence(record, self.chunks) for record in _uncited(output)) if output else (),
            steps=self.steps,
            problems=tuple(self.problems),
            quotes_checked=self.chunks is not None,
            held_key=self.held_key,
        )

    def _claim(self, claim: Claim) -> ClaimJudgement:
        return ClaimJudgement(claim, tuple(judge_citation(citation, self.chunks) for citation in claim.citations))


def _records(output: ResearchOutput) -> Iterator[Evidence]:
    yield from output.ledger.values()
    for claim in output.claims:
        yield from (citation.record for citation in claim.citations if citation.record)


def _uncited(output: ResearchOutput) -> list[Evidence]:
    cited = {citation.evidence_id for claim in output.claims for citation in claim.citations}
    return [record for evidence_id, record in output.ledger.items() if evidence_id not in cited]


def run_facts(run: RunJudgement, *, has_entry: bool) -> dict[str, Any]:
    """Return a run as the report lists it: claims and evidence side by side, and the steps without a manifest."""
    output, steps = run.output, run.steps
    return {
        "run": run.folder,
        "run_id": output.run_id if output else None,
        "objective": output.objective if output else None,
        "has_entry": has_entry,
        "readable": run.readable,
        "problems": [problem.as_dict() for problem in run.problems],
        "stop_reason": output.stop_reason if output else None,
        "summary": output.summary if output else None,
        "abstained": run.abstained,
        "claims": [_claim_facts(judgement, readable=run.readable) for judgement in run.claims],
        "uncited_evidence": [evidence_facts(piece) for piece in run.uncited],
        "shared_evidence": [{"evidence_id": key, "claims": claims} for key, claims in run.shared_evidence.items()],
        "quotes_checked": run.quotes_checked,
        "steps": steps.total,
        "steps_without_manifest": _step_names(steps.without_manifest, output),
        "manifests_without_event": _step_names(steps.without_event, output),
    }


def _claim_facts(judgement: ClaimJudgement, *, readable: bool) -> dict[str, Any]:
    claim = judgement.claim
    return {
        "claim_id": claim.claim_id,
        "claim_text": claim.text,
        "status": claim.status,
        "covered": judgement.covered and readable,
        "evidence": [evidence_facts(piece) for piece in judgement.evidence],
    }


def evidence_facts(piece: EvidenceJudgement) -> dict[str, Any]:
    """Return one piece of evidence with what is missing or wrong."""
    return {
        "evidence_id": piece.evidence_id,
        "counts": piece.counts,
        "missing": list(piece.missing),
        "faults": list(piece.faults),
        "detail": piece.detail,
        **piece.shown,
    }


def _step_names(steps: list[Step], output: ResearchOutput | None) -> list[str]:
    """Return steps of the run itself by their id, those of another run by both."""
    own = output.run_id if output else None
    return [step if run == own else f"{run}/{step}" for run, step in steps]
