"""Chinese numerals, strictly. The oracle is counting: a numeral written by rule must read back as its number."""

import pytest

from steelyard.numbers.affixes import to_arabic

DIGITS = "零一二三四五六七八九"


def spoken(number):
    """Write a number below 10^8 as Chinese people say it (一十 in front as 十)."""
    if number == 0:
        return "零"
    high, low = divmod(number, 10_000)
    parts = _section(high) + "万" if high else ""
    if low:
        parts += ("零" if high and low < 1000 else "") + _section(low)
    return parts.removeprefix("一") if parts.startswith("一十") else parts


def _section(number):
    text, gap = "", False
    for power, word in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, number = divmod(number, power)
        if digit:
            text += ("零" if gap and text else "") + DIGITS[digit] + word
            gap = False
        else:
            gap = bool(text)
    return text


@pytest.mark.parametrize("first", [0, 9_990, 99_000, 1_234_500, 99_999_000])
def test_every_numeral_of_a_range_reads_back(first):
    for number in range(first, first + 700):
        assert to_arabic(spoken(number)) == str(number), spoken(number)


@pytest.mark.parametrize(
    ("numeral", "arabic"),
    [
        ("二〇二四", "2024"),
        ("三点一四", "3.14"),
        ("两万", "20000"),
        ("一亿零三", "100000003"),
        ("一萬", "10000"),
        ("〇", "0"),
    ],
)
def test_other_ways_to_write_are_read(numeral, arabic):
    assert to_arabic(numeral) == arabic


@pytest.mark.parametrize(
    "numeral", ["三百五", "三万五", "十百", "百", "千万", "一二百", "五六七八百", "", "abc", "三点", "零十"]
)
def test_what_may_mean_two_numbers_is_none(numeral):
    assert to_arabic(numeral) is None
