"""`answer_correctness@v1`, seed 000's frozen judge: right or wrong after white space at the ends and case."""

from __future__ import annotations

from steelyard.records.answers import Text
from steelyard.records.scores import Score
from steelyard.registry import scorer
from steelyard.scoring.choice import quoted
from steelyard.text.tokens import normalise


@scorer(
    "answer_correctness",
    version=1,
    pass_threshold=1.0,
    values="rate",
    block="steelyard.scoring.blocks:correctness_form",
)
def answer_correctness(predicted: Text, expected: Text) -> Score:
    """1 if the prediction equals the reference (or one of its aliases) after `strip_lower`, else 0.

    >>> answer_correctness(Text(" Paris"), Text("paris")).primary, answer_correctness(Text("a  b"), Text("a b")).primary
    (1.0, 0.0)
    """
    accepted = {normalise(reference, "strip_lower") for reference in (expected.value, *expected.aliases)}
    if normalise(predicted.value, "strip_lower") in accepted:
        return Score(1.0, f"Equals the expected answer {quoted(expected.value)}.")
    explain = f"Expected {quoted(expected.value)}, found {quoted(predicted.value)}."
    return Score(0.0, explain, error_tags=("wrong_answer",))
