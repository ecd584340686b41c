"""One check after another: what it finds and says. Parity with the reference code is in `tests/conformance`."""

import time

import pytest

from steelyard.instructions import DEFINITIONS, follow, read_instructions


def found(identity, text, **arguments):
    (followed,) = follow(text, read_instructions([{"id": identity, **arguments}]))
    return followed.strict, followed.found


@pytest.mark.parametrize(
    ("identity", "arguments", "text", "expected"),
    [
        ("keywords:existence", {"keywords": ["C++", "cat"]}, "c++ for cats", (True, "missing: 0 of 2 keywords")),
        ("keywords:existence", {"keywords": ["C++", "cat"]}, "C for cats", (False, "missing: 1 of 2 keywords")),
        (
            "keywords:frequency",
            {"keyword": "a.b", "frequency": 2, "relation": "at least"},
            "a.b acb A.B",
            (True, "occurrences: 2, at least 2 asked"),
        ),
        (
            "keywords:forbidden_words",
            {"forbidden_words": ["rock", "roll"]},
            "Rock and rolling",
            (False, "used: 1 of 2 forbidden words"),
        ),
        (
            "length_constraints:number_words",
            {"num_words": 3, "relation": "less than"},
            "one two three",
            (False, "words: 3, less than 3 asked"),
        ),
        (
            "length_constraints:number_paragraphs",
            {"num_paragraphs": 2},
            "a *** *** b",
            (False, "paragraphs: 2 and an empty one, 2 asked"),
        ),
        (
            "length_constraints:nth_paragraph_first_word",
            {"num_paragraphs": 1, "nth_paragraph": 1, "first_word": "Elm"},
            "elm's leaves",
            (True, "paragraphs: 1, 1 asked; paragraph 1 begins with the word"),
        ),
        ("detectable_content:postscript", {"postscript_marker": "NB"}, "and nb: this", (True, "a postscript")),
        ("language:response_language", {"language": "de"}, "12 34", (True, "language unknown, de asked")),
        ("change_case:english_capital", {}, "So LOUD", (False, "not all in capital letters")),
        ("detectable_format:json_format", {}, "[" * 100_000, (False, "no JSON")),
        ("punctuation:no_comma", {}, "  \n", (False, "no text")),
    ],
)
def test_a_check_says_what_it_found(identity, arguments, text, expected):
    assert found(identity, text, **arguments) == expected


HOSTILE = [
    "[",
    "<",
    "<<",
    "*",
    "* ",
    "\n",
    "\n ",
    " ",
    "-",
    "\n-",
    '"',
    "'",
    ".",
    ". ",
    "a.",
    "p.",
    "(",
    "{",
    "A ",
    "é",
    "1",
]
GIVEN = {"keywords": ["cat"], "forbidden_words": ["cat"], "language": "en", "letter": "a", "relation": "at least"}
GIVEN |= {"let_relation": "at least", "capital_relation": "at least"}
WORDED = ("keyword", "first_word", "postscript_marker", "section_spliter", "prompt_to_repeat", "end_phrase")


@pytest.mark.slow
@pytest.mark.parametrize("identity", DEFINITIONS)
def test_no_text_takes_a_check_longer_than_its_length_explains(identity):
    names = DEFINITIONS[identity].arguments.__struct_fields__
    asked = {name: GIVEN.get(name, "cat" if name in WORDED else 3) for name in names}
    for piece in HOSTILE:
        text = piece * (60_000 // len(piece))
        started = time.process_time()
        found(identity, text, **asked)
        assert time.process_time() - started < 10, piece
