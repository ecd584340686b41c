"""The seven extractions and how a task names them."""

import time

import pytest

from steelyard.canonical.extraction import EXTRACTION_KINDS, after_prompt, extract, parse_extraction, plain_latex
from steelyard.canonical.outcome import Found
from steelyard.errors import ConfigurationError


def found(text, how):
    outcome = extract(text, parse_extraction(how))
    return outcome.value if isinstance(outcome, Found) else outcome.tags[0]


@pytest.mark.parametrize(
    ("how", "signature"),
    [
        (None, "extract=none@v1"),
        ("none", "extract=none@v1"),
        ("answer_line", "extract=answer_line@v1"),
        ({"json_field": "a.b"}, "extract=json_field@v1|field=a.b"),
        ("json_field:answer", "extract=json_field@v1|field=answer"),
        ({"regex": "x(.)"}, "extract=regex@v1|pattern=x(.)"),
    ],
)
def test_a_task_names_its_extraction_and_the_signature_says_all(how, signature):
    assert parse_extraction(how).signature == signature


def test_all_of_the_specifications_kinds_are_there():
    names = ("none", "answer_line", "last_number", "choice_letter", "json_field", "boxed", "regex")
    assert names == EXTRACTION_KINDS


@pytest.mark.parametrize(
    ("how", "code"),
    [
        ("answer_lin", "unknown-name"),
        ("boxed:x", "bad-configuration"),
        ("json_field", "bad-configuration"),
        ({"json_field": "a..b"}, "bad-configuration"),
        ({"json_field": "a", "regex": "b"}, "bad-configuration"),
        (5, "bad-configuration"),
        ({"regex": ""}, "bad-pattern"),
        ({"regex": "("}, "bad-pattern"),
        ({"regex": "a" * 1001}, "bad-pattern"),
    ],
)
def test_what_cannot_be_used_is_refused_at_load(how, code):
    with pytest.raises(ConfigurationError) as refused:
        parse_extraction(how)
    assert refused.value.problems[0].code == code


@pytest.mark.parametrize(
    ("text", "how", "answer"),
    [
        (" as it is \n", "none", " as it is \n"),
        ("So x = 4, y = 5.", "last_number", "5"),
        ("It cost $1,200 in all", "last_number", "$1,200"),
        ("5 or 1,2,3", "last_number", "not_a_number"),
        ("none at all", "last_number", "parse_error"),
        ('Sure: {"answer": "B"} ok?', "json_field:answer", "B"),
        ('```json\n{"a": {"b": [1]}}\n```', "json_field:a.b", [1]),
        ('{"answer": null}', "json_field:answer", None),
        ('{"answer": 1, "answer": 2}', "json_field:answer", "parse_error"),
        ('{"answer": NaN}', "json_field:answer", "parse_error"),
        ('{"other": 1}', "json_field:answer", "parse_error"),
        ('{"answer": "cut', "json_field:answer", "parse_error"),
        (r"so \boxed{12.5\%}", "boxed", "12.5%"),
        (r"\boxed{1} then \boxed{\frac{1}{2}}", "boxed", r"\frac{1}{2}"),
        (r"\boxed{open", "boxed", "parse_error"),
        (r"\boxed{}", "boxed", "parse_error"),
        ("no box", "boxed", "parse_error"),
        ("Result: a\nResult: b", {"regex": "Result: (.+)"}, "b"),
        ("abc", {"regex": "[a-b]"}, "b"),
        ("abc", {"regex": "x"}, "parse_error"),
        ("ab", {"regex": "a(x)?b"}, "parse_error"),
    ],
)
def test_an_extraction_takes_what_it_says(text, how, answer):
    assert found(text, how) == answer


def test_a_pattern_that_runs_away_stops_after_a_second():
    start = time.perf_counter()
    assert found("a" * 40 + "b", {"regex": "(a|aa)+$"}) == "regex_timeout"
    assert time.perf_counter() - start < 5


@pytest.mark.parametrize(
    ("latex", "plain"),
    [(r"\text{B}", "B"), (r"1{,}234", "1,234"), (r"\$5", "$5"), ("$x$", "x"), (r"5\,\mathrm{kg}", "5kg")],
)
def test_what_only_sets_type_is_taken_off(latex, plain):
    assert plain_latex(latex) == plain


def test_only_an_answer_line_depends_on_how_the_prompt_ends():
    prompt = "{question}\nAnswer:"
    assert after_prompt(parse_extraction("answer_line"), prompt).marker_in_prompt
    assert not after_prompt(parse_extraction("answer_line"), "{question}").marker_in_prompt
    assert not after_prompt(parse_extraction("answer_line"), None).marker_in_prompt
    assert not after_prompt(parse_extraction("last_number"), prompt).marker_in_prompt
