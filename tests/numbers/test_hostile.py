"""Hostile numbers and units take no time: nothing evaluates unit text, and no pattern runs away."""

import time

import pytest

from steelyard.numbers.grammar import NotANumber, parse_number, scan_numbers
from steelyard.numbers.units import convert, known_unit, resolve
from steelyard.records.answers import Number
from steelyard.scoring.number import number

SECONDS = 10.0
"""Far more than any of these takes on a slow machine, far less than anything that grows faster than its input."""

UNITS = [
    "9**9**9",
    "9**9**9 m",
    "m**9**9**9**9",
    "kg^999999999999",
    "(" * 50_000 + "m" + ")" * 50_000,
    "m/" * 100_000 + "s",
    " per ".join(["m"] * 50_000),
    "million " * 50_000,
    "万" * 100_000,
    "k" * 200_000,
    "__import__('os').system('true')",
    "m" + "\u0301" * 200_000,
    "%" * 200_000,
]
TEXTS = [
    "1" * 200_000,
    "1," * 100_000,
    "1." * 100_000,
    "1e" * 100_000,
    "-" * 200_000 + "5",
    "(" * 200_000 + "5",
    "$" * 200_000,
    "5" + " " * 200_000 + "m",
    "一" * 100_000,
    "百分之" * 50_000,
    "1-2/3:" * 50_000,
    "9e" + "9" * 200_000,
    "5 " * 40_000,
    "1 a" * 70_000,
]


def names(texts):
    return [f"{text[:12]}… {len(text)}" for text in texts]


@pytest.fixture
def deadline():
    start = time.perf_counter()
    yield
    assert time.perf_counter() - start < SECONDS


@pytest.mark.parametrize("unit", UNITS, ids=names(UNITS))
def test_a_hostile_unit_is_a_unit_of_its_own_at_once(unit, deadline):
    assert convert(5, unit, "m") is None
    assert resolve(unit) == resolve(unit)


@pytest.mark.parametrize("unit", UNITS, ids=names(UNITS))
def test_a_hostile_unit_in_an_answer_is_judged_at_once(unit, deadline):
    card = number(Number(5, unit), Number(5, "m"))
    assert (card.primary, card.error_tags) == (0.0, ("wrong_unit",))
    assert number(Number(5, unit), Number(5, unit)).primary == 1.0


@pytest.mark.parametrize("unit", UNITS, ids=names(UNITS))
def test_a_number_with_a_hostile_unit_after_it_is_no_number(unit, deadline):
    assert isinstance(parse_number(f"5 {unit}"), NotANumber)


@pytest.mark.parametrize("text", [*TEXTS, *(f"5 {unit}" for unit in UNITS)], ids=names([*TEXTS, *UNITS]))
def test_long_text_is_read_in_time(text, deadline):
    parse_number(text)
    scan_numbers(text)


def test_only_what_the_table_spells_is_known():
    assert known_unit("9**9**9") is None
    assert known_unit("m**2") is None
    assert known_unit("m^2") is not None
