"""Turns judged against both references."""

import pytest

from steelyard.conversations.dataset import read_conversation
from steelyard.conversations.judging import judge
from steelyard.conversations.traces import read_turn
from tests.conversation_rows import compute, extract, row, turn


def judged(*turns, **changes):
    conversation = read_conversation(row(**changes))
    by_index = {fields["turn_idx"]: read_turn(fields) for fields in turns}
    (found,) = judge([conversation], [[by_index.get(index) for index in range(4)]])
    return found.turns


@pytest.mark.parametrize(
    ("answer", "matched", "numerical"),
    [
        ("11%", "both", True),  # within 0.001 of the rounded display, and of 0.1105
        ("0.1105", "both", True),
        ("0.109", "displayed", True),
        ("11", "displayed", False),  # only percent reconciliation makes it match
        ("0.12", "none", False),
    ],
)
def test_either_reference_may_match_and_which_one_is_recorded(answer, matched, numerical):
    found = judged(turn(3, answer), conv_answers=["1500", "1200", "300", "11%"], executed_answers=[1, 1, 1, 0.1105])[3]
    assert (found.matched_reference, found.matches["numerical_match"]) == (matched, numerical)


def test_an_exact_value_does_not_fail_for_a_rounded_display():
    found = judged(turn(3, "0.16418"), conv_answers=["1", "1", "1", "16%"], executed_answers=[1, 1, 1, 0.16418])[3]
    assert found.matches["exact_numeric_match"]
    assert found.matched_reference == "executed"


@pytest.mark.parametrize(
    ("answer", "miss"),
    [("300", None), ("300.5", None), ("3", "scale_error"), ("-300", "sign_error"), ("7", "wrong_value")],
)
def test_each_miss_is_classified(answer, miss):
    assert judged(turn(2, answer))[2].miss == miss


def test_wrong_answers_carry_their_class_as_a_tag_and_right_ones_none():
    found = judged(turn(0, "1501"), turn(1, "-1200"), turn(2, "7"))
    assert [entry.error_tags for entry in found] == [(), ("sign_error",), ("wrong_value",), ()]


def test_every_turn_has_one_state():
    found = judged(turn(0, "1500"), turn(1, "unknown"), turn(2, None, error={"type": "ReadTimeout", "message": "slow"}))
    assert [entry.state for entry in found] == ["scored", "unparsed", "timeout", "missing"]
    assert [entry.right for entry in found] == [True, False, False, False]
    assert found[1].error_tags == ("not_a_number",)


def test_an_answer_beside_an_error_does_not_count():
    found = judged(turn(0, "1500", error={"type": "ValueError", "message": "after the answer"}))[0]
    assert (found.state, found.right) == ("failed", False)


def test_an_equal_yes_or_no_matches_on_every_rung():
    found = judged(turn(0, "Yes"), conv_answers=["yes", "1", "1", "1"], executed_answers=["yes", 1, 1, 1])[0]
    assert all(found.matches.values())
    wrong = judged(turn(0, "no"), conv_answers=["yes", "1", "1", "1"], executed_answers=["yes", 1, 1, 1])[0]
    assert not any(wrong.matches.values())
    number = judged(turn(0, "1"), conv_answers=["yes", "1", "1", "1"], executed_answers=["yes", 1, 1, 1])[0]
    assert not any(number.matches.values())


def test_plans_are_counted_and_a_turn_that_raised_early_had_none():
    found = judged(
        turn(0, "1500", extract(1500)),
        turn(2, "300", extract(1500, "a"), extract(1200, "b"), compute("subtract", "a", "b")),
        turn(3, None, error="stopped"),
    )
    assert [(entry.plan_steps, entry.operations_per_turn) for entry in found] == [(1, 0), (None, None), (3, 1), (0, 0)]


def test_an_explanation_says_what_was_expected_and_found():
    assert judged(turn(3, "0.3"))[3].explain == "Expected 25% (executed 0.25), found 0.3: a different value."
    assert "ValueError: odd" in judged(turn(3, None, error={"type": "ValueError", "message": "odd"}))[3].explain


def test_a_trace_without_an_id_is_named_after_its_conversation():
    conversation = read_conversation(row("a/b"))
    (found,) = judge([conversation], [[None] * 4])
    assert found.trace_id.startswith("a_b-")
