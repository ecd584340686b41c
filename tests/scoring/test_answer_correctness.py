"""`answer_correctness@v1` around the judge: what has no answer is 0, and never equals an empty reference."""

import pytest

from steelyard.canonical.extraction import Extraction
from steelyard.canonical.predictions import predicted_answer
from steelyard.canonical.references import BadReference, expected_answer
from steelyard.judging.columns import card_of, unanswered
from steelyard.records.answers import Text
from steelyard.registry import bind_scorer

JUDGE = bind_scorer("answer_correctness@v1")


def test_it_has_no_parameters_and_passes_only_what_is_right():
    assert JUDGE.signature == "answer_correctness@v1"
    assert JUDGE.pass_threshold == 1.0


@pytest.mark.parametrize("raw", ["", "  ", None, {}, {"value": ""}])
def test_an_empty_reference_never_reaches_the_judge(raw):
    with pytest.raises(BadReference):
        expected_answer(raw, "text")


@pytest.mark.parametrize("raw", [None, True, [], {}, ["42"]])
def test_an_output_without_an_answer_scores_0(raw):
    card = card_of(JUDGE, predicted_answer(raw, "text", Extraction()), Text("42"))
    assert (card.primary_score, card.passed) == (0.0, False)


def test_a_missing_prediction_scores_0():
    card = unanswered(JUDGE, Text("42"), (), "There is no prediction for this item.")
    assert (card.primary_score, card.passed, card.explain) == (0.0, False, "There is no prediction for this item.")


def test_the_answer_part_is_taken_before_comparison():
    parsed = predicted_answer("2 x 21.\nAnswer: X", "text", Extraction("answer_line"))
    assert card_of(JUDGE, parsed, Text("x")).passed
