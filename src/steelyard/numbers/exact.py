"""Numbers as the decimals they were written in, for comparisons that must hold exactly at their limits.

`1.1 - 1.0 <= 0.1` is false in binary floating point; here it is true, as it is on paper. Arithmetic goes through these
functions, never through operators, whose precision any other code in the process may have changed.
"""

from __future__ import annotations

import math
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction

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
