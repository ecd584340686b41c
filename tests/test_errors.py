"""One shape for every error: place, code, message, item, hint; at most twenty listed; nothing foreign unescaped."""

import ast

import pytest

from steelyard import errors
from steelyard.errors import CODES, InputError, Problem, Problems, SteelyardError, escape, excerpt, quoted


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


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é 答 ☃", "'plain é 答 ☃'"),
        ("", "''"),
        ("a\nb\r\t", r"'a\nb\r\t'"),
        ("a\\nb", r"'a\\nb'"),
        ("C:\\", r"'C:\\'"),
        ("don't", '"don\'t"'),
        ('say "x"', "'say \"x\"'"),
        ("""'a' and "b\"""", r"""'\'a\' and "b"'"""),
        ("\x1b[31m", r"'\x1b[31m'"),
        ("\u202eabc\u2066", r"'\u202eabc\u2066'"),
        ("\ud800\udc00", r"'\ud800\udc00'"),
        ("\U000e0041", r"'\U000e0041'"),
        ("a\xa0b\u3000", r"'a\xa0b\u3000'"),
        ("##vso[task.x]", r"'\x23#vso[task.x]'"),
        ("::error::x", "'::error::x'"),
    ],
)
def test_quoted_text_is_escaped_once(text, shown):
    assert quoted(text) == shown
    assert escape(shown) == shown
    assert shown.isprintable()
    assert ast.literal_eval(shown) == text


def test_quoted_text_has_at_most_80_characters_between_its_marks():
    assert quoted("x" * 80) == f"'{'x' * 80}'"
    assert quoted("x" * 81) == f"'{'x' * 79}…'"


@pytest.mark.parametrize("hostile", ["\\", "\x1b", "\u202e", "\ud800", "\U000e0041", "'\"", "\n"])
@pytest.mark.parametrize("ordinary", range(60, 81))
def test_shortened_text_never_ends_within_an_escape(hostile, ordinary):
    text = "x" * ordinary + hostile * 20
    shown = quoted(text)
    assert len(shown) <= 82
    read = ast.literal_eval(shown)
    assert read.endswith("…")
    assert text.startswith(read[:-1])


def test_foreign_text_anywhere_in_a_problem_is_escaped():
    problem = Problem("bad-json", "m\n::error", hint="h\x1b", file="f\u202e", item_id="i\n" * 100)
    assert all(line.isprintable() for line in str(problem).split("\n"))
    assert str(problem).count("\n") == 1
