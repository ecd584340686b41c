"""`reasoning@v1`: the final answer decides; steps and claims explain and never change `pass` (seed 003, section 5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from steelyard.records.answers import Claim, Profile, Reasoning, Step
from steelyard.records.scores import Score
from steelyard.registry import scorer
from steelyard.scoring.final_answer import score_final_answer, stated_in
from steelyard.text.rouge import lcs_length
from steelyard.text.tokens import normalise

_PASS_THRESHOLD = 0.5
"""Under it a final answer is tagged wrong."""


@scorer(
    "reasoning",
    version=1,
    pass_threshold=_PASS_THRESHOLD,
    sub_scores={
        "claim_coverage": "higher",
        "claim_verifiability": "higher",
        "evidence_citation_rate": "higher",
        "evidence_precision": "higher",
        "evidence_recall": "higher",
        "evidence_f1": "higher",
        "step_completeness": "higher",
        "step_order": "higher",
        "consistency": "higher",
    },
)
def reasoning(predicted: Reasoning, expected: Reasoning, *, normalize: Profile = "basic") -> Score:
    """Score the final answer by its own type's scorer; texts of steps and claims compare after `normalize`.

    Each sub-score is null where it has nothing to measure; the functions below give their formulas.
    """
    final = score_final_answer(predicted.final_answer, expected.final_answer)
    parts = (
        claim_scores(predicted.claims, expected.claims, normalize)
        | evidence_scores(predicted.claims, expected.claims)
        | step_scores(predicted.steps, expected.steps, normalize)
        | {"consistency": consistency(predicted, normalize)}
    )
    flags = {
        "wrong_final_answer": final.primary < _PASS_THRESHOLD,
        "unsupported_claim": _short(parts["claim_verifiability"]),
        "missing_evidence": _short(parts["evidence_recall"]),
        "missing_step": _short(parts["step_completeness"]),
        "wrong_step_order": parts["step_order"] != parts["step_completeness"],
        "inconsistent_reasoning": parts["consistency"] == 0.0,
    }
    tags = tuple(tag for tag, applies in flags.items() if applies)
    return Score(final.primary, _explain(final.explain, tags, len(expected.steps)), parts, tags)


def claim_scores(predicted: Sequence[Claim], expected: Sequence[Claim], profile: Profile) -> dict[str, float | None]:
    """Return the shares of claims.

    claim_coverage = reference claims that the prediction makes / reference claims
    claim_verifiability = predicted claims that cite evidence the reference knows / predicted claims
    evidence_citation_rate = predicted claims that cite any evidence / predicted claims

    Verifiability is null where the reference names no evidence.
    """
    made = {normalise(claim.text, profile) for claim in predicted}
    known = _evidence(expected)
    return {
        "claim_coverage": _share(normalise(claim.text, profile) in made for claim in expected),
        "claim_verifiability": _share(not known.isdisjoint(claim.evidence) for claim in predicted) if known else None,
        "evidence_citation_rate": _share(bool(claim.evidence) for claim in predicted),
    }


def evidence_scores(predicted: Sequence[Claim], expected: Sequence[Claim]) -> dict[str, float | None]:
    """Return how well the evidence ids cited anywhere agree, as sets; null where the reference names none.

    evidence_precision = shared ids / predicted ids, null where nothing is cited
    evidence_recall = shared ids / reference ids
    evidence_f1 = 2 * shared ids / (predicted ids + reference ids)
    """
    cited, known = _evidence(predicted), _evidence(expected)
    if not known:
        return {"evidence_precision": None, "evidence_recall": None, "evidence_f1": None}
    shared = len(cited & known)
    return {
        "evidence_precision": shared / len(cited) if cited else None,
        "evidence_recall": shared / len(known),
        "evidence_f1": 2 * shared / (len(cited) + len(known)),
    }


def step_scores(predicted: Sequence[Step], expected: Sequence[Step], profile: Profile) -> dict[str, float | None]:
    """Return how complete and how well ordered the steps are; null where the reference has none.

    step_completeness = reference steps that the prediction has / reference steps
    step_order = longest common subsequence of steps / reference steps

    Steps are the same by id when every step of both sides has one, else by normalised text. The two are equal where
    the steps that are there stand in the reference's order.
    """
    if not expected:
        return {"step_completeness": None, "step_order": None}
    by_id = all(step.id is not None for step in (*predicted, *expected))
    found, wanted = (
        [step.id if by_id else normalise(step.text, profile) for step in steps] for steps in (predicted, expected)
    )
    return {
        "step_completeness": (Counter(found) & Counter(wanted)).total() / len(wanted),
        "step_order": lcs_length(wanted, found) / len(wanted),
    }


def consistency(predicted: Reasoning, profile: Profile) -> float | None:
    """Return 1 if the steps state the final answer in whole tokens, else 0; null where no step has a word."""
    stated = stated_in([step.text for step in predicted.steps], predicted.final_answer, profile)
    return None if stated is None else float(stated)


def _evidence(claims: Iterable[Claim]) -> set[str]:
    return {identifier for claim in claims for identifier in claim.evidence}


def _share(flags: Iterable[bool]) -> float | None:
    known = list(flags)
    return sum(known) / len(known) if known else None


def _short(share: float | None) -> bool:
    return share is not None and share < 1.0


def _explain(final: str, tags: Sequence[str], steps: int) -> str:
    notes = {
        "unsupported_claim": "a claim cites no evidence that the reference knows",
        "missing_evidence": "evidence of the reference is not cited",
        "missing_step": f"not all {steps} steps of the reference are there",
        "wrong_step_order": "the steps stand in another order",
        "inconsistent_reasoning": "no step states the final answer",
    }
    return "; ".join([f"Final answer: {final.rstrip('.')}", *(notes[tag] for tag in tags if tag in notes)]) + "."
