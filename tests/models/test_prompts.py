"""Prompt templates."""

import pytest

from steelyard.errors import ConfigurationError, InputError
from steelyard.models.prompts import PromptTemplate


def test_fields_of_the_row_go_into_the_prompt():
    assert PromptTemplate("{a} and {b.c}").render({"a": "x", "b": {"c": 3}}) == "x and 3"


def test_doubled_braces_are_braces():
    assert PromptTemplate('{{"x": {x}}} }}').render({"x": [1, "é"]}) == '{"x": [1, "é"]} }'


def test_text_of_a_row_is_never_read_as_a_template():
    assert PromptTemplate("{a}").render({"a": "{b} {{"}) == "{b} {{"


def test_input_falls_back_to_the_items_input():
    template = PromptTemplate("{input}?")
    assert template.render({}, input_text="2 + 2") == "2 + 2?"
    assert template.render({"input": "own"}, input_text="2 + 2") == "own?"


def test_a_field_that_is_not_there_is_named_with_a_suggestion():
    with pytest.raises(InputError, match=r"\{questin\}.*\n.*did you mean \{question\}"):
        PromptTemplate("{questin}").render({"question": "?"})


@pytest.mark.parametrize("text", ["{", "}", "a {} b", "{a", "a}", "{{}"])
def test_a_brace_without_a_field_is_refused_at_load(text):
    with pytest.raises(ConfigurationError, match="brace"):
        PromptTemplate(text)
