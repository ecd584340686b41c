"""`extract: choice_letter`: rules in order, none of which guesses."""

import time

import pytest

from steelyard.canonical.choice_letter import choice_letter, option_letters
from steelyard.canonical.outcome import Found


def found(text, choices=()):
    outcome = choice_letter(text, choices)
    return outcome.value if isinstance(outcome, Found) else outcome.tags[0]


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("The answer is (C).", "C"),
        ("Answer: C", "C"),
        ("**Answer:** C", "C"),
        ("the answer is C because it is", "C"),
        ("答案：C", "C"),
        ("答案是Ｃ。", "C"),
        ("【答案】C <eoa>", "C"),
        ("故选C", "C"),
        ("答案应该是C。", "C"),
        ("Answer: option c", "C"),
        (r"The answer is $\boxed{C}$", "C"),
        ("B is tempting, but the answer is (C).", "C"),
        ("the answer is C. So, Answer: C", "C"),
    ],
)
def test_a_marked_letter_is_the_answer(text, letter):
    assert found(text) == letter


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("C", "C"),
        ("(C)", "C"),
        (" c ", "C"),
        ("**C.**", "C"),
        ("C. Paris", "C"),
        ("C) Paris", "C"),
        ("(C) Paris", "C"),
        ("Ｃ", "C"),
    ],
)
def test_a_text_that_is_the_letter_is_the_answer(text, letter):
    assert found(text) == letter


def test_one_letter_in_parentheses_at_the_end_is_the_answer():
    assert found("It melts, which makes it (C).") == "C"
    assert found("We say that (C) melts, and that is all.") == "parse_error"


@pytest.mark.parametrize(
    ("text", "letters"), [("Answer: AC", "AC"), ("答案：A、C", "AC"), ("Answer: A and C", "AC"), ("Answer: C, A", "AC")]
)
def test_letters_written_as_one_are_one_answer(text, letters):
    assert found(text) == letters


@pytest.mark.parametrize(
    "text",
    [
        "A or B",
        "Answer: A or B",
        "答案：A或B",
        "Answer: A/B",
        "The answer is A. The answer is B.",
        "(A) is right, (B) too",
        "A. yes (B)",
    ],
)
def test_candidates_that_disagree_are_ambiguous(text):
    assert found(text) == "ambiguous_answer"


@pytest.mark.parametrize(
    "text",
    ["", "Paris", "The answer is A cat", "The answer is I think so", "Is the answer A?", "Answer: none", "Answer: N/A",
     "Answer: Apple", "the answer is CAB", "I like B. And A."],
)  # fmt: skip
def test_what_names_no_letter_is_a_parse_error(text):
    assert found(text) == "parse_error"


def test_only_letters_of_options_count_in_groups_and_parentheses():
    assert option_letters(["Paris", "Rome", "Oslo"]) == "ABC"
    assert found("so (D)", ["Paris", "Rome"]) == "parse_error"
    assert found("Answer: CD", ["Paris", "Rome", "Oslo"]) == "parse_error"


@pytest.mark.parametrize(
    "text", ["Answer: " + "*" * 200_000, "answer is " * 50_000, "(A) " * 100_000, "A、" * 100_000, "选" * 100_000]
)
def test_hostile_text_takes_no_time(text):
    start = time.perf_counter()
    choice_letter(text)
    assert time.perf_counter() - start < 10
