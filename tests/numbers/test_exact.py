"""Numbers as decimals: limits hold exactly, whatever other code does to the decimal context."""

import decimal
import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.numbers.literals import exact, finite, gap, nearest_float, product, rounded, share, times

FLOATS = st.floats(allow_nan=False, allow_infinity=False)


def test_a_limit_holds_as_on_paper():
    assert not abs(1.1 - 1.0) <= 0.1
    assert gap(exact(1.1), exact(1.0)) <= exact(0.1)


@given(FLOATS)
def test_a_float_comes_back(value):
    assert nearest_float(exact(value)) == value


def test_the_process_wide_precision_does_not_matter():
    with decimal.localcontext(prec=3):
        assert gap(exact(123456), exact(1)) == Decimal(123455)
        assert product(exact(1.2345), exact(100)) == Decimal("123.45")


def test_fractions_are_exact_where_decimals_can_be():
    assert times(exact(12.5), Fraction(1, 100)) == Decimal("0.125")
    assert rounded(Fraction(1, 3)).quantize(Decimal("1e-20")) == Decimal("0.33333333333333333333")


def test_a_share_is_of_the_absolute_value():
    assert share(Decimal(1), Decimal(-4)) == Decimal("0.25")


@pytest.mark.parametrize(
    ("value", "known"), [(0, True), (1e308, True), (10**400, False), (math.inf, False), (math.nan, False)]
)
def test_finite_means_that_a_float_can_hold_it(value, known):
    assert finite(value) is known


def test_a_decimal_beyond_all_floats_has_no_nearest():
    assert nearest_float(Decimal("1e400")) is None
