"""Longest common subsequences against the textbook's table."""

from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import LCSseq
from rouge_score.rouge_scorer import lcs_ind

from steelyard.text.rouge import lcs_length, lcs_positions

SEQUENCES = st.lists(st.sampled_from("abcd"), max_size=40)


@given(SEQUENCES, SEQUENCES)
def test_the_length_is_rapidfuzz_s(first, second):
    assert lcs_length(first, second) == LCSseq.similarity(first, second)


@given(SEQUENCES, SEQUENCES)
def test_the_positions_are_the_ones_that_rouge_score_picks(reference, candidate):
    assert lcs_positions(reference, candidate) == lcs_ind(reference, candidate)


@given(st.lists(st.integers(0, 3), max_size=200))
def test_a_sequence_is_its_own_longest(sequence):
    assert lcs_length(sequence, sequence) == len(sequence)


def test_nothing_is_common_with_an_empty_sequence():
    assert lcs_length("", "abc") == lcs_length("abc", "") == lcs_length("", "") == 0
    assert lcs_positions("", "abc") == lcs_positions("abc", "") == []
