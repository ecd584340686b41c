"""Digits: groups, decimals, exponents, and their value under a power of ten."""

import pytest

from steelyard.numbers.literals import Literal, read_run, value_of


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        ("1,234.50", Literal("1234", "50", "")),
        ("007", Literal("7", "", "")),
        (".5e-3", Literal("", "5", "-3")),
        ("12,34", "bad_grouping"),
        ("0,123", "bad_grouping"),
        ("1.2.3", "malformed"),
    ],
)
def test_a_run_has_parts_or_a_reason(run, expected):
    assert read_run(run) == expected


@pytest.mark.parametrize(
    ("run", "power", "value"),
    [("3.5", 6, 3_500_000), ("1.23456", 3, 1234.56), ("7", 0, 7), ("1e5", 0, 100000.0), ("0", 12, 0)],
)
def test_a_power_of_ten_keeps_whole_numbers_exact(run, power, value):
    found = value_of(read_run(run), power, negative=False)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize("run", ["1e400", "9" * 400, "1e" + "9" * 100])
def test_what_no_float_holds_has_no_value(run):
    assert value_of(read_run(run), 0, negative=False) is None


@pytest.mark.parametrize("run", ["1e-400", "1e-" + "9" * 100])
def test_what_is_too_small_for_a_float_is_zero(run):
    assert value_of(read_run(run), 0, negative=False) == 0.0
