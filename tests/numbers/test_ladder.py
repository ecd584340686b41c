"""The ladder of numeric matches (page 40) on the specification's own cases, and its order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.numbers.ladder import RUNGS, Ladder, classify_miss, climb

NUMBERS = st.one_of(st.integers(-(10**6), 10**6), st.floats(-1e6, 1e6))
WRITTEN = st.one_of(
    NUMBERS, NUMBERS.map(str), NUMBERS.map("{}%".format), st.sampled_from(["yes", "no", "1,2,3", "5 kg"])
)


def held(actual, expected):
    ladder = climb(actual, expected)
    return {rung for rung in RUNGS if getattr(ladder, rung)}


@pytest.mark.parametrize(
    ("actual", "expected", "rungs"),
    [
        ("14.1", "14.1", set(RUNGS)),
        ("14.2", "14.1", set(RUNGS) - {"exact_numeric_match"}),
        ("0.0005", "0", {"numerical_match", "general_match", "unit_agnostic_match", "sign_agnostic_match"}),
        ("1410", "14.1", {"unit_agnostic_match"}),
        ("0.141", "14.1", {"unit_agnostic_match"}),
        ("-14.1", "14.1", {"sign_agnostic_match"}),
        ("-1410", "14.1", set()),
        ("0.05", "0", set()),
        ("0.141", "14.1%", set(RUNGS)),
        ("14.1", "14.1%", {"general_match", "unit_agnostic_match"}),
        ("Yes", "yes", {"general_match"}),
        ("yes", "1", set()),
        ("n/a", "N/A", {"general_match"}),
        ("", "", set()),
        (None, "5", set()),
        ("5 kg", "5 m", set()),
        ("5000 g", "5 kg", set(RUNGS)),
    ],
)
def test_the_rungs_that_hold(actual, expected, rungs):
    assert held(actual, expected) == rungs


@given(WRITTEN, WRITTEN)
def test_each_forgiving_match_contains_the_strict_one(actual, expected):
    ladder = climb(actual, expected)
    chain = [ladder.exact_numeric_match, ladder.numerical_match, ladder.general_match]
    assert chain == sorted(chain)
    if ladder.numerical_match:
        assert ladder.unit_agnostic_match
        assert ladder.sign_agnostic_match
    assert not ladder.soft_match or ladder.numerical_match


@given(WRITTEN)
def test_every_answer_matches_itself(answer):
    assert climb(answer, answer).general_match


@pytest.mark.parametrize(("expected", "inside", "outside"), [("100", "101", "101.01"), ("0", "0.00099", "0.001")])
def test_limits_hold_exactly(expected, inside, outside):
    assert climb(inside, expected).numerical_match
    assert not climb(outside, expected).numerical_match


@pytest.mark.parametrize(
    ("actual", "expected", "miss"),
    [("33.3", "33.33", "rounding_error"), ("3333", "33.33", "scale_error"), ("-5", "5", "sign_error"),
     ("7", "5", "wrong_value"), ("5", "5", None), ("no", "No", None), ("no", "yes", "wrong_value")],
)  # fmt: skip
def test_a_miss_is_named_by_the_first_rung_that_holds(actual, expected, miss):
    assert classify_miss(climb(actual, expected)) == miss


def test_nothing_holds_for_no_answer():
    assert climb(None, None) == Ladder()
