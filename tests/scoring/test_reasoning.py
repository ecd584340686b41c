"""`reasoning@v1`: its sentence, and consistency in whole tokens."""

import pytest

from steelyard.records.answers import Choice, Claim, FinalAnswer, ListAnswer, Number, Reasoning, Step
from steelyard.scoring.final_answer import stated_in
from steelyard.scoring.reasoning import reasoning

UP = FinalAnswer("choice", Choice("up"))


@pytest.mark.parametrize(
    ("texts", "answer", "stated"),
    [
        (["analysts support it"], UP, False),
        (["so: up!"], UP, True),
        (["..."], UP, None),
        ([], UP, None),
        (["it is 1,200 USD"], FinalAnswer("number", Number(1200)), True),
        (["it is 1200.0"], FinalAnswer("number", Number(1200.0)), True),
        (["it is 12"], FinalAnswer("number", Number(1200)), False),
        (["yes"], FinalAnswer("number", Number(value=True)), True),
        (["first ai", "then tax"], FinalAnswer("list", ListAnswer(("ai", "tax"))), True),
        (["ai"], FinalAnswer("list", ListAnswer(())), None),
        (["x"], FinalAnswer("number", Number(10**5000)), False),
    ],
)
def test_an_answer_is_stated_in_whole_tokens(texts, answer, stated):
    assert stated_in(texts, answer, "basic") is stated


def test_its_sentence_tells_the_final_answer_first_and_then_each_weakness():
    predicted = Reasoning(UP, (Step("b"), Step("a")), (Claim("c", ("n9",)),))
    expected = Reasoning(UP, (Step("a"), Step("b"), Step("d")), (Claim("c", ("n1",)),))
    assert reasoning(predicted, expected).explain == (
        "Final answer: Chose 'up' as expected; a claim cites no evidence that the reference knows; evidence of the "
        "reference is not cited; not all 3 steps of the reference are there; the steps stand in another order; no step "
        "states the final answer."
    )
