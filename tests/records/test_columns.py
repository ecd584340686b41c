"""Formulas are defused and read back as they were (page 80)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.records.columns import defuse, restore

LEADS = "=+-@\t\r\n＝＋－＠"
texts = st.text(st.sampled_from([*LEADS, "'", "5", ".", "e", "a", " "]) | st.characters())


@given(texts)
def test_restoring_a_defused_text_gives_it_back(text):
    assert restore(defuse(text)) == text


@given(texts)
def test_what_is_defused_is_a_number_or_begins_with_nothing_that_runs(text):
    cell = defuse(text)
    plain = cell.replace(",", "").removesuffix("%").removesuffix(" ")
    assert not cell.startswith(tuple(LEADS)) or float(plain) is not None


@pytest.mark.parametrize(
    "text",
    ["=1+1", "+cmd", "-cmd", "@SUM(A1)", "\t=1", "\r=1", "=", "-", "＝1+1", "-1-1", "+1e", "-5%%", "-5  %", "-%"],
)
def test_formulas_get_a_quote(text):
    assert defuse(text) == f"'{text}"


@pytest.mark.parametrize(
    "text", ["-5", "+5", "-5.25", "-.5", "+1e-3", "", "a=b", "'tis", "''", "5-3", "'-5", "-21.08%", "-1,234%"]
)
def test_text_that_cannot_run_is_left_alone(text):
    assert defuse(text) == text


def test_a_formula_that_was_written_with_a_quote_keeps_it():
    assert defuse("'=1") == "''=1"
    assert restore("''=1") == "'=1"
