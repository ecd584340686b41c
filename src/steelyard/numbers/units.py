"""Units: aliases to names, and conversion between the units of the table. Nothing here evaluates unit text.

A unit outside the table is a unit of its own: equal to itself by name and convertible to nothing. `million USD`, `万元`
and `km/h` are put together from the table's parts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from steelyard.numbers.literals import exact, finite, nearest_float, rounded
from steelyard.numbers.quantity import fold
from steelyard.numbers.unit_table import (
    CURRENCIES,
    DIMENSIONLESS,
    HAN_DIGIT_POWERS,
    MAGNITUDE_NAMES,
    MAGNITUDES,
    PHYSICAL,
    RATIOS,
    SHARED_SYMBOLS,
    TEMPERATURES,
)
from steelyard.records.answers import Profile
from steelyard.text.tokens import collapse, normalise

LONGEST_UNIT = 64
"""Longer text is no unit that the table could know; it is compared as it stands."""

_ONE = Fraction(1)
_PER = re.compile(r" ?/ ?| per ")
_SYMBOL_AND_LETTER = re.compile(r"(\W|[A-Z]{1,2}\$) ?(m|mn|bn|b|k|M)")
_MEGA = re.compile("M[a-z]")
_HAN_MAGNITUDE = re.compile(f"[{''.join(HAN_DIGIT_POWERS)}]+")


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit as far as comparison needs it: base = value * factor + offset."""

    name: str
    dimension: str
    factor: Fraction = _ONE
    offset: Fraction = Fraction(0)
    scale: Fraction = _ONE
    """What a value is multiplied by to be read as a bare number: 1/100 for a percentage, 10^6 for `million USD`."""

    @property
    def dimensionless(self) -> bool:
        """Whether it only scales a bare number."""
        return self.dimension == DIMENSIONLESS


def _table() -> dict[str, Unit]:
    table: dict[str, Unit] = {}

    def enter(unit: Unit, spellings: str) -> None:
        table.update(dict.fromkeys(spellings.split("|"), unit))

    for name, factor, spellings in RATIOS:
        enter(Unit(name, DIMENSIONLESS, Fraction(factor), scale=Fraction(factor)), spellings)
    for name, spellings in CURRENCIES.items():
        enter(Unit(name, name), spellings)
    for dimension, rows in PHYSICAL.items():
        for name, factor, spellings in rows:
            enter(Unit(name, dimension, Fraction(factor)), spellings)
    for name, factor, offset, spellings in TEMPERATURES:
        enter(Unit(name, "temperature", Fraction(factor), Fraction(offset)), spellings)
    return table


_EXACT = _table()
# Single letters differ by case (k and K, m and M), so only longer spellings are found in any case; the first one wins.
_FOLDED: dict[str, Unit] = {}
for _spelling, _unit in _EXACT.items():
    if len(_spelling) > 1:
        _FOLDED.setdefault(_spelling.casefold(), _unit)


def table_unit(text: str) -> Unit | None:
    """Return the unit that a text spells exactly as the table has it, or in another case.

    `Mg` and `Mm` are megagram and megametre, which the table does not have, and never milligram and millimetre.
    """
    return _EXACT.get(text) or (None if _MEGA.fullmatch(text) else _FOLDED.get(text.casefold()))


def currency(text: str) -> Unit | None:
    """Return the currency that a symbol, code or name means."""
    unit = table_unit(text)
    return unit if unit is not None and unit.name in CURRENCIES else None


def split_magnitude(text: str) -> tuple[int, str]:
    """Return the power of ten that a unit text starts or ends with, and what is left of it.

    `m` and `K` alone are metre and kelvin; `m` is million beside a currency.

    >>> split_magnitude("million USD"), split_magnitude("亿元"), split_magnitude("€m"), split_magnitude("km")
    ((6, 'USD'), (8, '元'), (6, '€'), (0, 'km'))
    """
    han = _HAN_MAGNITUDE.match(text)
    if han:
        return sum(HAN_DIGIT_POWERS[character] for character in han.group()), text[han.end() :].strip()
    glued = _SYMBOL_AND_LETTER.fullmatch(text)
    first, _, rest = text.partition(" ")
    before, _, last = text.rpartition(" ")
    for word, left in ((first, rest), (last, before), *([(glued[2], glued[1])] if glued else [])):
        power = _power(word, left)
        if power:
            return power, left
    return 0, text


def _power(word: str, beside: str) -> int:
    if word == "m":
        return 6 if currency(beside) else 0
    return MAGNITUDES.get(word) or (MAGNITUDES.get(word.casefold(), 0) if len(word) > 1 else 0)


def known_unit(text: str) -> Unit | None:
    """Return the unit of the table that a text means, parts put together, or None.

    >>> known_unit("Kilometers").name, known_unit("万元").scale, known_unit("9**9**9")
    ('km', Fraction(10000, 1), None)
    """
    return _known(text) if len(text) <= LONGEST_UNIT else None


@lru_cache(maxsize=4096)
def _known(text: str) -> Unit | None:
    spelled = collapse(fold(text))
    found = table_unit(spelled)
    if found or not spelled:
        return found
    power, rest = split_magnitude(spelled)
    if power:
        return magnified(power, _known(rest)) if not rest or _known(rest) else None
    parts = _PER.split(spelled)
    if len(parts) != 2:
        return None
    upper, lower = _known(parts[0]), _known(parts[1])
    return _quotient(upper, lower) if upper and lower else None


def magnified(power: int, unit: Unit | None) -> Unit:
    """Return a unit with a magnitude before it; without a unit, the magnitude itself."""
    times, word = Fraction(10**power), MAGNITUDE_NAMES.get(power, f"10^{power}")
    if unit is None:
        return Unit(word, DIMENSIONLESS, times, scale=times)
    return replace(unit, name=f"{word} {unit.name}", factor=unit.factor * times, scale=unit.scale * times)


def _quotient(upper: Unit, lower: Unit) -> Unit:
    name, dimension = f"{upper.name}/{lower.name}", f"{upper.dimension}/{lower.dimension}"
    return Unit(name, dimension, upper.factor / lower.factor, scale=upper.scale / lower.scale)


def resolve(text: str, aliases: Mapping[str, str] | None = None, profile: Profile = "basic") -> Unit:
    """Return the unit that a text means; text that the table does not know is a unit of its own.

    `aliases` are a scoring profile's further spellings and come before the table; `profile` says which differences
    between spellings of unknown units are none.

    >>> resolve("个", {"个": "piece"}) == resolve("Pieces")
    True
    """
    meant = aliases.get(text) or aliases.get(text.strip().casefold(), text) if aliases else text
    unit = known_unit(meant)
    if unit is not None:
        return unit
    if len(meant) > LONGEST_UNIT:
        return Unit(meant, f"?{meant}")
    parts = _PER.split(collapse(fold(meant)))
    if len(parts) == 2 and all(parts):
        return _quotient(resolve(parts[0], aliases, profile), resolve(parts[1], aliases, profile))
    return _unknown(normalise(fold(meant), profile), profile)


def _unknown(name: str, profile: Profile) -> Unit:
    power, rest = split_magnitude(name)
    if power and rest:
        return magnified(power, _unknown(rest, profile))
    plural = profile != "none" and len(name) > 3 and name.endswith("s") and not name.endswith("ss")
    singular = name[:-1] if plural else name
    return Unit(singular, f"?{singular}")


def convert_exact(value: Decimal, source: Unit, target: Unit) -> Decimal | None:
    """Return a value in another unit, or None where the two do not convert."""
    if source == target:
        return value
    if not convertible(source, target):
        return None
    return rounded((Fraction(value) * source.factor + source.offset - target.offset) / target.factor)


def convertible(source: Unit, target: Unit) -> bool:
    """Return whether two units measure the same."""
    first, second = source.dimension.split("/"), target.dimension.split("/")
    return len(first) == len(second) and all(map(_agree, first, second))


def _agree(first: str, second: str) -> bool:
    return first == second or second in SHARED_SYMBOLS.get(first, ()) or first in SHARED_SYMBOLS.get(second, ())


def convert(value: float, source: str, target: str, aliases: Mapping[str, str] | None = None) -> float | None:
    """Return a value in another unit, or None where it cannot be converted.

    >>> convert(12.5, "%", "fraction"), convert(90, "km/h", "m/s"), convert(1, "kg", "m")
    (0.125, 25.0, None)
    """
    if not finite(value):
        return None
    converted = convert_exact(exact(value), resolve(source, aliases), resolve(target, aliases))
    return None if converted is None else nearest_float(converted)
