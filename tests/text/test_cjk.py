"""Which characters are tokens of their own."""

import unicodedata

import pytest

from steelyard.text.tokens import CJK_CHARACTER, has_cjk


@pytest.mark.parametrize("text", ["营", "々", "〇", "ひ", "カ", "ｶ", "ー", "한", "ㄱ", "ᄀ", "𠮷", "豈"])
def test_han_kana_and_hangul_are(text):
    assert has_cjk(text)


@pytest.mark.parametrize("text", ["", "a", "é", "Ω", "。", "、", "「", "・", "１", "Ａ", "％", "ก", "д", "😀"])
def test_punctuation_digits_and_other_scripts_are_not(text):
    assert not has_cjk(text)


def test_every_letter_that_unicode_names_so_is():
    starts = ("CJK UNIFIED IDEOGRAPH", "HIRAGANA LETTER", "KATAKANA LETTER", "HANGUL SYLLABLE", "HANGUL LETTER")
    missed = [
        chr(point)
        for point in range(0x30000)
        if unicodedata.name(chr(point), "").startswith(starts) and not CJK_CHARACTER.fullmatch(chr(point))
    ]
    assert not missed
