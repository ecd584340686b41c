"""Chinese numerals, strictly: 三百零五 is 305; 三百五, which people say for 350 and for 305, is no numeral."""

from __future__ import annotations

import re
from functools import cache

DIGITS = {"零": 0, "〇": 0} | {
    character: value
    for value, characters in enumerate(("一", "二两兩", "三", "四", "五", "六", "七", "八", "九"), start=1)
    for character in characters
}
_POWERS = {"十": 10, "百": 100, "千": 1000}
_MODERN = str.maketrans("萬億", "万亿")

NUMERAL_CHARACTERS = "".join(DIGITS) + "十百千万亿萬億"
RUN = re.compile(rf"[{NUMERAL_CHARACTERS}]++(?:点[{''.join(DIGITS)}]++)?+")
"""A run that may be a numeral, with its decimals."""

_D = "[一二两兩三四五六七八九]"
_BELOW_HUNDRED = rf"(?:[零〇]{_D}|{_D}十{_D}?)?"
_HUNDREDS = rf"{_D}百{_BELOW_HUNDRED}"
_THOUSANDS = rf"{_D}千(?:[零〇](?:{_D}十{_D}?|{_D})|{_HUNDREDS})?"
_SECTION = rf"(?:{_THOUSANDS}|{_HUNDREDS}|{_D}?十{_D}?|{_D})"
# What follows 万 or 亿 starts at the thousands or says 零, else 三万五 (35,000) would be read as 30,005.
_TAIL = rf"(?:[零〇]|(?={_D}千))"
_BELOW_YI = rf"(?:(?:{_SECTION}万)(?:{_TAIL}{_SECTION})?|{_SECTION})"
_INTEGER = rf"(?:(?P<yi>{_BELOW_YI})亿(?:{_TAIL}(?P<low>{_BELOW_YI}))?|(?P<only>{_BELOW_YI}))"


@cache
def _integer() -> re.Pattern[str]:
    """Return the pattern of a spoken numeral; compiling it takes a twentieth of a small run, which rarely needs it."""
    return re.compile(_INTEGER)


def to_arabic(run: str) -> str | None:
    """Return a Chinese numeral in Arabic digits, or None where it is not one.

    >>> to_arabic("一千二百三十四点五"), to_arabic("二〇二四"), to_arabic("三百五")
    ('1234.5', '2024', None)
    """
    if RUN.fullmatch(run) is None:
        return None
    whole, point, decimals = run.partition("点")
    integer = _positional(whole) if all(character in DIGITS for character in whole) else _spoken(whole)
    return f"{integer}.{_positional(decimals)}" if integer and point else integer


def _positional(digits: str) -> str:
    return "".join(str(DIGITS[digit]) for digit in digits)


def _spoken(whole: str) -> str | None:
    match = _integer().fullmatch(whole.translate(_MODERN))
    if match is None:
        return None
    if match["only"]:
        return str(_below_yi(match["only"]))
    return str(_below_yi(match["yi"]) * 10**8 + _below_yi(match["low"] or ""))


def _below_yi(text: str) -> int:
    high, ten_thousand, low = text.rpartition("万")
    return (_section(high) * 10_000 if ten_thousand else 0) + _section(low)


def _section(text: str) -> int:
    total = digit = 0
    for character in text:
        if character in _POWERS:
            total += (digit or 1) * _POWERS[character]
            digit = 0
        else:
            digit = DIGITS[character]
    return total + digit
