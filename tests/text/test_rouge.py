"""ROUGE's own decisions; parity with rouge-score is held in tests/conformance/test_parity_text.py."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.text.rouge import rouge, rouge_tokens

NAMES = ("rouge1", "rouge2", "rougeL", "rougeLsum")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The cat's 3rd naïve K", ["the", "cat", "s", "3rd", "na", "ve", "k"]),
        ("Привет Ｂ", []),
        ("营收Up 12％", ["营", "收", "up", "12"]),
        ("ｶﾞス、１２", ["ガ", "ス", "12"]),
        ("한글 ABC", ["한", "글", "abc"]),
    ],
)
def test_tokens_are_rouge_scores_and_each_cjk_character(text, expected):
    assert rouge_tokens(text) == expected


def test_the_stemmer_leaves_words_of_three_letters_alone():
    assert rouge_tokens("dies dogs was 营", stemmer=True) == ["die", "dog", "was", "营"]


@pytest.mark.parametrize(
    ("name", "recall"), [("rouge1", 4 / 6), ("rouge2", 3 / 5), ("rougeL", 4 / 6), ("rougeLsum", 4 / 6)]
)
def test_chinese_scores_by_its_characters(name, recall):
    # By hand: the prediction is the first 4 of 6 characters, so 3 of 5 pairs.
    assert rouge(name, "公司营收", "公司营收增长")[:2] == (1.0, recall)


@pytest.mark.parametrize("name", NAMES)
def test_without_tokens_every_measure_is_zero_as_in_rouge_score(name):
    assert rouge(name, "...", "...") == rouge(name, "", "") == (0.0, 0.0, 0.0)


@given(st.sampled_from(NAMES), st.text(max_size=40), st.text(max_size=40), st.booleans())
def test_f_is_in_range_and_swapping_the_texts_swaps_precision_and_recall(name, first, second, stemmer):
    forward = rouge(name, first, second, stemmer=stemmer)
    assert all(0.0 <= value <= 1.0 for value in forward)
    if name != "rougeLsum":  # its union is taken over the reference's sentences
        backward = rouge(name, second, first, stemmer=stemmer)
        assert (backward.recall, backward.precision, backward.fmeasure) == forward


@pytest.mark.parametrize("name", NAMES)
def test_both_texts_of_a_pair_are_read_by_one_rule(name):
    # Fullwidth letters and a circled figure are tokens once they are normalised, on whichever side they stand.
    first, second = "Ｑ３ sales ① up", "Q3 sales 1 up 营收"
    assert rouge(name, first, second).precision == rouge(name, second, first).recall == 1.0
    assert rouge(name, first, second, together=False).recall < rouge(name, first, second).recall


def test_text_without_cjk_is_read_as_before():
    assert rouge("rouge1", "Ｑ３ naïve", "q3 naive") == rouge("rouge1", "Ｑ３ naïve", "q3 naive", together=False)
