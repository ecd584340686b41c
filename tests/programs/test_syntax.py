"""Programs are read as written, and a mistake is pointed at."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.programs import OPERATIONS, Constant, Literal, ProgramError, Reference, RowName, parse


def test_the_seeds_program_has_two_steps():
    program = parse("subtract(8181, 20454), divide(#0, 20454)")
    assert [step.operation for step in program.steps] == ["subtract", "divide"]
    assert program.steps[1].arguments[0] == Reference(0)
    assert not program.extract_only


@pytest.mark.parametrize(
    ("text", "value"), [("206588", 206588.0), ("-12.5", -12.5), ("14.1%", 0.141), ("1,234.5", 1234.5), ("const_m1", -1)]
)
def test_a_bare_number_is_an_extract_only_program(text, value):
    program = parse(text)
    assert program.extract_only
    assert program.value.value == pytest.approx(value)


@pytest.mark.parametrize(("name", "value"), [("const_100", 100.0), ("const_m1", -1.0), ("const_1000000", 1e6)])
def test_constants_have_their_value(name, value):
    assert parse(f"multiply(#0, {name})".replace("#0", "3")).steps[0].arguments[1] == Constant(name, value)


def test_a_table_operation_takes_a_row_and_none():
    assert parse("table_average(net income (loss), none)").steps[0].arguments == (RowName("net income (loss)"),)


def test_white_space_and_closeness_do_not_matter():
    assert parse("add( 1 ,2 )") == parse("add(1, 2)")
    assert parse("add(1,2),divide(#0,2)") == parse("add(1, 2), divide(#0, 2)")


def test_a_percent_argument_is_its_fraction():
    assert parse("add(12%, 1)").steps[0].arguments[0] == Literal("12%", 0.12, percent=True)


MISTAKES = [
    ("", "empty", 1),
    ("add(1, 2), ", "separator", 12),
    ("plus(1, 2)", "unknown-operation", 1),
    ("add(1, 2) divide(3, 4)", "separator", 11),
    ("add(1)", "argument-count", 5),
    ("add(1, 2, 3)", "argument-count", 5),
    ("add(1, two)", "bad-argument", 8),
    ("add(1, 2", "parenthesis", 4),
    ("add(subtract(1, 2), 3)", "parenthesis", 13),
    ("divide(#0, 2)", "later-step", 8),
    ("add(1, 2), divide(#1, 2)", "later-step", 19),
    ("add(1e999, 2)", "overflow", 5),
    ("twelve", "bad-argument", 1),
    ("table_sum(#0, none)", "bad-argument", 11),
]


@pytest.mark.parametrize(("text", "kind", "column"), MISTAKES)
def test_a_mistake_is_pointed_at(text, kind, column):
    with pytest.raises(ProgramError) as caught:
        parse(text)
    assert (caught.value.kind, caught.value.column) == (kind, column)
    shown = str(caught.value).splitlines()
    assert shown[2].index("^") - 4 == column - 1


def test_a_misspelled_operation_gets_a_suggestion():
    with pytest.raises(ProgramError, match="did you mean 'subtract'"):
        parse("substract(1, 2)")


def test_a_hostile_program_is_shown_escaped():
    with pytest.raises(ProgramError) as caught:
        parse("add(1, \x1b[31m)")
    assert "\x1b" not in str(caught.value)


def test_a_program_of_the_longest_size_is_read_in_one_pass():
    text = ", ".join(["add(1, 2)"] * 9000)
    assert len(parse(text).steps) == 9000
    with pytest.raises(ProgramError, match="are the limit"):
        parse(text + ", add(1, 2)" * 2000)


numbers = st.floats(allow_nan=False, allow_infinity=False, width=32).map(repr)


@st.composite
def programs(draw):
    steps = []
    for index in range(draw(st.integers(1, 6))):
        operand = st.one_of(numbers, *([st.integers(0, index - 1).map("#{}".format)] if index else []))
        operation = draw(st.sampled_from(OPERATIONS[:6]))
        steps.append(f"{operation}({draw(operand)}, {draw(operand)})")
    return ", ".join(steps)


@given(programs())
def test_a_program_prints_as_it_reads(text):
    assert parse(str(parse(text))) == parse(text)


@given(st.text(alphabet="add(),#0123 .%const_mn\x00é", max_size=40))
def test_any_text_is_a_program_or_a_program_error(text):
    try:
        parse(text)
    except ProgramError as error:
        column = error.column
    else:
        return
    assert 1 <= column <= len(text) + 1
