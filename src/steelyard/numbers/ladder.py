"""The ladder of numeric matches (page 40, seed 004): how close an answer came, from exact to forgiving.

E is the expected number and A the actual one, both after the number grammar; a percentage is its fraction and nothing
else. Forgiving scale or sign keeps the relative tolerance and drops the absolute one: 0.05 is no 0 in another scale.
Numbers are compared as the decimals they are written in, so that each limit holds exactly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, TypeAlias

from steelyard.numbers.grammar import parse_number
from steelyard.numbers.literals import exact, finite, gap, product, times
from steelyard.numbers.quantity import NotANumber, Quantity
from steelyard.numbers.units import Unit, convert_exact, resolve
from steelyard.text.tokens import normalise

Operand: TypeAlias = str | int | float | bool | Quantity | None
Miss: TypeAlias = Literal["rounding_error", "scale_error", "sign_error", "wrong_value"]

_EXACT = Decimal("1e-5")
_ABSOLUTE = Decimal("0.001")
_RELATIVE = Decimal("0.01")
_HUNDRED = Decimal(100)


@dataclass(frozen=True, slots=True)
class Ladder:
    """Which matches hold. `numerical_match` implies the three below it; unit and sign forgiveness do not compose."""

    exact_numeric_match: bool = False
    """abs(A - E) < 1e-5."""
    soft_match: bool = False
    """abs(A - E) <= 0.01 abs(E)."""
    numerical_match: bool = False
    """`soft_match` or abs(A - E) < 0.001."""
    general_match: bool = False
    """`numerical_match`, or a match as written where one side has a percent sign, or equal as text or boolean."""
    unit_agnostic_match: bool = False
    """`numerical_match`, or `soft_match` of 100 A or A / 100."""
    sign_agnostic_match: bool = False
    """`numerical_match`, or `soft_match` of the absolute values."""


RUNGS = tuple(Ladder.__dataclass_fields__)
"""The names of the matches, in order."""
DIAGNOSTICS = ("unit_agnostic_match", "sign_agnostic_match")
"""Matches that say what kind of mistake was made, and not whether an answer is right."""


def climb(actual: Operand, expected: Operand, aliases: Mapping[str, str] | None = None) -> Ladder:
    """Return which matches hold between two answers, given as texts, numbers or quantities; None is no answer.

    Units that do not convert match on no rung. A unit on one side only is left aside.

    >>> climb("0.10", "10%").numerical_match, climb("10", "10%").unit_agnostic_match, climb("10", "10%").soft_match
    (True, True, False)
    >>> climb(0.05, 0) == Ladder()
    True
    """
    found, wanted = _read(actual), _read(expected)
    if isinstance(found, NotANumber) or isinstance(wanted, NotANumber) or found.is_boolean or wanted.is_boolean:
        return Ladder(general_match=_same(actual, found, expected, wanted))
    units = _unit(found, aliases), _unit(wanted, aliases)
    written = exact(found.value), exact(wanted.value)
    pair = _in_one_unit(*written, *units)
    return Ladder() if pair is None else _match(*pair, as_written=_one_percent(*units) and _soft(*written))


def classify_miss(ladder: Ladder) -> Miss | None:
    """Return why an answer missed, by the first rung that matches; None where it is exact, or equal as text or boolean.

    >>> classify_miss(climb("33.3", "33.33")), classify_miss(climb("-5", "5")), classify_miss(climb("no", "No"))
    ('rounding_error', 'sign_error', None)
    """
    if ladder.exact_numeric_match:
        return None
    if ladder.numerical_match:
        return "rounding_error"
    if ladder.unit_agnostic_match:
        return "scale_error"
    if ladder.sign_agnostic_match:
        return "sign_error"
    return None if ladder.general_match else "wrong_value"


def _read(operand: Operand) -> Quantity | NotANumber:
    if isinstance(operand, str):
        return parse_number(operand)
    if operand is None:
        return NotANumber("empty")
    quantity = operand if isinstance(operand, Quantity) else Quantity(operand)
    return quantity if finite(quantity.value) else NotANumber("not_finite")


def _same(actual: Operand, found: Quantity | NotANumber, expected: Operand, wanted: Quantity | NotANumber) -> bool:
    """Return whether two answers of which one is no number are equal as booleans or as normalised text."""
    if isinstance(found, Quantity) and isinstance(wanted, Quantity):
        return found.is_boolean and wanted.is_boolean and found.value == wanted.value
    if not (isinstance(actual, str) and isinstance(expected, str)):
        return False
    text = normalise(expected, "basic")
    return bool(text) and normalise(actual, "basic") == text


def _unit(quantity: Quantity, aliases: Mapping[str, str] | None) -> Unit | None:
    return None if quantity.unit is None else resolve(quantity.unit, aliases)


def _in_one_unit(
    actual: Decimal, expected: Decimal, found: Unit | None, wanted: Unit | None
) -> tuple[Decimal, Decimal] | None:
    """Return both numbers in the expected unit, percentages and magnitudes as bare numbers; None where none does."""
    if found is not None and wanted is not None:
        converted = convert_exact(actual, found, wanted)
        return None if converted is None else (times(converted, wanted.scale), times(expected, wanted.scale))
    return (times(actual, found.scale) if found else actual), (times(expected, wanted.scale) if wanted else expected)


def _one_percent(found: Unit | None, wanted: Unit | None) -> bool:
    """Return whether one side is a percentage and the other a bare number."""
    return (found is None) != (wanted is None) and "%" in {unit.name for unit in (found, wanted) if unit}


def _match(actual: Decimal, expected: Decimal, *, as_written: bool) -> Ladder:
    difference = gap(actual, expected)
    soft = _soft(actual, expected)
    numerical = soft or difference < _ABSOLUTE
    scaled = numerical or _soft(product(actual, _HUNDRED), expected) or _soft(product(actual, _RELATIVE), expected)
    return Ladder(
        exact_numeric_match=difference < _EXACT,
        soft_match=soft,
        numerical_match=numerical,
        general_match=numerical or as_written,
        unit_agnostic_match=scaled,
        sign_agnostic_match=numerical or _soft(actual.copy_abs(), expected.copy_abs()),
    )


def _soft(actual: Decimal, expected: Decimal) -> bool:
    return gap(actual, expected) <= product(_RELATIVE, expected.copy_abs())
