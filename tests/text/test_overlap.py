"""Exact match and token F1. Expected figures are worked out by hand from the definitions of page 20."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.records.answers import PROFILES
from steelyard.text.tokens import exact_match, overlap, token_f1

TEXT = st.text(st.characters(exclude_categories=()), max_size=40)


@pytest.mark.parametrize(
    ("prediction", "reference", "expected"),
    [
        ("the cat", "the cat", 1.0),
        ("", "", 1.0),
        ("   ", "", 1.0),
        ("", "cat", 0.0),
        ("cat", "", 0.0),
        ("dog", "cat", 0.0),
        ("the the cat", "the cat", 0.8),
        ("营收增长", "营收下降", 0.5),
        ("Ｂ", "b", 1.0),
    ],
)
def test_token_f1_is_multiset_overlap(prediction, reference, expected):
    assert token_f1(prediction, reference) == expected


@pytest.mark.parametrize(
    ("normalize", "expected"), [("basic", 0.0), ("squad", 1.0), ("strip_lower", 0.0), ("none", 0.0)]
)
def test_exact_match_follows_its_profile(normalize, expected):
    assert exact_match("The B.", "b", normalize=normalize) == expected


@given(TEXT, TEXT, st.sampled_from(PROFILES))
def test_both_measures_are_symmetric_and_in_range(first, second, profile):
    for measure in (exact_match, token_f1):
        value = measure(first, second, normalize=profile)
        assert 0.0 <= value <= 1.0
        assert value == measure(second, first, normalize=profile)


@given(TEXT, TEXT, st.sampled_from(PROFILES))
def test_an_exact_match_is_a_full_overlap(first, second, profile):
    if exact_match(first, second, normalize=profile):
        assert token_f1(first, second, normalize=profile) == 1.0


def test_overlap_has_precision_and_recall():
    assert overlap(["a", "b", "b", "c"], ["b", "d"]) == (0.25, 0.5, 2 * 0.25 * 0.5 / 0.75)
