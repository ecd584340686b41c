"""`extract: answer_line`: the last marker, to the end of its line."""

import pytest

from steelyard.canonical.answer_line import answer_line, ends_with_marker, without_full_stop
from steelyard.canonical.outcome import Found


def found(text, **options):
    outcome = answer_line(text, **options)
    return outcome.value if isinstance(outcome, Found) else None


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Answer: 42", "42"),
        ("answer:42", "42"),
        ("ANSWER : 42 ", "42"),
        ("Final Answer: 42", "42"),
        ("Answer： 42", "42"),
        ("答案：巴黎", "巴黎"),
        ("答案: 巴黎", "巴黎"),
        ("【答案】C <eoa>", "C"),
        ("【答案】: C<eoa>", "C"),
        ("So the final answer is 42.", "42"),
        ("The answer is 3.5 m.", "3.5 m"),
        ("the answer is in the U.S.", "in the U.S."),
        ("答案是巴黎。", "巴黎"),
        ("答案为 5", "5"),
        ("**Answer:** 42", "42"),
        ("**Answer: 42**", "42"),
        ("The answer is **42**.", "42"),
        ("reasoning\n#### 42", "42"),
        ("#### 1,234", "1,234"),
        ("Answer: a\u2028b", "a\u2028b"),
    ],
)
def test_an_answer_stands_after_its_marker(text, answer):
    assert found(text) == answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Answer: 3\nWait.\nAnswer: 4\nBye", "4"),
        ("Answer: 3 is wrong. So the final answer is 4.", "4"),
        ("the answer is 3\n答案：4", "4"),
        ("Answer: 4\r\nmore", "4"),
    ],
)
def test_the_last_marker_counts_to_the_end_of_its_line(text, answer):
    assert found(text) == answer


@pytest.mark.parametrize(
    "text",
    [
        "",
        "42",
        "Answer 42",
        "Answers: 42",
        "My_answer: 42",
        "the answer isn't 5",
        "Answer:",
        "Answer: 3\nAnswer:\n4",
        "#### Step 4",
    ],
)
def test_without_an_answer_after_a_marker_nothing_is_found(text):
    assert found(text) is None


def test_where_the_prompt_ends_with_the_marker_the_first_line_is_the_answer():
    assert ends_with_marker("What is 2 + 2?\nAnswer:")
    assert ends_with_marker("二加二？\n答案： ")
    assert not ends_with_marker("Answer: 4. Next?")
    assert found(" 4\nBecause", marker_in_prompt=True) == "4"
    assert found("Let me see.\nAnswer: 5", marker_in_prompt=True) == "5"
    assert found("\n \n", marker_in_prompt=True) is None


@pytest.mark.parametrize(
    ("text", "stripped"), [("x.", "x"), ("e.g.", "e.g."), ("12.5.", "12.5"), ("Inc.", "Inc"), ("...", "...")]
)
def test_one_full_stop_ends_a_sentence(text, stripped):
    assert without_full_stop(text) == stripped
