"""References: typed objects and plain values, and what is wrong with one."""

import pytest

from steelyard.canonical.references import BadReference, ReferenceContext, expected_answer
from steelyard.records.answers import Choice, FinalAnswer, ListAnswer, Number, Reasoning, Step, Text


@pytest.mark.parametrize(
    ("raw", "answer_type", "answer"),
    [
        ({"value": "B", "aliases": ["option_b", "b"]}, "choice", Choice("B", ("option_b", "b"))),
        (
            {"value": 12.5, "unit": "%", "tolerance_abs": 0.5, "tolerance_rel": 0.02},
            "number",
            Number(12.5, "%", 0.5, 0.02),
        ),
        ({"items": ["ai", "earnings"], "ordered": False, "unique": True}, "list", ListAnswer(("ai", "earnings"))),
        ({"value": "短摘要文本", "normalize": "basic"}, "text", Text("短摘要文本")),
        ("B", "choice", Choice("B")),
        (3, "choice", Choice("3")),
        (True, "choice", Choice("true")),
        ("12.5%", "number", Number(12.5, "%", text="12.5%")),
        (0.125, "number", Number(0.125)),
        (False, "number", Number(value=False)),
        (0, "number", Number(0)),
        (9007199254740993, "number", Number(9007199254740993)),
        ("ai, earnings", "list", ListAnswer(("ai", "earnings"))),
        (["ai", 5], "list", ListAnswer(("ai", "5"))),
        ([], "list", ListAnswer(())),
        ("text", "text", Text("text")),
        (42, "text", Text("42")),
        (False, "text", Text("false")),
        (["NYC", "New York"], "text", Text("NYC", aliases=("New York",))),
        ({"final_answer": 5, "steps": ["a"]}, "reasoning", Reasoning(FinalAnswer("number", Number(5)), (Step("a"),))),
    ],
)
def test_a_reference_is_read(raw, answer_type, answer):
    assert expected_answer(raw, answer_type) == answer


@pytest.mark.parametrize(
    ("raw", "answer_type"),
    [
        (None, "text"),
        ("", "text"),
        (" \n", "text"),
        ("", "choice"),
        ("", "number"),
        ("", "list"),
        ({}, "choice"),
        ({}, "reasoning"),
        ({"value": ""}, "text"),
    ],
)
def test_an_empty_reference_says_that_it_is_empty(raw, answer_type):
    with pytest.raises(BadReference) as refused:
        expected_answer(raw, answer_type)
    assert refused.value.empty
    assert refused.value.code == "empty-reference"


@pytest.mark.parametrize(
    ("raw", "answer_type", "message"),
    [
        ("12,5", "number", "not a number"),
        ("NaN", "number", "not a number"),
        ([1], "number", "found a list where a number is meant"),
        ({"value": 5, "tolerance_abs": -1}, "number", "not negative"),
        ({"value": 5, "tolerance_abs": "wide"}, "number", "tolerance_abs"),
        ({"value": "5%", "unit": "kg"}, "number", "has the unit '%'"),
        ({"value": "B", "alias": ["b"]}, "choice", "did you mean 'aliases'"),
        ({"item": ["a"]}, "list", "did you mean 'items'"),
        ({"items": ["a"], "ordered": "yes"}, "list", "true or false"),
        ({"items": [["a"]]}, "list", "found a list where text"),
        ({"value": "x", "normalize": "fancy"}, "text", "expected one of strip_lower"),
        ({"a": 1}, "text", "has no key 'a'"),
        ({"final_answer": {"value": 1, "answer_type": "essay"}}, "reasoning", "answer_type"),
        ({"final_answer": 1, "steps": [5.5, None]}, "reasoning", "found null where a step"),
    ],
)
def test_a_bad_reference_says_why(raw, answer_type, message):
    with pytest.raises(BadReference, match=message) as refused:
        expected_answer(raw, answer_type)
    assert not refused.value.empty
    assert refused.value.code == "bad-reference"


CITIES = ReferenceContext(choices=("Paris", "Rome"))


@pytest.mark.parametrize(
    ("raw", "value", "choices"),
    [
        ("Rome", "Rome", ("Paris", "Rome")),
        ("rome", "rome", ("Paris", "Rome")),
        ("B", "B", ("A", "B")),
        ("AB", "AB", ("A", "B")),
    ],
)
def test_a_choice_is_among_the_options_by_text_or_by_letter(raw, value, choices):
    answer = expected_answer(raw, "choice", CITIES)
    assert (answer.value, answer.choices) == (value, choices)


def test_a_reference_that_is_no_option_is_refused():
    with pytest.raises(BadReference, match="none of the choices Paris, Rome"):
        expected_answer("Oslo", "choice", CITIES)


def test_an_alias_that_is_another_choice_is_a_configuration_error():
    with pytest.raises(BadReference, match="is another choice") as refused:
        expected_answer({"value": "A", "aliases": ["b"]}, "choice", ReferenceContext(choices=("A", "B")))
    assert refused.value.code == "ambiguous-alias"
