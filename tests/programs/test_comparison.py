"""Programs compared by what they compute, by their operands, and by what a turn adds."""

import pytest

from steelyard.programs import (
    incremental,
    incremental_operations,
    operand_accuracy,
    parse,
    plan_program,
    program_equivalence,
)

GOLD = "subtract(8181, 20454), divide(#0, 20454)"


@pytest.mark.parametrize(
    ("plan", "same"),
    [
        (GOLD, True),
        ("subtract(8181, 20454.0), divide(#0, 20,454)", True),
        ("subtract(20454, 8181), divide(#0, 20454)", False),
        ("divide(8181, 20454), subtract(#0, 1)", False),
        ("subtract(8181, 20454)", False),
        ("add(1, 2), subtract(8181, 20454), divide(#1, 20454)", True),  # a step that leads nowhere
        ("subtract(8181, 20454), divide(#0, 0)", False),
        ("nonsense", False),
    ],
)
def test_equivalence_is_the_same_value_by_the_same_operations(plan, same):
    assert program_equivalence(plan, GOLD) is same


def test_add_and_multiply_commute_and_constants_are_numbers():
    assert program_equivalence("multiply(const_100, 3), add(1, #0)", "multiply(3, 100), add(#0, 1)")


def test_equivalence_needs_both_sides():
    assert program_equivalence(None, GOLD) is None
    assert program_equivalence(GOLD, "") is None


def test_a_program_that_doubles_itself_is_compared_in_linear_time():
    text = "add(1, 2), " + ", ".join(f"add(#{index}, #{index})" for index in range(300))
    assert program_equivalence(text, text)


@pytest.mark.parametrize(
    ("plan", "share"), [(GOLD, 1.0), ("subtract(8181, 20454)", 2 / 3), ("subtract(1, 2)", 0.0), ("8181", 1 / 3)]
)
def test_operands_count_as_often_as_they_are_used(plan, share):
    assert operand_accuracy(plan, GOLD) == pytest.approx(share)


def test_operands_of_plan_steps_follow_the_ids_of_extract_steps():
    steps = [
        {"step_id": "a", "tool": "extract_value", "value": "20454"},
        {"step_id": "b", "tool": "extract_value", "value": 8181},
        {"step_id": "c", "tool": "compute", "operation": "percentage_change", "operands": ["a", "b"]},
    ]
    assert operand_accuracy(steps, GOLD) == 1.0
    assert operand_accuracy([{"step_id": "a", "tool": "extract_value", "value": "5"}], "5") == 1.0
    assert operand_accuracy(steps, None) is None


# Both readings of a cumulative program (page 40): the fourth turn repeats the third and adds a divide.
CONVERSATION = ["206588", "181001", "subtract(206588, 181001)", "subtract(206588, 181001), divide(#0, 181001)"]


def test_a_turn_adds_what_earlier_turns_did_not_compute():
    assert incremental_operations(CONVERSATION) == ((), (), ("subtract",), ("divide",))
    assert incremental(CONVERSATION, 3) == ("divide",)


def test_a_turn_without_a_program_adds_nothing_that_is_known():
    assert incremental_operations(["add(1, 2)", None, "oops", "add(1, 2), add(#0, 3)"]) == (
        ("add",),
        None,
        None,
        ("add",),
    )


PLAN = [
    {"step_id": "s1", "tool": "extract_value", "value": "$ 20,454"},
    {"step_id": "s2", "tool": "extract_value", "value": "(8181)"},
    {"step_id": "s3", "tool": "compute", "operation": "add", "operands": ["s1", "s2"]},
    {"step_id": "s4", "tool": "compute", "operation": "percentage", "operands": ["#0", "s1"]},
]


def test_a_plan_becomes_the_program_it_stands_for():
    assert plan_program(PLAN) == parse("add(20454.0, -8181.0), divide(#0, 20454.0)")


@pytest.mark.parametrize(
    ("step", "message"),
    [
        ({"tool": "compute", "operation": "plus", "operands": [1, 2]}, "no operation 'plus'"),
        ({"tool": "compute", "operation": "add", "operands": [1]}, "takes 2 operands"),
        ({"tool": "compute", "operation": "add", "operands": "1 2"}, "no list of operands"),
        ({"tool": "compute", "operation": "add", "operands": [1, "s9"]}, "no earlier step"),
        ({"tool": "compute", "operation": "add", "operands": [1, "#7"]}, "not the result of an earlier"),
        ({"tool": "extract_value", "value": "revenue"}, "no number"),
        ({"tool": "extract_value", "value": None}, "no number"),
    ],
)
def test_a_plan_that_cannot_be_run_names_its_step(step, message):
    with pytest.raises(ValueError, match=message) as caught:
        plan_program([{"step_id": "bad", **step}])
    assert "bad" in str(caught.value)


def test_a_plan_without_steps_is_refused():
    with pytest.raises(ValueError, match="no steps"):
        plan_program([])
