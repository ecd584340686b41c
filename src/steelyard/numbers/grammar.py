"""The number grammar: a text that is one number as a whole.

Compatibility characters are folded first (full-width digits, U+2212). Then: sign, currency, thousands groups of three,
decimals, exponent, parentheses for negatives, magnitude, percent or basis points, unit. White space at the ends, one
period that ends a sentence and the dollar signs of typeset mathematics (`$42$`) belong to no number and are allowed.
Nothing is guessed: `12,5`, `1,2,3`, `1/2`, `10-20` and `(-5)` are not numbers. `find_numbers` and `last_number` read
running text.
"""

from __future__ import annotations

import re

from steelyard.numbers import affixes as numerals
from steelyard.numbers import literals
from steelyard.numbers.affixes import SIGNS, Prefix, assemble, assemble_ratio, read_prefix, read_suffix
from steelyard.numbers.quantity import NotANumber, Quantity, fold
from steelyard.numbers.running import find_numbers, last_number, scan_numbers

__all__ = ["NotANumber", "Quantity", "find_numbers", "last_number", "parse_number", "scan_numbers"]

_PLAIN = re.compile(r"[+-]?[0-9]{1,300}(\.[0-9]{1,300})?")
_BOOLEANS = {"yes": True, "no": False, "true": True, "false": False} | {
    word: word in "是对真" for word in ("是", "否", "对", "错", "真", "假")
}
_NOT_FINITE = re.compile(r"[+-]?(?:nan|inf|infinity|∞)")
_RATIO = re.compile(r"(?P<sign>[-+负負]?)(?P<base>[^分]{1,9})分之(?P<part>.+)", re.DOTALL)


def parse_number(text: str) -> Quantity | NotANumber:
    """Return the number that a text is as a whole, or why it is none.

    >>> parse_number("(1,234.5)")
    Quantity(value=-1234.5, unit=None, decimals=1)
    >>> parse_number("百分之十"), parse_number("$3.5 million")
    (Quantity(value=10, unit='%', decimals=0), Quantity(value=3500000, unit='$', decimals=1))
    >>> parse_number("1,2,3")
    NotANumber(reason='bad_grouping')
    """
    stripped = text.strip()
    plain = _PLAIN.fullmatch(stripped)
    if plain is not None:
        decimals = plain[1]
        return Quantity(int(stripped)) if decimals is None else Quantity(float(stripped), None, len(decimals) - 1)
    spelled = fold(stripped).strip()
    if spelled.endswith((".", "。")):
        spelled = spelled[:-1].rstrip()
    if not spelled:
        return NotANumber("empty")
    if spelled[0] == spelled[-1] == "$" and spelled.count("$") == 2:
        spelled = spelled[1:-1].strip()
    return _word(spelled) or _ratio(spelled) or _number(spelled)


def _word(spelled: str) -> Quantity | NotANumber | None:
    if len(spelled) > 10:
        return None
    folded = spelled.casefold()
    if folded in _BOOLEANS:
        return Quantity(_BOOLEANS[folded])
    return NotANumber("not_finite") if _NOT_FINITE.fullmatch(folded) else None


def _ratio(spelled: str) -> Quantity | NotANumber | None:
    match = _RATIO.fullmatch(spelled)
    return match and assemble_ratio(match["base"], match["part"], negative=SIGNS.get(match["sign"], False))


def _number(spelled: str) -> Quantity | NotANumber:
    digits = literals.RUN.search(spelled)
    if digits is None:
        return _numeral(spelled)
    return _assemble(spelled[: digits.start()], digits.group(), spelled[digits.end() :])


def _numeral(spelled: str) -> Quantity | NotANumber:
    run = numerals.RUN.search(spelled)
    arabic = numerals.to_arabic(run.group()) if run else None
    if run is None or arabic is None:
        return NotANumber("no_number")
    # 一定, 一般, 十分: after one character, what the table does not know is the rest of a word, not a unit.
    return _assemble(spelled[: run.start()], arabic, spelled[run.end() :], known_only=len(run.group()) == 1)


def _assemble(before: str, run: str, after: str, *, known_only: bool = False) -> Quantity | NotANumber:
    prefix = read_prefix(before)
    if isinstance(prefix, str):
        return NotANumber(prefix)
    rest = _close(after, prefix)
    if rest is None:
        return NotANumber("unbalanced")
    suffix = read_suffix(rest, prefix.currency, known_only=known_only)
    return NotANumber(suffix) if isinstance(suffix, str) else assemble(run, suffix, negative=prefix.negative)


def _close(after: str, prefix: Prefix) -> str | None:
    """Return what follows the digits without the closing parenthesis, or None where there is not one at either end."""
    if not prefix.parenthesis:
        return after
    if after.endswith(")"):
        return after[:-1]
    return after.lstrip()[1:] if after.lstrip().startswith(")") else None
