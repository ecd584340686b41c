"""One shape for every error: place, code, message, item, hint; at most twenty listed; nothing foreign unescaped."""

import pytest

from steelyard import errors
from steelyard.errors import CODES, InputError, Problem, Problems, SteelyardError, escape, excerpt


def test_a_problem_reads_as_place_code_message_item_and_hint():
    problem = Problem("bad-json", "found x", hint="fix it", file="a.jsonl", line=3, column=7, item_id="q1")
    assert str(problem) == "a.jsonl:3:7: [bad-json] found x (item q1)\n    hint: fix it"
    assert problem.as_dict() == {
        "code": "bad-json",
        "message": "found x",
        "hint": "fix it",
        "file": "a.jsonl",
        "line": 3,
        "column": 7,
        "item_id": "q1",
    }


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ({}, ""),
        ({"file": "a"}, "a"),
        ({"line": 2}, "line 2"),
        ({"file": "a", "line": 2}, "a:2"),
        ({"file": "a", "column": 2}, "a"),
    ],
)
def test_a_place_is_told_as_far_as_it_is_known(place, text):
    assert Problem("bad-json", "x", **place).place == text


def test_a_code_that_does_not_exist_is_our_bug():
    with pytest.raises(AssertionError, match="no-such-code"):
        Problem("no-such-code", "x")


def test_twenty_problems_are_listed_and_the_rest_counted():
    problems = Problems()
    problems.extend(Problem("bad-json", f"number {number}") for number in range(25))
    assert bool(problems)
    with pytest.raises(InputError) as caught:
        problems.raise_if_any()
    lines = str(caught.value).split("\n")
    assert (len(lines), lines[19], lines[20]) == (21, "[bad-json] number 19", "and 5 more")
    content = caught.value.as_dict()
    assert (len(content["problems"]), content["total"], content["exit_code"], content["error"]) == (
        20,
        25,
        3,
        "InputError",
    )


def test_no_problems_raise_nothing():
    assert not Problems()
    Problems().raise_if_any()


def test_each_error_has_the_exit_code_that_the_docstring_draws():
    drawn = [line.split() for line in (errors.__doc__ or "").splitlines() if "──" in line]
    found = {words[1]: int(words[2]) for words in drawn}
    classes = {
        name: kind for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, SteelyardError)
    }
    del classes["SteelyardError"]
    assert {name: kind.exit_code for name, kind in classes.items()} == found


def test_codes_are_words_with_hyphens_and_titles_are_sentences():
    for code in CODES.values():
        assert code.name == code.name.lower().replace("_", "-").strip("-")
        assert code.title[0].isupper() or code.title.startswith("A ")
        assert not code.title.endswith(".")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é 答", "plain é 答"),
        ("\x1b[31m", "\\x1b[31m"),
        ("a\nb\r\t\x00", "a\\x0ab\\x0d\\x09\\x00"),
        ("\x9b", "\\x9b"),
        ("\u202eabc\u2066", "\\u202eabc\\u2066"),
        ("\ud800", "\\ud800"),
        ("\u2028", "\\u2028"),
        ("\U000e0041", "\\U000e0041"),
        ("::error::x", "\\x3a:error::x"),
        ("  ::error", "  \\x3a:error"),
        ("\u3000::error", "\u3000\\x3a:error"),
        ("a::b", "a::b"),
        ("##vso[task.x]", "\\x23#vso[task.x]"),
        ("x ##[error]", "x \\x23#[error]"),
        ("###teamcity[", "#\\x23#teamcity["),
        ("## a", "## a"),
    ],
)
def test_what_a_terminal_or_a_ci_would_obey_is_spelled_out(text, shown):
    assert escape(text) == shown
    assert escape(shown) == shown


def test_an_excerpt_has_at_most_80_characters():
    assert excerpt("x" * 80) == "x" * 80
    assert excerpt("x" * 81) == "x" * 79 + "…"
    assert len(excerpt("\x1b" * 80)) == 80


def test_foreign_text_anywhere_in_a_problem_is_escaped():
    problem = Problem("bad-json", "m\n::error", hint="h\x1b", file="f\u202e", item_id="i\n" * 100)
    assert all(line.isprintable() for line in str(problem).split("\n"))
    assert str(problem).count("\n") == 1
