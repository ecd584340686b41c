"""Reasoning blocks: nothing inside ever leaks into the answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.canonical.answer_line import separate_reasoning
from steelyard.canonical.extraction import EXTRACTION_KINDS, Extraction
from steelyard.canonical.predictions import predicted_answer

SECRET = "7777"


@pytest.mark.parametrize(
    ("text", "answer", "reasoning", "tags"),
    [
        ("plain", "plain", None, ()),
        ("<think>a</think>b", "b", "a", ()),
        ("<THINK>a</Think> b", "b", "a", ()),
        ("<thinking>a</thinking>b", "b", "a", ()),
        ("x <think>a</think> y <think>b</think> z", "x\ny\nz", "a\nb", ()),
        ("<think>a <think>b</think> c</think> d", "d", "a\nb\nc", ()),
        ("a</think>b", "b", "a", ()),
        ("b <think>a", "b", "a", ("unclosed_reasoning",)),
        ("<think>a", "", "a", ("unclosed_reasoning",)),
        ("</think></think>a", "a", "", ()),
    ],
)
def test_a_text_is_cut_in_two(text, answer, reasoning, tags):
    separated = separate_reasoning(text)
    assert (separated.answer_text, separated.reasoning_text, separated.tags) == (answer, reasoning, tags)


@given(
    st.text(st.characters(blacklist_characters="7"), max_size=30),
    st.text(st.characters(blacklist_characters="7"), max_size=30),
    st.sampled_from(["</think>", ""]),
    st.sampled_from([kind for kind in EXTRACTION_KINDS if kind not in ("json_field", "regex")]),
)
def test_what_is_inside_never_leaks(before, after, closing, kind):
    text = f"{before}<think>Answer: {SECRET} \\boxed{{{SECRET}}}{closing}{after}"
    parsed = predicted_answer(text, "text", Extraction(kind))
    if "think" not in before + after and "reasoning" not in before + after:
        assert SECRET not in (parsed.text or "")
        assert parsed.answer is None or SECRET not in parsed.answer.value


def test_an_unclosed_block_with_nothing_before_it_is_no_answer():
    parsed = predicted_answer("<think>Answer: 5", "number", Extraction("answer_line"))
    assert (parsed.answer, parsed.tags) == (None, ("unclosed_reasoning", "parse_error"))


def test_an_unclosed_block_after_an_answer_is_tagged_and_the_answer_stands():
    parsed = predicted_answer("Answer: 4 <think>or 5", "number", Extraction("answer_line"))
    assert (parsed.answer.value, parsed.tags) == (4, ("unclosed_reasoning",))
