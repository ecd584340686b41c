"""Seed 003's four metrics of a reasoning, each a scorer of its own: consistency, evidence, step order, verifiability.

A metric is asked of the field that it is about, so claims or steps may come without a final answer. Formulas are those
of `reasoning@v1`. Where that has nothing to measure, two sides that are both empty agree, as two empty lists do.
"""

from __future__ import annotations

from steelyard.records.answers import Profile, Reasoning
from steelyard.records.scores import Score
from steelyard.registry import scorer
from steelyard.scoring.final_answer import score_final_answer
from steelyard.scoring.reasoning import claim_scores, consistency, evidence_scores, step_scores


@scorer("reasoning_consistency", version=1, sub_scores={"consistency": "higher", "final_answer": "higher"})
def reasoning_consistency(predicted: Reasoning, expected: Reasoning, *, normalize: Profile = "basic") -> Score:
    """1 if the prediction's reasoning states its own final answer in whole tokens, else 0.

    `consistency` is null where there is no reasoning to look in, which is no agreement and scores 0. `final_answer` is
    the score of the final answer against the reference; it explains and never decides.
    """
    found = consistency(predicted, normalize)
    final = score_final_answer(predicted.final_answer, expected.final_answer)
    parts = {"consistency": found, "final_answer": final.primary}
    told = {None: "There is no reasoning beside the final answer.", 0.0: "No step states the final answer."}
    tags = () if found else ("inconsistent_reasoning",)
    return Score(found or 0.0, told.get(found, "The reasoning states the final answer."), parts, tags)


@scorer(
    "claim_evidence_overlap",
    version=1,
    sub_scores={"evidence_precision": "higher", "evidence_recall": "higher", "evidence_f1": "higher"},
)
def claim_evidence_overlap(predicted: Reasoning, expected: Reasoning) -> Score:
    """F1 of the evidence ids that the claims cite, as sets; both citing none is 1, one citing none is 0."""
    cited, known = ({entry for claim in side.claims for entry in claim.evidence} for side in (predicted, expected))
    parts = evidence_scores(predicted.claims, expected.claims)
    primary = parts["evidence_f1"] if known else float(not cited)
    tags = ("missing_evidence",) if known and (parts["evidence_recall"] or 0.0) < 1.0 else ()
    return Score(
        primary or 0.0,
        f"Expected {len(known)} pieces of evidence, found {len(cited)}, {len(cited & known)} of them expected.",
        parts,
        tags,
    )


@scorer("reasoning_step_order", version=1, sub_scores={"step_order": "higher", "step_completeness": "higher"})
def reasoning_step_order(predicted: Reasoning, expected: Reasoning, *, normalize: Profile = "basic") -> Score:
    """Longest common subsequence of steps over the reference's steps; both without steps is 1, one without is 0.

    Steps are the same by id when every step of both sides has one, else by text after `normalize`.
    """
    parts = step_scores(predicted.steps, expected.steps, normalize)
    primary = parts["step_order"] if expected.steps else float(not predicted.steps)
    complete = parts["step_completeness"]
    flags = {
        "missing_step": complete is not None and complete < 1.0,
        "wrong_step_order": parts["step_order"] != complete,
    }
    explain = f"Expected {len(expected.steps)} steps, found {len(predicted.steps)}"
    why = {"missing_step": "not all expected steps are there", "wrong_step_order": "the steps stand in another order"}
    tags = tuple(tag for tag, applies in flags.items() if applies)
    return Score(primary or 0.0, "; ".join([explain, *(why[tag] for tag in tags)]) + ".", parts, tags)


@scorer(
    "claim_verifiability",
    version=1,
    sub_scores={"claim_verifiability": "higher", "evidence_citation_rate": "higher", "claim_coverage": "higher"},
)
def claim_verifiability(predicted: Reasoning, expected: Reasoning, *, normalize: Profile = "basic") -> Score:
    """Share of the predicted claims that cite evidence which the reference knows; no claims on both sides is 1.

    `evidence_citation_rate` is the share that cites any evidence, `claim_coverage` the share of the reference's claims
    that the prediction makes.
    """
    parts = claim_scores(predicted.claims, expected.claims, normalize)
    share = parts["claim_verifiability"]
    primary = share if share is not None else float(not predicted.claims and not expected.claims)
    tags = ("unsupported_claim",) if primary < 1.0 else ()
    explain = f"{len(predicted.claims)} claims, of which {primary:.0%} cite evidence that the reference knows."
    return Score(primary, explain, parts, tags)
