"""Compatibility characters before a number is read."""

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.numbers.quantity import fold, fold_with_places


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("－１２．５％", "-12.5%"),
        ("\u22125", "-5"),
        ("10²", "10^2"),
        ("H₂O", "H_2O"),
        ("㎞", "km"),
        ("①", "1"),
        ("½", "1⁄2"),
    ],
)
def test_characters_fold_one_by_one(text, folded):
    assert fold(text) == folded


@given(st.text(st.characters(blacklist_categories=["Mn", "Mc", "Me", "Cs", "Lo"])))
def test_folding_is_nfkc_where_nothing_composes(text):
    raised = set("⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉")
    if raised.isdisjoint(text):
        characters = "".join(unicodedata.normalize("NFKC", character) for character in text)
        assert fold(text) == characters.replace("\u2212", "-")


@given(st.text())
def test_places_lead_back_to_the_characters(text):
    folded, places = fold_with_places(text)
    if places is not None:
        assert len(places) == len(folded) + 1
        assert all(piece in fold(text[place]) for piece, place in zip(folded, places[:-1], strict=True))
    else:
        assert len(folded) == len(text)


def test_a_million_combining_marks_fold_in_time():
    start = time.perf_counter()
    fold("a" + "\u0301\u0316" * 500_000)
    assert time.perf_counter() - start < 10
