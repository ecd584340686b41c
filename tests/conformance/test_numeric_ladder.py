"""The ladder against a table of pairs.

`expected_value` and `actual_value` were written by hand beside each pair of texts, as fractions. The matches of a row
are page 40's formulas over those values in exact arithmetic; the first test holds the table to the formulas, the second
holds the code to the table.
"""

import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.numbers.ladder import RUNGS, classify_miss, climb

ROWS = [json.loads(line) for line in Path(__file__).with_name("numeric_ladder.jsonl").read_bytes().splitlines()]
NUMERIC = [row for row in ROWS if row["expected_value"] is not None]
TRAPS = [("0", "0.05"), ("0.1", "0.4"), ("1", "100"), ("10.4", "9.6")]


def by_formula(row: dict) -> dict[str, bool]:
    expected, actual = Fraction(row["expected_value"]), Fraction(row["actual_value"])

    def soft(left: Fraction, right: Fraction) -> bool:
        return abs(left - right) <= abs(right) / 100

    marks = "%" in row["expected"], "%" in row["actual"]
    written = actual * (100 if marks[1] else 1), expected * (100 if marks[0] else 1)
    numerical = soft(actual, expected) or abs(actual - expected) < Fraction(1, 1000)
    return {
        "exact_numeric_match": abs(actual - expected) < Fraction(1, 100_000),
        "soft_match": soft(actual, expected),
        "numerical_match": numerical,
        "general_match": numerical or (marks[0] != marks[1] and soft(*written)),
        "unit_agnostic_match": numerical or soft(actual * 100, expected) or soft(actual / 100, expected),
        "sign_agnostic_match": numerical or soft(abs(actual), abs(expected)),
    }


def test_the_table_is_large_and_has_the_traps():
    assert len(ROWS) >= 200
    pairs = {(row["expected"], row["actual"]) for row in ROWS}
    assert len(pairs) == len(ROWS)
    assert pairs.issuperset(TRAPS)
    assert pairs.issuperset((second, first) for first, second in TRAPS)


@pytest.mark.parametrize("row", NUMERIC, ids=lambda row: f"{row['expected']}|{row['actual']}")
def test_the_table_holds_to_the_formulas(row):
    assert {rung: row[rung] for rung in RUNGS} == by_formula(row)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['expected']}|{row['actual']}")
def test_the_ladder_holds_to_the_table(row):
    ladder = climb(row["actual"], row["expected"])
    assert {rung: getattr(ladder, rung) for rung in RUNGS} == {rung: row[rung] for rung in RUNGS}
    assert classify_miss(ladder) == row["miss"]


def test_the_false_positive_traps_match_on_no_rung_but_one():
    matched = {pair: [rung for rung in RUNGS if getattr(climb(pair[1], pair[0]), rung)] for pair in TRAPS}
    assert matched == {**{pair: [] for pair in TRAPS}, ("1", "100"): ["unit_agnostic_match"]}


numbers = st.one_of(
    st.decimals(-1000, 1000, places=4, allow_nan=False).map(str),
    st.decimals(-200, 200, places=2, allow_nan=False).map("{}%".format),
    st.sampled_from(["yes", "no", "0", "n/a", "$5", "(3)"]),
)


@given(numbers, numbers)
def test_numerical_match_implies_every_forgiving_one(expected, actual):
    ladder = climb(actual, expected)
    if ladder.soft_match or ladder.exact_numeric_match:
        assert ladder.numerical_match
    if ladder.numerical_match:
        assert ladder.general_match
        assert ladder.unit_agnostic_match
        assert ladder.sign_agnostic_match


@given(st.decimals(-1000, 1000, places=3, allow_nan=False))
def test_scale_and_sign_forgiveness_do_not_compose(value):
    ladder = climb(str(-value * 100), str(value))
    if value:
        assert not ladder.unit_agnostic_match
        assert not ladder.sign_agnostic_match
        assert climb(str(value * 100), str(value)).unit_agnostic_match
        assert climb(str(-value), str(value)).sign_agnostic_match


@given(st.decimals("0.0011", 1000, places=4, allow_nan=False))
def test_zero_matches_nothing_but_what_is_near_zero(value):
    assert not any(getattr(climb(str(value), "0"), rung) for rung in RUNGS)


@given(numbers)
def test_every_answer_is_right_against_itself(text):
    assert climb(text, text).general_match


@given(numbers, numbers)
def test_each_miss_has_one_class(expected, actual):
    ladder = climb(actual, expected)
    miss = classify_miss(ladder)
    assert (miss is None) == (ladder.exact_numeric_match or (ladder.general_match and not ladder.unit_agnostic_match))
    assert (miss == "rounding_error") == (ladder.numerical_match and not ladder.exact_numeric_match)
    assert (miss == "wrong_value") == (not any(getattr(ladder, rung) for rung in RUNGS))
