"""Programs give the numbers of ConvFinQA's own evaluator, or say why they have none."""

import pytest

from steelyard.programs import Program, ProgramError, execute

TABLE = {"2008": {"income": "$ 1,200", "tax": "-94 ( 94 )"}, "2009": {"income": 300.0, "tax": "n/a"}}

# Worked by hand; results are rounded to five decimals, as in `executed_answers`.
VALUES = [
    ("subtract(8181, 20454), divide(#0, 20454)", -0.60003),
    ("add(1, 2), multiply(#0, const_100), subtract(#1, #0)", 297.0),
    ("divide(1, 3)", 0.33333),
    ("exp(2, 10)", 1024.0),
    ("add(12%, 1)", 1.12),
    ("greater(2, 1)", "yes"),
    ("greater(1, 1)", "no"),
    ("multiply(const_m1, 0)", 0.0),
    ("12.345678", 12.34568),
    ("table_sum(income, none)", 1500.0),
    ("table_average(income, none)", 750.0),
    ("table_max(income, none)", 1200.0),
    ("table_min(income, none)", 300.0),
]


@pytest.mark.parametrize(("text", "value"), VALUES)
def test_a_program_has_its_value(text, value):
    assert execute(text, TABLE).value == value


def test_steps_are_kept_unrounded():
    result = execute("divide(1, 3), multiply(#0, 3)")
    assert [step.value for step in result.steps] == [1 / 3, 1.0]
    assert result.operations == ("divide", "multiply")


def test_zero_is_never_negative():
    assert str(execute("multiply(const_m1, 0)").value) == "0.0"


FAULTS = [
    ("divide(1, 0)", "division-by-zero"),
    ("exp(0, -1)", "division-by-zero"),
    ("exp(10, 400)", "overflow"),
    ("multiply(1e300, 1e300)", "overflow"),
    ("exp(-8, 0.5)", "not-real"),
    ("greater(1, 2), add(#0, 1)", "not-a-number"),
    ("table_sum(incme, none)", "unknown-row"),
    ("table_sum(tax, none)", "bad-cell"),
]


@pytest.mark.parametrize(("text", "kind"), FAULTS)
def test_a_program_without_a_value_says_why(text, kind):
    with pytest.raises(ProgramError) as caught:
        execute(text, TABLE)
    assert caught.value.kind == kind


def test_a_table_operation_needs_a_table():
    with pytest.raises(ProgramError, match="needs a table"):
        execute("table_sum(income, none)")


def test_the_failing_step_is_pointed_at():
    with pytest.raises(ProgramError) as caught:
        execute("add(1, 2), divide(#0, 0), add(#1, 1)")
    assert caught.value.column == 12


def test_a_table_may_be_a_list_of_rows_and_the_last_of_two_equal_names_counts():
    rows = [["", "2008", "2009"], ["income", 1, 2], ["income", 3, 5]]
    assert execute("table_sum(income, none)", rows).value == 8.0


def test_a_program_put_together_by_hand_without_a_value_is_refused():
    with pytest.raises(ProgramError, match="no steps and no value"):
        execute(Program(()))
