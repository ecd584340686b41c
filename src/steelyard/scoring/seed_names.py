"""Seed 003's metric names, which work in a task file, and what each of them is here."""

from __future__ import annotations

from dataclasses import dataclass

from steelyard.records.answers import AnswerType


@dataclass(frozen=True, slots=True)
class SeedMetric:
    """One of seed 003's metrics as a number that a scorer gives."""

    name: str
    scorer: str
    answer_type: AnswerType
    sub_score: str | None = None
    """The sub-score that is the metric's value; None for the primary score."""


SEED_METRICS: dict[str, SeedMetric] = {
    entry.name: entry
    for entry in (
        SeedMetric("exact_match", "choice@v1", "choice"),
        SeedMetric("numeric_error", "number@v1", "number", "mae"),
        SeedMetric("list_overlap", "list@v1", "list", "f1"),
        SeedMetric("reference_rouge", "text@v1", "text", "rouge1"),
        SeedMetric("reasoning_consistency", "reasoning@v1", "reasoning", "consistency"),
        SeedMetric("claim_evidence_overlap", "reasoning@v1", "reasoning", "evidence_f1"),
        SeedMetric("reasoning_step_order", "reasoning@v1", "reasoning", "step_order"),
        SeedMetric("claim_verifiability", "reasoning@v1", "reasoning", "claim_verifiability"),
    )
}
