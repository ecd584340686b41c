"""Calculations as models write them."""

import ast
import operator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.programs import ProgramError, execute, expression_operations, expression_steps


@pytest.mark.parametrize(
    ("text", "operations"),
    [
        ("(8181 - 20454) / 20454", ("subtract", "divide")),
        ("1 + 2 * 3", ("multiply", "add")),
        ("2 ** 3 ** 2", ("exp", "exp")),
        ("-6826.0", ()),
        ("36197 / 1553 = 23.3", ("divide",)),
        ("345059 > 36197", ("greater",)),
        ("$1,234.5 × 12%", ("multiply",)),
        ("3 − 2", ("subtract",)),
        ("-(3 - 2)", ("subtract",)),
    ],
)
def test_operations_stand_in_the_order_of_computing(text, operations):
    assert expression_operations(text) == operations


def test_steps_keep_operands_and_refer_to_results():
    assert expression_steps("(1 - 2) / (3 + $4,000)") == (
        ("subtract", ("1", "2")),
        ("add", ("3", "4,000")),
        ("divide", ("#0", "#1")),
    )
    assert expression_steps("2 < 3") == (("greater", ("3", "2")),)
    assert expression_steps("-2 * 3") == (("multiply", ("-2", "3")),)


@pytest.mark.parametrize("text", ["", "N/A", "1 +", "(1 + 2", "1 2", "* 3", "2.3 billion (stated)", "()"])
def test_what_is_no_calculation_is_refused(text):
    with pytest.raises(ProgramError):
        expression_operations(text)


def test_depth_costs_no_recursion():
    assert expression_operations("(" * 20_000 + "1" + ")" * 20_000) == ()


OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}


def reference(node: ast.AST) -> float:
    """Python's own reading of the same text."""
    match node:
        case ast.Expression(body=body):
            return reference(body)
        case ast.BinOp(left=left, op=op, right=right):
            return OPERATORS[type(op)](reference(left), reference(right))
        case ast.UnaryOp(operand=operand):
            return -reference(operand)
        case ast.Constant(value=value):
            return float(value)
    raise AssertionError(node)


expressions = st.recursive(
    st.integers(1, 99).map(str),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*"), inner).map(" ".join),
        inner.map("({})".format),
        inner.map("-({})".format),
    ),
    max_leaves=8,
)


@given(expressions)
def test_steps_compute_what_python_reads(text):
    steps = expression_steps(text)
    if not steps or any("-#" in operand for _, operands in steps for operand in operands):
        return
    program = ", ".join(f"{operation}({', '.join(operands)})" for operation, operands in steps)
    whole = reference(ast.parse(text, mode="eval"))
    assert abs(execute(program).value) == pytest.approx(abs(whole))
