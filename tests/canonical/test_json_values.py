"""Lists written as text."""

import pytest

from steelyard.canonical.json_values import item_text, list_items


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ('["ai", "earnings"]', ("ai", "earnings")),
        ('```json\n["ai", 5]\n```', ("ai", "5")),
        ("[ai, earnings]", ("ai", "earnings")),
        ("ai, earnings, and tax.", ("ai", "earnings", "tax")),
        ("ai; earnings, tax", ("ai", "earnings, tax")),
        ("营收、利润，成本", ("营收", "利润", "成本")),
        ("1,234, 5,678", ("1,234", "5,678")),
        ("- ai\n- earnings", ("ai", "earnings")),
        ("Topics:\n1. ai\n2. earnings\nDone", ("ai", "earnings")),
        ("(1)营收\n(2)利润", ("营收", "利润")),
        ("1、营收\n2、利润", ("营收", "利润")),
        ("ai\nearnings", ("ai", "earnings")),
        ('"ai", “earnings”', ("ai", "earnings")),
        ("ai,, earnings,", ("ai", "earnings")),
        ("ai, ai", ("ai", "ai")),
        ("one", ("one",)),
        ("[]", ()),
        ("", ()),
    ],
)
def test_items_are_read(text, items):
    assert list_items(text) == items


@pytest.mark.parametrize(
    ("value", "text"), [("a", "a"), (5, "5"), (2.5, "2.5"), (True, None), (None, None), ([], None)]
)
def test_strings_and_numbers_are_items_and_nothing_else(value, text):
    assert item_text(value) == text
