"""The number grammar of page 10, case by case, from a frozen table."""

import json
from pathlib import Path

import pytest

from steelyard.numbers.grammar import NotANumber, Quantity, last_number, parse_number

TABLE = Path(__file__).with_name("number_grammar.jsonl")
CASES = [json.loads(line) for line in TABLE.read_text(encoding="utf-8").splitlines()]

SUBJECTS = {
    "percent": "page 10: percent",
    "percent in Chinese": "page 10: percent in Chinese",
    "currency": "page 10: currency",
    "parentheses": "page 10: parentheses for negatives",
    "magnitudes in English": "page 10: magnitude in English",
    "magnitudes in Chinese": "page 10: magnitude in Chinese",
    "full-width digits": "page 10: NFKC",
    "U+2212": "page 10: U+2212 to -",
    "units": "page 10: a trailing unit",
    "basis points": "page 10: basis points",
    "groups right": "page 10: thousands in correct groups",
    "groups wrong": "page 10: 12,5 and 1,2,3 are not numbers",
    "exponents": "page 10: exponent",
    "booleans": "page 10: booleans",
    "NaN": "page 10: NaN and infinity are not numbers",
    "overflow": "page 10: overflow is not a number",
    "text around the number": "text around the number",
}
"""What the specification asks the table to cover, and the origin of the cases that do."""


def identified(case):
    return f"{case.get('read', 'whole')}-{case['text'][:40]!a}"


@pytest.mark.parametrize("case", CASES, ids=identified)
def test_a_text_reads_as_the_table_says(case):
    found = (last_number if case.get("read") == "last" else parse_number)(case["text"])
    if "reason" in case:
        assert found == NotANumber(case["reason"])
        return
    assert isinstance(found, Quantity)
    assert (found.value, type(found.value), found.unit) == (case["value"], type(case["value"]), case["unit"])


def test_no_case_stands_twice():
    seen = [(case["text"], case.get("read")) for case in CASES]
    assert len(seen) == len(set(seen))


@pytest.mark.parametrize("origin", SUBJECTS.values(), ids=SUBJECTS)
def test_every_subject_of_the_specification_has_at_least_five_cases(origin):
    assert sum(case["origin"] == origin for case in CASES) >= 5
