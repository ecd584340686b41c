"""Normalisation profiles, by page 10's table."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.records.answers import PROFILES
from steelyard.text.tokens import collapse, nfkc, normalise


@pytest.mark.parametrize(
    ("profile", "text", "expected"),
    [
        ("strip_lower", "  A  B\t", "a  b"),
        ("strip_lower", "STRASSE ẞ", "strasse ss"),
        ("strip_lower", "Ｂ", "ｂ"),
        ("basic", "  A \n B\u3000c ", "a b c"),
        ("basic", "Ｂ①", "b1"),
        ("basic", "ｶﾞ", "ガ"),
        ("basic", "Straße", "strasse"),
        ("basic", "The end.", "the end."),
        ("squad", "The  Big-Apple, an a!", "bigapple"),
        ("squad", "Theatre and", "theatre and"),
        ("squad", "café’s", "café’s"),
        ("none", " A  b ", " A  b "),
    ],
)
def test_each_profile_changes_what_its_row_of_the_table_says(profile, text, expected):
    assert normalise(text, profile) == expected


@given(st.text(alphabet=st.characters(exclude_categories=())), st.sampled_from(PROFILES))
def test_no_text_makes_a_profile_raise(text, profile):
    assert isinstance(normalise(text, profile), str)


@given(st.text(), st.sampled_from(("strip_lower", "basic", "squad")))
def test_white_space_at_the_ends_never_matters(text, profile):
    assert normalise(f" \t{text}\n", profile) == normalise(text, profile)


@given(st.text())
def test_collapsing_twice_changes_nothing_more(text):
    assert collapse(collapse(text)) == collapse(text)


@given(st.lists(st.sampled_from("aé가ｶ\u0301\u0327\u0f73\u0344\uff9e\u3099\u0334"), min_size=70, max_size=300))
def test_the_safe_normal_form_is_the_standard_one_on_long_runs_of_marks(characters):
    text = "".join(characters) + "é" * 4000 + "\u0301\u0327" * 40
    assert nfkc(text) == unicodedata.normalize("NFKC", text)


@pytest.mark.timeout(20)
def test_a_million_combining_marks_take_seconds_and_not_hours():
    assert len(nfkc("a" + "\u0301\u0327" * 500_000)) == 1_000_000
