"""Partial credit of a turn: worked out by hand from the page's formula."""

import pytest

from steelyard.conversations.dataset import read_conversation
from steelyard.conversations.judging import judge
from steelyard.conversations.traces import read_turn, turn_rows
from tests.conversation_rows import compute, extract, row, trace, turn


def credit(*turns, **changes):
    conversation = read_conversation(row("c1", **changes))
    by_index = {index: read_turn(fields) for _, index, fields in turn_rows(trace("c1", *turns))}
    return [
        found.partial_credit for found in judge([conversation], [[by_index.get(index) for index in range(4)]])[0].turns
    ]


RIGHT_PLAN = [compute("subtract", 1500, 1200)]


@pytest.mark.parametrize(
    ("answer", "plan", "expected"),
    [
        ("300", [], 1.0),
        ("7", RIGHT_PLAN, 0.5),
        ("-300", RIGHT_PLAN, 0.75),
        ("3", [], 0.25),
        ("7", [], 0.0),
        # One of two operands; the operation is right: (0 + (1 + 0.5) / 2) / 2.
        ("7", [compute("subtract", 1500, 7)], 0.375),
        # The operation is wrong and both operands are right: (0.5 + (0 + 1) / 2) / 2.
        ("-300", [compute("add", 1500, 1200)], 0.5),
    ],
)
def test_ladder_and_program_share_the_credit_of_a_wrong_turn(answer, plan, expected):
    assert credit(turn(2, answer, *plan))[2] == expected


def test_a_missing_turn_has_no_credit_and_a_perfect_conversation_all_of_it():
    assert credit() == [0, 0, 0, 0]
    assert credit(*(turn(index, text) for index, text in enumerate(["1500", "1200", "300", "25%"]))) == [1, 1, 1, 1]


def test_without_a_program_the_ladder_alone_decides():
    assert credit(turn(2, "-300", extract(5)), turn_program=[None] * 4)[2] == 0.5
