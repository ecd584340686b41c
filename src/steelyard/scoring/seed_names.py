"""Seed 003's metric names, which work in a task file and in a scoring profile, and what each of them is here."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from steelyard.errors import ConfigurationError, Problem, quoted
from steelyard.records.answers import AnswerType, ReasoningPart


@dataclass(frozen=True, slots=True)
class SeedMetric:
    """One of seed 003's metrics: the scorer whose primary score it is."""

    name: str
    scorer: str
    answer_type: AnswerType
    part: ReasoningPart | None = None
    """The part of a reasoning that stands in the metric's fields."""


SEED_METRICS: dict[str, SeedMetric] = {
    entry.name: entry
    for entry in (
        SeedMetric("exact_match", "choice@v1", "choice"),
        SeedMetric("numeric_error", "number@v1", "number"),
        SeedMetric("list_overlap", "list@v1", "list"),
        SeedMetric("reference_rouge", "text", "text"),
        SeedMetric("reasoning_consistency", "reasoning_consistency@v1", "reasoning", "final_answer"),
        SeedMetric("claim_evidence_overlap", "claim_evidence_overlap@v1", "reasoning", "claims"),
        SeedMetric("reasoning_step_order", "reasoning_step_order@v1", "reasoning", "steps"),
        SeedMetric("claim_verifiability", "claim_verifiability@v1", "reasoning", "claims"),
    )
}

_TEXT_MEASURES = ("rouge1", "rougeL", "f1", "exact_match", "keyword_coverage")
PRIMARY_METRICS: dict[AnswerType, dict[str, dict[str, str]]] = {
    "choice": {"exact_match": {}, "accuracy": {}},
    "number": {"within_tol": {}, "within_tolerance": {}},
    "list": {"f1": {}, "list_overlap": {}},
    "text": {name: {"primary": name} for name in _TEXT_MEASURES}
    | {name: {"primary": "rouge1"} for name in ("rouge", "reference_rouge")},
    "reasoning": {"final_answer": {}},
}
"""For each answer type: what a profile may name as `primary_metric`, and the scorer's parameters that make it so."""


def primary_parameters(answer_type: AnswerType, name: str) -> dict[str, str]:
    """Return the scorer's parameters under which a metric is the primary score, or raise with the names there are.

    >>> primary_parameters("text", "keyword_coverage"), primary_parameters("choice", "exact_match")
    ({'primary': 'keyword_coverage'}, {})
    """
    known = PRIMARY_METRICS[answer_type]
    if name not in known:
        message = f"{quoted(name)} cannot be the primary_metric of {answer_type}; there are {', '.join(known)}"
        raise ConfigurationError(Problem(code="unknown-name", message=message))
    return known[name]


def is_part(name: str, answer_type: AnswerType, sub_scores: Container[str]) -> bool:
    """Return whether a metric's name means a number that the type's scorer reports anyway."""
    meaning = SEED_METRICS.get(name)
    known = name in sub_scores or name in PRIMARY_METRICS[answer_type]
    return known or (meaning is not None and meaning.answer_type == answer_type)
