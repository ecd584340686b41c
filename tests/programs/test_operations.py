"""Logic recall with the seed's examples and special cases, and what lies beyond it."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.programs import (
    logic_f1,
    logic_precision,
    logic_recall,
    operation_order,
    operations_per_turn,
    plan_operations,
)

GOLD = "subtract(8181, 20454), divide(#0, 20454)"


@pytest.mark.parametrize(
    ("plan", "recall"),
    [
        (["subtract", "divide"], 1.0),  # the seed's first example
        (["subtract"], 0.5),  # the seed's second example
        (["divide", "subtract"], 1.0),  # order-insensitive
        (["subtract", "subtract"], 0.5),  # a multiset: one subtract is wanted
        (["percentage_change"], 1.0),
        (["percentage"], 0.5),
        (["Subtract ", "DIVIDE"], 1.0),
        (["add"], 0.0),
        ([], 0.0),
        ("subtract(1, 2), divide(#0, 2)", 1.0),
    ],
)
def test_recall_is_the_share_of_the_programs_operations(plan, recall):
    assert logic_recall(plan, GOLD) == recall


def test_without_a_program_there_is_no_recall():
    assert logic_recall(["add"], None) is None
    assert logic_recall(["add"], "  ") is None
    assert logic_recall(["add"], "not a program") is None


def test_without_a_plan_there_is_no_recall():
    assert logic_recall(None, GOLD) is None


def test_an_extract_only_program_wants_an_extract_only_plan():
    assert logic_recall([], "206588") == 1.0
    assert logic_recall(["add"], "206588") == 0.0


def test_a_plan_that_cannot_be_read_recalls_nothing():
    assert logic_recall("subtract(8181 20454", GOLD) == 0.0


# By hand: shared = 2 of 4 planned, 2 of 2 wanted; F1 = 2 * 2 / 6; LCS of (add, subtract, divide, add) and gold is 2.
def test_precision_f1_and_order_by_hand():
    plan = ["add", "subtract", "divide", "add"]
    assert logic_precision(plan, GOLD) == 0.5
    assert logic_f1(plan, GOLD) == pytest.approx(2 / 3)
    assert operation_order(plan, GOLD) == 0.5
    assert operation_order(["divide", "subtract"], GOLD) == 0.5


def test_precision_of_no_planned_operation_is_undefined_unless_none_is_wanted():
    assert logic_precision([], GOLD) is None
    assert logic_precision([], "5") == 1.0
    assert logic_f1([], "5") == operation_order([], "5") == 1.0


def test_plan_steps_become_operations():
    steps = [
        {"tool": "extract_value"},
        {"tool": "compute", "operation": "percentage_change"},
        {"tool": "compute", "operation": "add"},
        {"tool": "compute"},
    ]
    assert plan_operations(steps) == ("subtract", "divide", "add", "unnamed")
    assert operations_per_turn(steps) == 3
    assert operations_per_turn(GOLD) == 2


names = st.lists(st.sampled_from(["add", "subtract", "divide", "multiply", "exp"]), max_size=6)


@given(names, names)
def test_recall_precision_and_f1_agree_with_multisets(plan, gold):
    shared = sum((Counter(plan) & Counter(gold)).values())
    if gold:
        assert logic_recall(plan, gold) == shared / len(gold)
    if gold and plan:
        assert logic_f1(plan, gold) == pytest.approx(2 * shared / (len(plan) + len(gold)))


@given(names, names)
def test_recall_of_one_side_is_precision_of_the_other(plan, gold):
    if plan and gold:
        assert logic_recall(plan, gold) == logic_precision(gold, plan)
    assert logic_recall(sorted(plan), gold) == logic_recall(plan, gold)
