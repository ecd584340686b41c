"""What stands around the digits of a number (sign, currency, parenthesis; magnitude, unit), and the whole they make.

Rules for letters that are both a magnitude and a unit, all case-sensitive:

- `5m`, `5k`, `5K`, `5b`: attached to the digits they are magnitudes (million, thousand, thousand, billion);
- `$5 m`, `5 m USD`: so they are beside a currency;
- `5 m`, `5 K`: standing apart they are metre and kelvin, while `k`, `M`, `b`, `B` stay magnitudes.

Before it: numbers in words and other digits.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from steelyard.numbers import literals
from steelyard.numbers.quantity import NotANumber, Quantity, Reason
from steelyard.numbers.units import Unit, convertible, currency, known_unit, split_magnitude, table_unit

# Chinese numerals, strictly: 三百零五 is 305; 三百五, which people say for 350 and for 305, is no numeral.


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


SIGNS = {"+": False, "-": True, "负": True, "負": True}
"""Whether each sign negates."""

DASHES = "–—‐‒±∓"
"""What looks like a sign and may be a range, a pause or both signs."""

LONGEST_AFFIX = 80
"""Characters that a prefix or suffix may have, white space collapsed."""

_RATIO_UNITS = {"百": "%", "千": "‰", "万": "bp"}
_ATTACHED = {"m": "million", "M": "million", "k": "thousand", "K": "thousand", "b": "billion", "B": "billion"}
_WORD = r"[^\W\d_]{1,32}(?:\^?[23])?"
_UNKNOWN_UNIT = re.compile(rf"{_WORD}(?:(?: ?/ ?| per ){_WORD})?")
_HAN = re.compile(r"[\u3400-\u9fff]")
_NUMERAL = re.compile(f"[{NUMERAL_CHARACTERS}]")


@dataclass(frozen=True, slots=True)
class Prefix:
    """What stands before the digits."""

    negative: bool = False
    parenthesis: bool = False
    currency: Unit | None = None


@dataclass(frozen=True, slots=True)
class Suffix:
    """What stands after the digits: a power of ten and a unit's name."""

    power: int = 0
    unit: str | None = None


def read_prefix(text: str) -> Prefix | Reason:
    """Return what stands before the digits of a text that is one number as a whole."""
    if not text:
        return Prefix()
    if len(text) > LONGEST_AFFIX:
        return "text_around"
    marks = [character for character in text if character in SIGNS or character == "("]
    body = "".join(character for character in text if character not in marks and not character.isspace())
    found = currency(body) if body else None
    if body and found is None:
        return "bad_sign" if all(character in DASHES for character in body) else "text_around"
    if len(marks) > 1:
        return "two_signs"
    parenthesis = marks == ["("]
    return Prefix(parenthesis or any(SIGNS[mark] for mark in marks), parenthesis, found)


def read_suffix(text: str, money: Unit | None = None, *, known_only: bool = False) -> Suffix | Reason:
    """Return the magnitude and unit in what follows the digits, which says by its first character if it is attached.

    An unknown unit is one word (`apples`), or two with a slash or `per` between; Latin letters may not be attached.
    `known_only` refuses it: in running text the next word is most often no unit.
    """
    words = text.split()
    if not words:
        return Suffix(unit=money.name if money else None)
    attached = not text[0].isspace()
    if (attached or money) and words[0] in _ATTACHED:
        words[0] = _ATTACHED[words[0]]
    spelled = " ".join(words)
    if len(spelled) > LONGEST_AFFIX:
        return "text_around"
    power, rest = (0, spelled) if money is None and table_unit(spelled) else split_magnitude(spelled)
    if not rest:
        return Suffix(power, money.name if money else None)
    if money is not None and rest.startswith(("/", "per ")):
        return _named(f"{money.name}{'' if rest[0] == '/' else ' '}{rest}", power, known_only=known_only)
    unit = known_unit(rest)
    if money is not None and unit is not None:
        return Suffix(power, unit.name) if convertible(unit, money) else "two_units"
    if money is not None or (unit is None and attached and not power and not _HAN.match(rest)):
        return "text_around"
    return _named(rest, power, known_only=known_only)


def _named(text: str, power: int, *, known_only: bool) -> Suffix | Reason:
    """Return a unit by its name in the table, or as written where it may be a unit that the table does not know."""
    unit = known_unit(text)
    if unit is not None:
        return Suffix(power, unit.name)
    words = text.replace("$", "USD")
    may_be_unit = _UNKNOWN_UNIT.fullmatch(words) is not None and not _NUMERAL.search(text)
    return Suffix(power, text) if may_be_unit and not known_only else "text_around"


def assemble(run: str, suffix: Suffix, *, negative: bool) -> Quantity | NotANumber:
    """Return the quantity that digits and their affixes make."""
    literal = literals.read_run(run)
    if isinstance(literal, str):
        return NotANumber(literal)
    value = literals.value_of(literal, suffix.power, negative=negative)
    return NotANumber("overflow") if value is None else Quantity(value, suffix.unit, len(literal.decimals))


def assemble_ratio(base: str, part: str, *, negative: bool) -> Quantity | NotANumber:
    """Return 百分之十二 as 12 percent, 千分之五 as 5 per mille, 万分之五 as 5 basis points; 三分之一 is no number."""
    run = "100" if part == "百" else part if literals.RUN.fullmatch(part) else to_arabic(part)
    unit = _RATIO_UNITS.get(base)
    return assemble(run, Suffix(unit=unit), negative=negative) if unit and run else NotANumber("malformed")
