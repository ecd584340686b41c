"""One prediction to one scorecard, judged or not."""

import pytest

from steelyard.canonical.extraction import Extraction
from steelyard.canonical.predictions import predicted_answer
from steelyard.errors import ConfigurationError
from steelyard.judging.columns import card_of, unanswered
from steelyard.records.answers import Choice, ListAnswer, Number, Text
from steelyard.records.scores import Score
from steelyard.registry import Scorer, ScorerDefinition, bind_scorer


def test_an_output_without_an_answer_says_what_was_expected_and_why_there_is_none():
    parsed = predicted_answer("A or B", "choice", Extraction())
    card = card_of(bind_scorer("choice@v1"), parsed, Choice("A"))
    assert (card.primary_score, card.error_tags) == (0.0, ("ambiguous_answer",))
    assert card.explain == "Expected 'A', found no answer: the answers A and B disagree."


def test_tags_of_canonicalisation_stand_before_the_scorers():
    parsed = predicted_answer("C <think>", "choice", Extraction())
    card = card_of(bind_scorer("choice@v1"), parsed, Choice("A"))
    assert card.error_tags == ("unclosed_reasoning", "wrong_choice")


@pytest.mark.parametrize(
    ("key", "expected", "parts"),
    [
        ("list@v1", ListAnswer(("a",)), {"precision": 0.0, "recall": 0.0, "f1": 0.0, "order_score": None}),
        ("list@v1", ListAnswer(("a",), ordered=True), {"precision": 0.0, "recall": 0.0, "f1": 0.0, "order_score": 0.0}),
        ("answer_correctness@v1", Text("a"), {}),
    ],
)
def test_without_an_answer_a_part_is_0_where_the_reference_defines_it(key, expected, parts):
    assert unanswered(bind_scorer(key), expected, (), "").sub_scores == parts


def test_a_part_that_is_better_when_lower_has_no_worst_value():
    parts = unanswered(bind_scorer("number@v1"), Number(5), (), "").sub_scores
    assert (parts["mae"], parts["relative_error"], parts["within_tol"]) == (None, None, 0.0)


def fails(predicted, expected):
    raise KeyError("no such thing")


@pytest.mark.parametrize("function", [fails, lambda predicted, expected: Score(2.0)])
def test_a_scorer_that_fails_is_named(function):
    broken = Scorer(ScorerDefinition("broken", 1, "text", function, {}, 0.5, {}, "", __name__))
    parsed = predicted_answer("x", "text", Extraction())
    with pytest.raises(ConfigurationError, match="broken@v1 raised") as refused:
        card_of(broken, parsed, Text("x"), item_id="S1")
    assert (refused.value.problems[0].code, refused.value.problems[0].item_id) == ("scorer-failed", "S1")
