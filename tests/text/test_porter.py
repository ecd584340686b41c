"""The stemmer against NLTK's, which rouge-score uses."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer

from steelyard.text.porter import _STEP_2, _STEP_3, _STEP_4, stem

SUFFIXES = [suffix for suffix, _ in (*_STEP_2, *_STEP_3, *_STEP_4)]
ENDINGS = [*SUFFIXES, "", "ed", "ing", "ied", "ies", "eed", "y", "s", "sses", "ss", "logi", "ll", "e"]


@settings(max_examples=2000)
@given(st.text("aeioubcdlstwxyz0", max_size=7), st.sampled_from(ENDINGS), st.sampled_from(ENDINGS))
def test_stems_are_nltk_s_for_every_combination_of_suffixes(beginning, first, second):
    word = beginning + first + second
    assert stem(word) == PorterStemmer().stem(word)


def test_stems_are_nltk_s_on_real_text(shared_data):
    text = (shared_data("rouge_testdata") / "target_large.txt").read_text("utf-8").lower()
    stemmer = PorterStemmer()
    found = set(re.findall("[a-z0-9]+", text))
    assert len(found) > 1000
    assert [word for word in found if stem(word) != stemmer.stem(word)] == []


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("caresses", "caress"),
        ("ponies", "poni"),
        ("agreed", "agre"),
        ("hopping", "hop"),
        ("filing", "file"),
        ("relational", "relat"),
        ("adoption", "adopt"),
        ("controll", "control"),
        ("dying", "die"),
        ("news", "news"),
        ("is", "is"),
    ],
)
def test_words_of_the_paper_and_of_nltk_s_table_stem_as_printed_there(word, expected):
    assert stem(word) == expected


@pytest.mark.timeout(20)
def test_a_very_long_word_takes_linear_time():
    assert stem("y" * 200_000) == "y" * 199_999 + "i"
