"""What stands around the digits: sign, currency, magnitude, unit."""

import pytest

from steelyard.numbers.affixes import Suffix, read_prefix, read_suffix
from steelyard.numbers.units import resolve


@pytest.mark.parametrize(
    ("text", "negative", "money"),
    [
        ("", False, None),
        ("-", True, None),
        ("$", False, "$"),
        ("-$ ", True, "$"),
        ("(€", True, "EUR"),
        ("负", True, None),
    ],
)
def test_a_prefix_is_sign_and_currency(text, negative, money):
    prefix = read_prefix(text)
    assert (prefix.negative, prefix.currency.name if prefix.currency else None) == (negative, money)


@pytest.mark.parametrize(
    ("text", "reason"), [("--", "two_signs"), ("–", "bad_sign"), ("x", "text_around"), ("a" * 99, "text_around")]
)
def test_a_prefix_that_is_none_has_a_reason(text, reason):
    assert read_prefix(text) == reason


@pytest.mark.parametrize(
    ("text", "suffix"),
    [
        ("m", Suffix(6)),
        (" m", Suffix(0, "m")),
        ("K", Suffix(3)),
        (" K", Suffix(0, "K")),
        (" million USD", Suffix(6, "USD")),
        ("万元", Suffix(4, "CNY")),
        (" apples", Suffix(0, "apples")),
        ("apples", "text_around"),
        (" two words", "text_around"),
        (" 9**9**9", "text_around"),
    ],
)
def test_a_suffix_is_magnitude_and_unit(text, suffix):
    assert read_suffix(text) == suffix


def test_beside_a_currency_m_is_million_and_another_unit_is_one_too_many():
    dollar = resolve("$")
    assert read_suffix(" m", dollar) == Suffix(6, "$")
    assert read_suffix(" kg", dollar) == "two_units"


def test_in_running_text_only_the_table_has_units():
    assert read_suffix(" apples", known_only=True) == "text_around"
