"""What stands around the digits of a number (sign, currency, parenthesis; magnitude, unit), and the whole they make.

Rules for letters that are both a magnitude and a unit, all case-sensitive:

- `5m`, `5k`, `5K`, `5b`: attached to the digits they are magnitudes (million, thousand, thousand, billion);
- `$5 m`, `5 m USD`: so they are beside a currency;
- `5 m`, `5 K`: standing apart they are metre and kelvin, while `k`, `M`, `b`, `B` stay magnitudes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from steelyard.numbers import literals
from steelyard.numbers.numerals import NUMERAL_CHARACTERS, to_arabic
from steelyard.numbers.quantity import NotANumber, Quantity, Reason
from steelyard.numbers.units import Unit, convertible, currency, known_unit, split_magnitude, table_unit

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
