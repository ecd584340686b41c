"""Exact match and F1 of blocks against their item forms, on texts made to be difficult."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.kernels.overlap import overlap_block, same_stripped_block
from steelyard.records.blocks import TextColumn
from steelyard.text.tokens import exact_match, token_f1, tokens

WORDS = st.sampled_from(
    ["the", "a", "An", "THE", "cat", "don't", "3.14", "naïve", "ß", "Σας", "ＡＢ", "营收", "가", "ﬁ", "é", "İ"]
)
PROSE = st.lists(WORDS, max_size=12).map(" ".join)
HOSTILE = st.text(
    st.sampled_from("aAthe .,'\t\n\x00\x1c\u3000\u00a0\u0301\u200bßΣσςKİ营ｶﾞ가가😀\U00020000\ud800"), max_size=24
)
TEXT = st.one_of(PROSE, HOSTILE, st.text(max_size=30))
PAIRS = st.lists(st.one_of(st.tuples(TEXT, TEXT), TEXT.map(lambda text: (text, text))), min_size=1, max_size=8)


@settings(max_examples=150, deadline=None)
@given(PAIRS, st.sampled_from(["basic", "squad"]))
def test_a_block_has_the_numbers_of_its_rows(pairs, profile):
    predictions, references = zip(*pairs, strict=True)
    found = overlap_block(TextColumn.of(predictions), TextColumn.of(references), normalize=profile)
    assert found.exact_match.tolist() == [exact_match(*pair, normalize=profile) for pair in pairs]
    assert found.f1.tolist() == [token_f1(*pair, normalize=profile) for pair in pairs]
    assert found.empty.tolist() == [not tokens(prediction, profile) for prediction in predictions]


@settings(max_examples=100, deadline=None)
@given(PAIRS)
def test_equality_but_for_case_and_ends_is_that_of_strip_lower(pairs):
    predictions, references = zip(*pairs, strict=True)
    found = same_stripped_block(TextColumn.of(predictions), TextColumn.of(references))
    assert found.tolist() == [exact_match(*pair, normalize="strip_lower") for pair in pairs]


@pytest.mark.parametrize("profile", ["basic", "squad"])
def test_every_character_of_the_basic_plane_and_beyond_is_judged_like_python_judges_it(profile):
    characters = [chr(point) for point in [*range(0xD800), *range(0xE000, 0x10000), *range(0x1F000, 0x20000), 0x20000]]
    texts = [f"x{character}y the" for character in characters]
    others = [f"X{character.lower()}Y" for character in characters]
    found = overlap_block(TextColumn.of(texts), TextColumn.of(others), normalize=profile)
    wanted = [token_f1(text, other, normalize=profile) for text, other in zip(texts, others, strict=True)]
    assert found.f1.tolist() == wanted


def test_long_texts_with_thousands_of_tokens_are_counted_exactly():
    text = " ".join(f"w{number % 997}" for number in range(20_000))
    other = " ".join(f"w{number % 1009}" for number in range(15_000))
    found = overlap_block(TextColumn.of([text]), TextColumn.of([other]))
    assert found.f1[0] == token_f1(text, other)
