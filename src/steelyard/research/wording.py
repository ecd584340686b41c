"""What is said of an objective in words: what was expected, what was found, what to look at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steelyard.research.objectives import Objective

NO_EVIDENCE = "NO_EVIDENCE"
QUOTED = 160
"""How much of a quote an item's output shows; the details of the run have all of it."""


def expected_text(objective: Objective) -> str:
    """Return the reference of an objective as a person reads it."""
    entry = objective.entry
    if entry is None:
        return ""
    if not entry.sufficient:
        return NO_EVIDENCE
    return ", ".join(entry.required_ids) or "evidence, no ids required"


def predicted_text(objective: Objective) -> str | None:
    """Return what the runs gave, in the terms of the reference; None without a readable run."""
    if not objective.runs or len(objective.unreadable) == len(objective.runs):
        return None
    if objective.abstained_runs == len(objective.runs):
        return NO_EVIDENCE
    entry = objective.entry
    if entry is not None and entry.required_ids:
        return ", ".join(found for found in entry.required_ids if found in objective.matched) or "none of the ids"
    return _count(objective.counts["verified_claims"], "verified claim")


def explain(objective: Objective) -> str:
    """Return one sentence that a person can act on."""
    if not objective.runs:
        return "there is no run for this objective"
    if objective.unreadable:
        return f"{_count(len(objective.unreadable), 'run')} cannot be read: {', '.join(objective.unreadable)}"
    found = [*_abstention(objective), *_shortfalls(objective)]
    return "; ".join(found) if found else "every part that applies is whole"


def output_text(facts: Mapping[str, Any]) -> str:
    """Return what one run found, claim by claim with the evidence of each; long quotes are cut."""
    if facts["stop_reason"] is None:
        return f"{facts['run']} cannot be read: {facts['problems'][0]['message']}"
    lines = [f"{facts['run']}: {facts['stop_reason']}" + (f": {facts['summary']}" if facts["summary"] else "")]
    for claim in facts["claims"]:
        lines.append(f"- {claim['claim_id']} ({claim['status']}): {claim['claim_text']}")
        lines += [f"  - {piece['evidence_id'] or 'inline'}: {_quoted(piece)}" for piece in claim["evidence"]]
    return "\n".join(lines)


def _quoted(piece: Mapping[str, Any]) -> str:
    quote = str(piece.get("quote", ""))
    shown = quote if len(quote) <= QUOTED else f"{quote[:QUOTED]}…"
    return f'"{shown}"' + (f" ({piece['detail']})" if piece["detail"] else "")


def _abstention(objective: Objective) -> list[str]:
    counts, entry = objective.counts, objective.entry
    if entry is None:
        return ["no golden query has this objective"]
    if entry.sufficient:
        over = counts["over_abstained_runs"]
        return [f"{_count(over, 'run')} abstained although evidence is sufficient"] if over else []
    if objective.abstains:
        return []
    asserting = counts["asserting_runs"]
    if asserting:
        return [f"{_count(asserting, 'run')} verified claims although evidence is insufficient"]
    return ["evidence is insufficient, and not every run stopped with NO_EVIDENCE"]


def _shortfalls(objective: Objective) -> list[str]:
    counts = objective.counts
    uncovered = counts["verified_claims"] - counts["covered_claims"]
    unrecorded = counts["steps"] - counts["recorded_steps"]
    found = [f"{uncovered} of {_count(counts['verified_claims'], 'verified claim')} without evidence that counts"]
    found = found if uncovered else []
    if objective.missing_ids:
        found.append(f"required evidence not in the ledger: {', '.join(objective.missing_ids)}")
    if unrecorded:
        found.append(f"{unrecorded} of {_count(counts['steps'], 'step')} without a manifest")
    return found


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
