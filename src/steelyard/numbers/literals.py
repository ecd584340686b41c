"""The digits of a number: thousands groups, decimals, exponent; and their exact value under a power of ten."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction

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


# Numbers as the decimals they were written in, for comparisons that must hold exactly at their limits.
#
# `1.1 - 1.0 <= 0.1` is false in binary floating point; here it is true, as it is on paper. Arithmetic goes through
# these functions, never through operators, whose precision any other code in the process may have changed.


# Wide enough for every digit of two floats that are close enough for a limit to matter, and it never traps.
_ARITHMETIC = Context(prec=60, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])


def exact(value: float) -> Decimal:
    """Return a finite number as the shortest decimal that means it.

    >>> gap(exact(1.1), exact(1)) == exact(0.1)
    True
    """
    return Decimal(value) if isinstance(value, int) else Decimal(repr(value))


def gap(first: Decimal, second: Decimal) -> Decimal:
    """Return the absolute difference."""
    return _ARITHMETIC.subtract(first, second).copy_abs()


def product(first: Decimal, second: Decimal) -> Decimal:
    """Return the product."""
    return _ARITHMETIC.multiply(first, second)


def times(value: Decimal, factor: Fraction) -> Decimal:
    """Return a value times a fraction."""
    return value if factor == 1 else rounded(Fraction(value) * factor)


def rounded(value: Fraction) -> Decimal:
    """Return a fraction as a decimal."""
    return _ARITHMETIC.divide(Decimal(value.numerator), Decimal(value.denominator))


def share(part: Decimal, whole: Decimal) -> Decimal:
    """Return a part divided by the absolute value of a whole that is not 0."""
    return _ARITHMETIC.divide(part, whole.copy_abs())


def nearest_float(value: Decimal) -> float | None:
    """Return the nearest float, or None where none is as large."""
    nearest = float(value)
    return nearest if math.isfinite(nearest) else None


def finite(value: float) -> bool:
    """Return whether a number is finite and a float can hold it."""
    try:
        return math.isfinite(value)
    except OverflowError:
        return False
