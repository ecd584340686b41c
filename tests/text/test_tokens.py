"""Tokens: white space, and each Han, kana and hangul character by itself."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.records.answers import PROFILES
from steelyard.text.tokens import contains_sequence, has_cjk, normalise, tokens, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The  cat\nsat", ["the", "cat", "sat"]),
        ("营收增长12%", ["营", "收", "增", "长", "12%"]),
        ("ひらカナ", ["ひ", "ら", "カ", "ナ"]),
        ("ｶﾅ", ["カ", "ナ"]),
        ("한국 사람", ["한", "국", "사", "람"]),
        ("한", ["한"]),
        ("𠮷野家", ["𠮷", "野", "家"]),
        ("人々とスーパー", ["人", "々", "と", "ス", "ー", "パ", "ー"]),
        ("ア・イ", ["ア", "・", "イ"]),
        ("naïve Привет", ["naïve", "привет"]),
        ("", []),
    ],
)
def test_basic_tokens_split_at_spaces_and_around_each_cjk_character(text, expected):
    assert tokens(text, "basic") == expected


def test_squad_tokens_are_the_scripts_own_also_in_chinese():
    assert tokens("The 营收 up.", "squad") == ["营收", "up"]


def test_tokens_without_normalisation_still_split_cjk():
    assert tokens("A营b", "none") == ["A", "营", "b"]


@given(st.text(st.characters(max_codepoint=0x2DFF)).filter(lambda text: not has_cjk(text)), st.sampled_from(PROFILES))
def test_without_cjk_only_white_space_separates(text, profile):
    assert tokens(text, profile) == normalise(text, profile).split()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Up, up (and) away!", ["up", "up", "and", "away"]),
        ("-5 is 12.5%. C++; $3", ["-5", "is", "12.5%", "c++", "$3"]),
        ("“涨” — 上。", ["涨", "上"]),
        ("... ?!", []),
    ],
)
def test_words_lose_sentence_punctuation_and_keep_signs(text, expected):
    assert words(text, "basic") == expected


@pytest.mark.parametrize(
    ("within", "wanted", "expected"),
    [
        ("analysts support it", "up", False),
        ("it went up today", "up", True),
        ("it went up today", "went up", True),
        ("it went straight up", "went up", False),
        ("up", "up up", False),
        ("up", "", True),
        ("", "up", False),
    ],
)
def test_a_sequence_is_found_in_whole_tokens_only(within, wanted, expected):
    assert contains_sequence(within.split(), wanted.split()) is expected
