"""The grammar over generated numbers: what is written by rule reads back."""

import math

from hypothesis import given
from hypothesis import strategies as st

from steelyard.numbers.grammar import NotANumber, Quantity, parse_number

INTEGERS = st.integers(-(10**30), 10**30)
FULL_WIDTH = str.maketrans("0123456789-.,", "０１２３４５６７８９－．，")


@given(INTEGERS)
def test_integers_are_exact_at_any_size(number):
    assert parse_number(str(number)) == Quantity(number)


@given(INTEGERS)
def test_thousands_groups_change_nothing(number):
    assert parse_number(f"{number:,}") == Quantity(number)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_reads_back(number):
    assert parse_number(repr(number)).value == number


@given(st.integers(0, 10**9))
def test_parentheses_negate(number):
    assert parse_number(f"({number:,})") == Quantity(-number)


@given(st.decimals(-(10**6), 10**6, places=2))
def test_full_width_digits_are_digits(number):
    assert parse_number(f"{number}".translate(FULL_WIDTH)) == parse_number(f"{number}")


@given(st.text())
def test_any_text_is_a_finite_quantity_or_none(text):
    found = parse_number(text)
    assert isinstance(found, NotANumber) or math.isfinite(found.value)


@given(st.text(), INTEGERS)
def test_white_space_and_a_final_period_belong_to_no_number(text, number):
    space = "".join(character for character in text if character.isspace())
    assert parse_number(f"{space}{number}.{space}") == Quantity(number)
