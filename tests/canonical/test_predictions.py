"""Outputs to answers: by type, by JSON, by the reference's naming; and every way to have none."""

import pytest

from steelyard.canonical.extraction import Extraction
from steelyard.canonical.predictions import canonical_signature, predicted_answer
from steelyard.records.answers import Choice, FinalAnswer, ListAnswer, Number, Reasoning, Step, Text

NONE = Extraction()
LINE = Extraction("answer_line")


@pytest.mark.parametrize(
    ("raw", "answer_type", "extraction", "answer"),
    [
        ("Paris", "text", NONE, Text("Paris")),
        ("", "text", NONE, Text("")),
        (42, "text", NONE, Text("42")),
        ("So. Answer: Paris", "text", LINE, Text("Paris")),
        ("Answer: 12.5%", "number", LINE, Number(12.5, "%", text="12.5%")),
        (0.125, "number", NONE, Number(0.125)),
        (True, "number", NONE, Number(value=True)),
        ({"value": 12, "unit": "%", "tolerance_abs": 99}, "number", NONE, Number(12, "%")),
        ("The answer is (C).", "choice", Extraction("choice_letter"), Choice("C")),
        ({"value": "B", "aliases": ["A"], "confidence": 0.7, "note": 1}, "choice", NONE, Choice("B", confidence=0.7)),
        ("ai, earnings", "list", NONE, ListAnswer(("ai", "earnings"))),
        (["ai", 5], "list", NONE, ListAnswer(("ai", "5"))),
        ('{"label": "pos"}', "choice", Extraction("json_field", field="label"), Choice("pos")),
        ('{"n": 5}', "number", Extraction("json_field", field="n"), Number(5)),
    ],
)
def test_an_output_is_read_as_its_type(raw, answer_type, extraction, answer):
    parsed = predicted_answer(raw, answer_type, extraction)
    assert (parsed.answer, parsed.tags) == (answer, ())


@pytest.mark.parametrize(
    ("raw", "answer_type", "extraction", "tag"),
    [
        ("no marker", "text", LINE, "parse_error"),
        ("", "choice", NONE, "parse_error"),
        (" ", "number", NONE, "parse_error"),
        ("", "list", NONE, "parse_error"),
        ("A or B", "choice", NONE, "ambiguous_answer"),
        ("about 12", "number", NONE, "not_a_number"),
        ("12,5", "number", NONE, "not_a_number"),
        (None, "text", NONE, "type_mismatch"),
        (True, "text", NONE, "type_mismatch"),
        (["a"], "text", NONE, "type_mismatch"),
        ({"a": 1}, "text", NONE, "type_mismatch"),
        (None, "number", NONE, "type_mismatch"),
        ([5], "number", NONE, "type_mismatch"),
        (True, "choice", NONE, "type_mismatch"),
        ([["a"]], "list", NONE, "type_mismatch"),
        ({"answer": 5}, "reasoning", NONE, "type_mismatch"),
        ({}, "choice", NONE, "parse_error"),
        (float("nan"), "number", NONE, "not_a_number"),
    ],
)
def test_what_has_no_answer_says_why(raw, answer_type, extraction, tag):
    parsed = predicted_answer(raw, answer_type, extraction)
    assert (parsed.answer, parsed.tags) == (None, (tag,))
    assert parsed.reason


def test_a_lone_surrogate_is_kept_and_tagged():
    parsed = predicted_answer("a\ud800", "text", NONE)
    assert (parsed.answer, parsed.tags) == (Text("a\ud800"), ("invalid_unicode",))
    assert predicted_answer({"value": "a", "x": ["\udfff"]}, "text", NONE).tags == ("invalid_unicode",)


CITIES = ("Paris", "Rome")


@pytest.mark.parametrize(
    ("raw", "expected", "value"),
    [
        ("Rome.", Choice("A", choices=("A", "B")), "B"),
        ("(b)", Choice("Paris", choices=CITIES), "Rome"),
        ({"value": "rome"}, Choice("A", choices=("A", "B")), "B"),
        ("Oslo", Choice("A", choices=("A", "B")), "Oslo"),
    ],
)
def test_an_option_is_named_as_the_reference_names_it(raw, expected, value):
    assert predicted_answer(raw, "choice", NONE, choices=CITIES, expected=expected).answer.value == value


def test_a_reasoning_is_a_json_object_with_a_final_answer():
    raw = 'Here: {"final_answer": {"value": "up"}, "steps": ["s"], "claims": [{"text": "c", "evidence": ["n1"]}]}'
    answer = predicted_answer(raw, "reasoning", NONE).answer
    assert (answer.final_answer, answer.steps, answer.claims[0].evidence) == (
        FinalAnswer("choice", Choice("up")), (Step("s"),), ("n1",)
    )  # fmt: skip


@pytest.mark.parametrize(
    "raw", ["<think>1. six\n2. times seven</think>\nAnswer: 42", "- six\n- times seven\nAnswer: 42"]
)
def test_a_reasoning_in_words_has_the_lines_before_the_answer_as_steps(raw):
    reference = Reasoning(FinalAnswer("number", Number(42)))
    answer = predicted_answer(raw, "reasoning", LINE, expected=reference).answer
    assert answer.final_answer == FinalAnswer("number", Number(42, text="42"))
    assert answer.steps == (Step("six"), Step("times seven"))


def test_a_final_answer_of_another_type_than_the_references_is_a_mismatch():
    reference = Reasoning(FinalAnswer("number", Number(42)))
    raw = {"final_answer": {"items": ["42"]}}
    assert predicted_answer(raw, "reasoning", NONE, expected=reference).tags == ("type_mismatch",)


def test_the_signature_says_all_that_can_change_an_answer():
    assert canonical_signature("choice", Extraction("regex", pattern="x")) == (
        "canonical@v1|answer_type=choice,extract=regex@v1|pattern=x"
    )
