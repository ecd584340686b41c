"""The block form of the ladder equals the item form, also at the limits and on hostile text."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.numbers.ladder import RUNGS, climb
from steelyard.numbers.ladder_blocks import climb_block

ODD = [
    "",
    " 12 ",
    "yes",
    "no",
    "$5",
    "12%",
    "1_000",
    "nan",
    "-0",
    "+7",
    "1e5",
    "3 million",
    "１２",
    "\ud800",
    "5\n",
    "٣",
    ".5",
    "5.",
]
decimals = st.decimals(-10000, 10000, places=3, allow_nan=False).map(str)
near = st.tuples(st.integers(-400, 400), st.sampled_from(["0.99", "1", "1.01", "100", "0.01", "-1", "1.00001"])).map(
    lambda pair: repr(pair[0] * float(pair[1]))
)
operands = st.one_of(
    decimals,
    decimals.map("{}%".format),
    near,
    st.sampled_from(ODD),
    st.text(max_size=6),
    st.none(),
    st.booleans(),
    st.integers(-(10**18), 10**18),
    st.floats(),
)


@settings(max_examples=150, deadline=None)  # the first example pays for the import of pyarrow
@given(st.lists(st.tuples(operands, operands), max_size=12))
def test_the_block_form_equals_the_item_form(pairs):
    found = climb_block([actual for actual, _ in pairs], [expected for _, expected in pairs])
    wanted = [climb(actual, expected) for actual, expected in pairs]
    for name in RUNGS:
        assert found[name].tolist() == [getattr(ladder, name) for ladder in wanted]


def test_limits_are_decided_exactly_in_a_block_too():
    expected = [str(value) for value in range(1, 400)]
    actual = [f"{value * 101 // 100}.{value * 101 % 100:02d}" for value in range(1, 400)]
    assert climb_block(actual, expected)["soft_match"].all()
    assert not climb_block([f"{text}1" for text in actual], expected)["soft_match"].any()


def test_columns_of_different_length_do_not_pair():
    with pytest.raises(ValueError, match="do not pair"):
        climb_block(["1"], [])


def test_no_pairs_give_empty_columns():
    assert {name: column.dtype for name, column in climb_block([], []).items()} == dict.fromkeys(RUNGS, np.dtype(bool))
