"""Turn programs as item metrics, for any task whose answers are programs."""

import pytest

from steelyard.registry import bind_metric, direction_of

GOLD = "subtract(8181, 20454), divide(#0, 20454)"

# By hand: the plan has one of two operations, and two of the three operands 8181, 20454, 20454.
VALUES = {
    "logic_recall": 0.5,
    "logic_precision": 1.0,
    "logic_f1": 2 / 3,
    "operation_order": 0.5,
    "program_equivalence": 0.0,
    "operand_accuracy": 2 / 3,
    "operations_per_turn": 1.0,
}


@pytest.mark.parametrize(("name", "value"), VALUES.items())
def test_a_metric_of_two_programs(name, value):
    assert bind_metric(name).definition.function("subtract(8181, 20454)", GOLD) == pytest.approx(value)


@pytest.mark.parametrize("name", [name for name in VALUES if name != "operations_per_turn"])
def test_a_reference_that_is_no_program_has_no_value(name):
    assert bind_metric(name).definition.function("add(1, 2)", "not a program") is None
    assert direction_of(name) == "higher"


def test_more_operations_are_neither_better_nor_worse():
    assert direction_of("operations_per_turn") is None
    assert bind_metric("operations_per_turn").definition.function("no program", GOLD) is None
