"""Choices written as text, with decoration, by letter, and left open."""

import pytest

from steelyard.canonical.choice_text import disagreeing_choices, named_as, resolve_choice, undecorated

CITIES = ["Paris", "Rome", "New York"]


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("Paris", "Paris"),
        (" paris ", "paris"),
        ("**Paris**.", "Paris"),
        ("(Rome)", "Rome"),
        ("“new  york”", "new  york"),
        ("b", "b"),
        ("(C).", "C"),
    ],
)
def test_a_decorated_choice_is_the_choice(text, choice):
    assert resolve_choice(text, CITIES) == choice


@pytest.mark.parametrize("text", ["Oslo", "Paris, of course", "D", "", "x" * 5000])
def test_what_is_no_choice_is_none(text):
    assert resolve_choice(text, CITIES) is None


@pytest.mark.parametrize(
    ("choice", "terms", "name"),
    [
        ("Rome", ["A", "B", "C"], "B"),
        ("rome", ["A", "B", "C"], "B"),
        ("b", CITIES, "Rome"),
        ("Rome", CITIES, "Rome"),
        ("b", ["A", "B", "C"], "b"),
        ("Rome", [], "Rome"),
    ],
)
def test_an_option_goes_by_the_references_name(choice, terms, name):
    assert named_as(choice, CITIES, terms) == name


def test_two_options_of_one_text_keep_the_name_that_was_given():
    assert named_as("same", ["same", "same"], ["A", "B"]) == "same"


@pytest.mark.parametrize(
    ("text", "choices", "open_ones"),
    [
        ("A or B", [], ["A", "B"]),
        ("either A or B", [], ["A", "B"]),
        ("Paris/Rome", CITIES, ["Paris", "Rome"]),
        ("Paris或Rome", CITIES, ["Paris", "Rome"]),
        ("A or A", [], []),
        ("more or less", [], []),
        ("Paris or Oslo", CITIES, []),
    ],
)
def test_choices_that_are_left_open_are_found(text, choices, open_ones):
    assert disagreeing_choices(text, choices) == open_ones


def test_decoration_is_taken_off_both_ends():
    assert undecorated("**“(x y)”**") == "x y"
