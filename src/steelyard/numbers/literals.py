"""The digits of a number: thousands groups, decimals, exponent; and their exact value under a power of ten."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from steelyard.numbers.quantity import Reason

DIGITS = r"\.?[0-9]++(?:[.,]++[0-9]++)*+(?:[eE][+-]?[0-9]++)?+"
"""A maximal run of digits and separators, right or wrong. Possessive throughout: no input makes it go back."""

RUN = re.compile(DIGITS)
_GROUPED = re.compile(r"[1-9][0-9]{0,2}(?:,[0-9]{3})++(?![0-9,])")
_PLAIN = re.compile(r"(?P<whole>[0-9]*+)(?:\.(?P<decimals>[0-9]++))?(?:[eE](?P<exponent>[+-]?[0-9]++))?")

_LONGEST_WHOLE = 309
"""Digits of the largest float; a longer whole number is an overflow."""
_LARGEST_EXPONENT = 10**9


@dataclass(frozen=True, slots=True)
class Literal:
    """The parts of a well-formed run."""

    whole: str
    decimals: str
    exponent: str


def read_run(run: str) -> Literal | Reason:
    """Return the parts of a run of digits, or why they are not one number."""
    if "," in run:
        groups = _GROUPED.match(run)
        if groups is None:
            return "bad_grouping"
        run = groups.group().replace(",", "") + run[groups.end() :]
        if "," in run:
            return "bad_grouping"
    match = _PLAIN.fullmatch(run)
    if match is None or not (match["whole"] or match["decimals"]):
        return "malformed"
    return Literal(match["whole"].lstrip("0"), match["decimals"] or "", match["exponent"] or "")


def value_of(literal: Literal, power: int, *, negative: bool) -> int | float | None:
    """Return the value times ten to a power, or None where it overflows; whole numbers are exact ints."""
    if not literal.exponent and len(literal.decimals) <= power:
        value: int | float | None = _integer(literal.whole + literal.decimals + "0" * (power - len(literal.decimals)))
    else:
        value = _float(literal, power)
    if value is None:
        return None
    return -value if negative else value


def _integer(digits: str) -> int | None:
    digits = digits.lstrip("0")
    if len(digits) > _LONGEST_WHOLE:
        return None
    value = int(digits or "0")
    try:
        float(value)
    except OverflowError:
        return None
    return value


def _float(literal: Literal, power: int) -> float | None:
    exponent = _clamped(literal.exponent) + power
    value = float(f"{literal.whole or '0'}.{literal.decimals or '0'}e{exponent}")
    return value if math.isfinite(value) else None


def _clamped(exponent: str) -> int:
    if len(exponent) > 10:
        significant = exponent.lstrip("+-").lstrip("0")
        exponent = exponent[0].replace("+", "").rstrip("0123456789") + (significant[:10] or "0")
    return max(-_LARGEST_EXPONENT, min(_LARGEST_EXPONENT, int(exponent or "0")))
