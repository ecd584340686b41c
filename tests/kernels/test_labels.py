"""Rows that need a closer look: no blank text and no reasoning tag may be missed."""

from hypothesis import given, settings
from hypothesis import strategies as st

from steelyard.canonical.answer_line import separate_reasoning
from steelyard.kernels.labels import blank_rows, reasoning_rows
from steelyard.records.blocks import TextColumn


def test_every_white_space_character_is_blank_and_nothing_else_is():
    characters = [chr(point) for point in range(0x110000) if not 0xD800 <= point <= 0xDFFF]
    found = blank_rows(TextColumn.of(characters)).tolist()
    assert found == [not character.strip() for character in characters]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.lists(st.sampled_from(["<", "/", "think", "Thinking", "REASONING", ">", " ", "x"]), max_size=9).map("".join),
        min_size=1,
        max_size=5,
    )
)
def test_no_text_with_a_reasoning_tag_is_missed(texts):
    found = reasoning_rows(TextColumn.of(texts)).tolist()
    assert all(flag or separate_reasoning(text).reasoning_text is None for flag, text in zip(found, texts, strict=True))
