"""Units: the allow-list against pint, aliases, conversion, and what does not convert."""

import math
import warnings
from fractions import Fraction

import pint
import pytest

from steelyard.numbers.unit_table import CURRENCIES, PHYSICAL, RATIOS, TEMPERATURES
from steelyard.numbers.units import convert, convertible, known_unit, resolve, split_magnitude, table_unit

# pint has no Chinese units and no decade, and its acre is the US survey acre. These are by definition: the market units
# of 1959 (市制), ten years, and 4840 square yards of 0.9144 m.
BY_DEFINITION = {
    "斤": Fraction(1, 2),
    "亩": Fraction(2000, 3),
    "decade": Fraction(120),
    "acre": 4840 * Fraction("0.9144") ** 2,
}
PINT_NAMES = {
    "μm": "micrometer", "μg": "microgram", "μs": "microsecond", "h": "hour", "m^2": "meter**2", "km^2": "kilometer**2",
    "cm^2": "centimeter**2", "mm^2": "millimeter**2", "ft^2": "foot**2", "mi^2": "mile**2", "m^3": "meter**3",
    "cm^3": "centimeter**3", "ft^3": "foot**3", "L": "liter", "mL": "milliliter", "gal": "gallon",
    "bbl": "oil_barrel", "nmi": "nautical_mile", "kn": "knot", "mph": "mile/hour", "kph": "kilometer/hour",
    "kbps": "kilobit/second", "Mbps": "megabit/second", "Gbps": "gigabit/second", "short ton": "short_ton",
    "t": "metric_ton", "cal": "calorie", "kcal": "kilocalorie", "N": "newton", "kN": "kilonewton", "Ω": "ohm",
    "kΩ": "kiloohm", "°": "degree", "kB": "kilobyte", "KiB": "kibibyte", "MiB": "mebibyte", "GiB": "gibibyte",
    "TiB": "tebibyte", "quarter": "3*month",
}  # fmt: skip
ROWS = [
    (dimension, rows[0][0], name)
    for dimension, rows in PHYSICAL.items()
    for name, _, _ in rows
    if name not in BY_DEFINITION
]


@pytest.fixture(scope="module")
def registry():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pint.UnitRegistry(cache_folder=None)


@pytest.mark.parametrize(("dimension", "base", "name"), ROWS, ids=[row[2] for row in ROWS])
def test_every_factor_of_the_table_is_pints(registry, dimension, base, name):
    theirs = registry.Quantity(1, PINT_NAMES.get(name, name)) if name != "quarter" else 3 * registry.month
    found = theirs.to(PINT_NAMES.get(base, base)).magnitude
    assert convert(1, name, base) == pytest.approx(found, rel=1e-12), dimension


@pytest.mark.parametrize(("name", "factor"), BY_DEFINITION.items())
def test_units_that_pint_lacks_are_as_defined(name, factor):
    assert table_unit(name).factor == factor


@pytest.mark.parametrize(("value", "source", "target"), [(0, "K", "°C"), (-40, "°C", "°F"), (72, "°F", "K")])
def test_temperatures_convert_as_pints(registry, value, source, target):
    names = {"K": "kelvin", "°C": "degC", "°F": "degF"}
    theirs = registry.Quantity(value, names[source]).to(names[target]).magnitude
    assert convert(value, source, target) == pytest.approx(theirs, rel=1e-12)


@pytest.mark.parametrize(
    ("value", "source", "target", "expected"),
    [
        (12.5, "%", "fraction", 0.125),
        (25, "bp", "%", 0.25),
        (25, "basis points", "percent", 0.25),
        (3, "pp", "bps", 300),
        (5, "‰", "%", 0.5),
        (3.5, "million USD", "USD", 3_500_000),
        (3, "亿元", "万元", 30_000),
        (1, "billion", "million", 1000),
        (90, "km/h", "m/s", 25),
        (60, "mph", "km/h", 96.56064),
        (1, "$/kg", "$/g", 0.001),
        (24, "months", "years", 2),
    ],
)
def test_units_convert(value, source, target, expected):
    assert convert(value, source, target) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("kg", "m"), ("USD", "EUR"), ("$", "€"), ("month", "day"), ("apples", "pears"), ("kg", "apples"),
        ("%", "kg"), ("km/h", "km"), ("°", "°C"), ("9**9**9", "m"), ("million USD", "million"),
    ],
)  # fmt: skip
def test_what_measures_something_else_does_not_convert(source, target):
    assert convert(1, source, target) is None


@pytest.mark.parametrize(("first", "second"), [("$", "USD"), ("$", "HKD"), ("¥", "CNY"), ("¥", "JPY")])
def test_a_shared_symbol_agrees_with_each_of_its_currencies(first, second):
    assert convertible(resolve(first), resolve(second))
    assert convert(5, first, second) == 5.0


def test_two_currencies_that_share_a_symbol_do_not_agree():
    assert not convertible(resolve("USD"), resolve("HKD"))


@pytest.mark.parametrize("text", ["Kilometers", "KM", "公里", "千米", "km", " km ", "ｋｍ"])
def test_spellings_of_one_unit_are_one(text):
    assert known_unit(text).name == "km"


@pytest.mark.parametrize(("text", "name"), [("K", "K"), ("m", "m"), ("MW", "MW"), ("mW", "mW"), ("Mg", None)])
def test_case_decides_where_it_must(text, name):
    found = known_unit(text)
    assert (found.name if found else None) == name


def test_no_spelling_means_two_units():
    rows = [*((name, spellings) for name, _, spellings in RATIOS), *CURRENCIES.items()]
    rows += [(name, spellings) for group in PHYSICAL.values() for name, _, spellings in group]
    rows += [(name, spellings) for name, _, _, spellings in TEMPERATURES]
    seen = [spelling for _, spellings in rows for spelling in spellings.split("|")]
    assert len(seen) == len(set(seen))


@pytest.mark.parametrize(("first", "second"), [("apple", "Apples"), ("shares", "share"), ("items/day", "item per day")])
def test_unknown_units_are_equal_by_name(first, second):
    assert resolve(first) == resolve(second)


def test_aliases_of_a_profile_come_before_the_table():
    assert resolve("点", {"点": "%"}) == resolve("percent")
    assert resolve("M", {"M": "m"}).name == "m"


@pytest.mark.parametrize(
    ("text", "parts"), [("m", (0, "m")), ("m USD", (6, "USD")), ("USD m", (6, "USD")), ("$m", (6, "$"))]
)
def test_m_is_million_only_beside_a_currency(text, parts):
    assert split_magnitude(text) == parts


@pytest.mark.parametrize("value", [math.nan, math.inf, 10**400])
def test_what_no_float_holds_is_not_converted(value):
    assert convert(value, "km", "m") is None


def test_a_result_that_no_float_holds_is_none():
    assert convert(1e308, "km", "nm") is None
