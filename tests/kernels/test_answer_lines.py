"""Answers after markers: the loop gives what `extract: answer_line` gives, or says that it does not know."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from steelyard.canonical.answer_line import answer_line
from steelyard.canonical.outcome import Found
from steelyard.kernels.answer_lines import answer_lines_block
from steelyard.records.blocks import TextColumn

PIECES = [
    *(
        "answer",
        "Answer",
        "ANSWER",
        "answer is",
        "Answer:",
        "anſwer",
        "answer ıs",
        "answer İS",
        "final answer is",
        "is",
    ),
    *(
        " ",
        "  ",
        "\t",
        "\n",
        "\r",
        "\r\n",
        "\u2028",
        "\u00a0",
        "\u3000",
        "\x1c",
        "\x85",
        ":",
        "：",
        "*",
        "**",
        "_",
        "***",
    ),
    *("####", "#", "\n####", "\n#### 7", "5", "1,200", "-", "+", "$", "%", "٤", "."),
    *(
        "。",
        "…",
        "U.S.",
        "3.5 m.",
        "e.g.",
        "x.",
        "'",
        "’",
        "s",
        "K",
        "é",
        "é.",
        "答案",
        "答案：",
        "答案是",
        "【答案】",
        "答",
        "【",
    ),
    *("<eoa>", "<e", "<", "a", "A", "b c", "yes", "", "\0", "𝔸", "\u0301"),
]
TEXTS = st.one_of(st.lists(st.sampled_from(PIECES), max_size=14).map("".join), st.text(max_size=20))


def by_rule(text, marker_in_prompt):
    found = answer_line(text, marker_in_prompt=marker_in_prompt)
    return found.value if isinstance(found, Found) else None


@settings(max_examples=3000, deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=8), st.booleans())
@example(
    ["Answer: a\nanswer", "answer:_answer: 4", "answeranswer: 4", "Answer: .", "the answer is .", "answer is"], False
)
@example(["Answer: a <eoa> b", "answer isn't: 4", "####4", "x\n#### 1,2 %", "#### 5%\r", "\n\n 7 \n8", " "], True)
def test_the_loop_finds_what_the_rule_finds_or_does_not_know(texts, marker_in_prompt):
    texts = [text.encode("utf-8", "replace").decode() for text in texts]
    answers, found = answer_lines_block(TextColumn.of(texts), marker_in_prompt=marker_in_prompt)
    for text, answer, is_found in zip(texts, answers, found.tolist(), strict=True):
        assert not is_found or answer == by_rule(text, marker_in_prompt), repr(text)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Let me see: naïve.\nAnswer: Zoë’s café", "Zoë’s café"),
        ("**Answer:** 42", "42"),
        ("Final answer : yes.", "yes."),
        ("So the answer is: 3 apples.\n\nDone", "3 apples"),
        ("6 x 7 = 42\n#### 42", "42"),
        ("answer: 1\nAnswer: 2", "2"),
        ("Answer:\u00a0 7\u3000", "7"),
    ],
)
def test_ordinary_answers_are_found_by_the_loop(text, answer):
    answers, found = answer_lines_block(TextColumn.of([text]))
    assert (list(answers), found.tolist()) == ([answer], [True])
