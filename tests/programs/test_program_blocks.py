"""The block form of logic recall equals its item form."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.programs import ProgramError, logic_recall, logic_recall_block, operations, operations_block

PIECES = [
    "add(1, 2)", "subtract(8181, 20454)", ", ", "divide(#0, 20454)", "add(1,2)", "add(1,234, 5)", "1,234", "12,34",
    "1e5", "1e999", "5.", ".5", "1.2.3", "14.1%", "#0.5", "const_100", "table_sum(a (b), none)", "\n", "", " ",
    "é", "９",
]  # fmt: skip
texts = st.one_of(st.none(), st.lists(st.sampled_from(PIECES), max_size=4).map("".join), st.text(max_size=12))


@given(st.lists(st.tuples(texts, texts), max_size=20))
def test_the_block_form_equals_the_item_form(pairs):
    found = logic_recall_block([plan for plan, _ in pairs], [gold for _, gold in pairs])
    wanted = [logic_recall(plan, gold) for plan, gold in pairs]
    np.testing.assert_array_equal(found, np.array([np.nan if value is None else value for value in wanted], float))


def test_columns_of_different_length_do_not_pair():
    with pytest.raises(ValueError, match="do not pair"):
        logic_recall_block(["1"], [])


def item_form(program):
    try:
        return operations(program) if program and program.strip() else None
    except ProgramError:
        return None


@given(st.lists(texts, max_size=20))
def test_operations_of_a_block_equal_those_of_each_program(programs):
    assert operations_block(programs) == [item_form(program) for program in programs]
