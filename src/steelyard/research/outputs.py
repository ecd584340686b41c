"""`research_output.json` as records: claims, the evidence they cite, and the ledger.

A run's own shape is strict: a key of the wrong type makes it unreadable. What a piece of evidence lacks is no fault of
shape but a finding, so evidence keeps its raw values for `evidence.py` to judge.

Beside them the steps of a run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

from steelyard.research.faults import (
    ArtifactError,
    expect_identifier,
    expect_list,
    expect_object,
    expect_text,
    expect_word,
    identifier,
    kind,
)

ClaimStatus: TypeAlias = Literal["verified", "candidate", "retracted"]
StopReason: TypeAlias = Literal[
    "OBJECTIVE_ACHIEVED", "BUDGET_EXCEEDED", "NO_EVIDENCE", "HUMAN_REQUESTED", "SYSTEM_ERROR"
]
CLAIM_STATUSES: tuple[ClaimStatus, ...] = get_args(ClaimStatus)
STOP_REASONS: tuple[StopReason, ...] = get_args(StopReason)


@dataclass(frozen=True, slots=True)
class Evidence:
    """One record of evidence, its values as they stand in the file."""

    evidence_id: str | None
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Citation:
    """What a claim cites: a record, or an id that leads to none."""

    evidence_id: str | None
    record: Evidence | None


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim with the evidence it cites, in order."""

    claim_id: str
    text: str
    status: str
    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True)
class ResearchOutput:
    """What a run says it found."""

    run_id: str
    objective: str
    stop_reason: str
    summary: str
    claims: tuple[Claim, ...]
    ledger: Mapping[str, Evidence]

    @property
    def verified(self) -> tuple[Claim, ...]:
        """The claims that the run vouches for."""
        return tuple(claim for claim in self.claims if claim.status == "verified")

    @property
    def abstained(self) -> bool:
        """Whether the run stopped for want of evidence and vouches for nothing."""
        return self.stop_reason == "NO_EVIDENCE" and not self.verified


def parse_output(value: Any) -> ResearchOutput:
    """Return a research output from its JSON value, or raise ArtifactError."""
    values = expect_object(value, "the output")
    _check_optional(values)
    ledger = _ledger(values)
    claims = tuple(
        _claim(entry, number, ledger) for number, entry in enumerate(expect_list(values, "claims", "the output"), 1)
    )
    _refuse_duplicates(claims)
    summary = values.get("summary")
    return ResearchOutput(
        run_id=expect_identifier(values, "run_id", "the output"),
        objective=expect_text(values, "objective", "the output"),
        stop_reason=expect_word(values, "stop_reason", "the output", STOP_REASONS),
        summary=summary if isinstance(summary, str) else "",
        claims=claims,
        ledger=ledger,
    )


def _check_optional(values: Mapping[str, Any]) -> None:
    for key, type_, expected in (("summary", str, "a text"), ("metadata", dict, "an object")):
        found = values.get(key)
        if found is not None and not isinstance(found, type_):
            raise ArtifactError(f"{key!r} of the output is {kind(found)}, expected {expected}")


def _ledger(values: Mapping[str, Any]) -> dict[str, Evidence]:
    """Return the run's evidence by id. A record that stands twice is one; two records of one id are a fault."""
    if values.get("evidence") is None:
        return {}
    found: dict[str, Evidence] = {}
    for number, entry in enumerate(expect_list(values, "evidence", "the output"), start=1):
        fields = expect_object(entry, f"evidence {number} of the ledger")
        evidence_id = expect_identifier(fields, "evidence_id", f"evidence {number} of the ledger")
        known = found.setdefault(evidence_id, Evidence(evidence_id, fields))
        if known.fields != fields:
            raise ArtifactError(f"two records of the ledger have the evidence_id {evidence_id!r} and differ")
    return found


def _claim(value: Any, number: int, ledger: Mapping[str, Evidence]) -> Claim:
    what = f"claim {number}"
    values = expect_object(value, what)
    cited = expect_list(values, "evidence", what) if values.get("evidence") is not None else ()
    return Claim(
        claim_id=expect_identifier(values, "claim_id", what),
        text=expect_text(values, "claim_text", what),
        status=expect_word(values, "status", what, CLAIM_STATUSES),
        citations=tuple(_citation(entry, what, ledger) for entry in cited),
    )


def _citation(value: Any, what: str, ledger: Mapping[str, Evidence]) -> Citation:
    """Return evidence that stands inline, or that the ledger has under the id."""
    reference = value.get("evidence_id") if isinstance(value, dict) and set(value) == {"evidence_id"} else value
    evidence_id = identifier(reference)
    if evidence_id is not None:
        return Citation(evidence_id, ledger.get(evidence_id))
    if not isinstance(value, dict):
        raise ArtifactError(f"{what} cites {kind(value)}, expected the id of evidence or a record of it")
    inline = identifier(value.get("evidence_id"))
    return Citation(inline, Evidence(inline, value))


def _refuse_duplicates(claims: tuple[Claim, ...]) -> None:
    seen: set[str] = set()
    for claim in claims:
        if claim.claim_id in seen:
            raise ArtifactError(f"two claims have the claim_id {claim.claim_id!r}")
        seen.add(claim.claim_id)


# Steps and their manifests. A step is a distinct `(run_id, step_id)` among a run's events and manifests.


EventType: TypeAlias = Literal["COMPILE", "PLAN", "ACT", "OBSERVE", "CHECKPOINT", "EGRESS"]
EVENT_TYPES: tuple[EventType, ...] = get_args(EventType)

_DIGITS = re.compile(r"([0-9]{1,18})")

Step: TypeAlias = tuple[str, str]
"""Run and step."""


@dataclass(slots=True)
class StepLedger:
    """The steps of one run, as its events and manifests name them."""

    happened: set[Step] = field(default_factory=set)
    recorded: set[Step] = field(default_factory=set)

    def add_event(self, value: Any) -> None:
        """Take up one line of `events.jsonl`."""
        values = expect_object(value, "the event")
        expect_word(values, "event_type", "the event", EVENT_TYPES)
        self.happened.add(_step(values, "the event"))

    def add_manifest(self, value: Any) -> None:
        """Take up one manifest."""
        self.recorded.add(_step(expect_object(value, "the manifest"), "the manifest"))

    @property
    def total(self) -> int:
        """How many steps there are: a manifest is a step too, whether or not an event tells of it."""
        return len(self.happened | self.recorded)

    @property
    def without_manifest(self) -> list[Step]:
        """The steps that no manifest records, in order of their ids."""
        return sorted(self.happened - self.recorded, key=_natural)

    @property
    def without_event(self) -> list[Step]:
        """The steps that a manifest records and no event tells of."""
        return sorted(self.recorded - self.happened, key=_natural)


def _step(values: Any, what: str) -> Step:
    return expect_identifier(values, "run_id", what), expect_identifier(values, "step_id", what)


def _natural(step: Step) -> tuple[str, list[str | int], str]:
    """Return what steps are listed by: numbers in a name count as numbers, so that s2 comes before s10."""
    run, name = step
    # Text and digits alternate, text first, so that the parts of two names compare like with like.
    parts: list[str | int] = [int(part) if place % 2 else part for place, part in enumerate(_DIGITS.split(name))]
    return run, parts, name
