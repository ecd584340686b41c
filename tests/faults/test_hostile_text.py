"""Model text and tags that a terminal or a CI would obey: shown escaped, exact in JSON."""

import json
import re

import pyarrow.parquet as pq
import pytest

HOSTILE = [
    "\x1b[31mred\x1b[0m",
    "\x1b]0;title\x07",
    "\u202eevil",
    "::error::x",
    "##vso[task.complete]",
    "##[error]x",
    "a\rb\nc",
    "\x9b2J",
]
ACTIVE = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|^\s*::|##\w*\[", re.MULTILINE)


@pytest.fixture
def evaluated(steelyard):
    rows = [
        {"id": f"{text}{number}", "prompt": text, "expected_answer": text, "output": text + "?", "section": text}
        for number, text in enumerate(HOSTILE)
    ]
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    given = ["--dataset", "items.jsonl", "--scorer", "answer_correctness@v1", "--slice-by", "section", "--name", "run"]
    finished = steelyard("eval", *given, items__jsonl=data)
    assert finished.code == 0, finished.err
    return finished


def test_the_summary_of_an_evaluation_shows_hostile_text_escaped(evaluated):
    assert ACTIVE.findall(evaluated.out + evaluated.err) == []
    assert "\\x1b[31mred" in evaluated.out


@pytest.mark.parametrize("command", [["runs", "items", "run"], ["runs", "show", "run"], ["runs", "list"]])
def test_what_is_shown_of_a_run_is_escaped_too(evaluated, steelyard, command):
    finished = steelyard(*command)
    assert (finished.code, ACTIVE.findall(finished.out + finished.err)) == (0, [])


def test_machines_get_the_text_exactly(evaluated, steelyard):
    assert pq.read_table("runs/run/eval/items.parquet")["expected"].to_pylist() == HOSTILE
    shown = steelyard("runs", "items", "run", "--json")
    assert [row["predicted"] for row in json.loads(shown.out)["items"]] == [f"{text}?" for text in HOSTILE]


def test_an_error_about_hostile_text_is_escaped(steelyard):
    row = json.dumps({"id": "\x1b[31m::error::", "prompt": "?", "expected_answer": ""}) + "\n"
    finished = steelyard("eval", "--dataset", "x.jsonl", "--scorer", "answer_correctness@v1", x__jsonl=row.encode())
    assert (finished.code, ACTIVE.findall(finished.err)) == (3, [])


@pytest.mark.parametrize("argument", ["\x1b[31m", "::error::x", "##vso[task.complete]", "a\n::error::b"])
def test_hostile_arguments_are_escaped_in_usage_errors(steelyard, argument):
    finished = steelyard(argument)
    assert (finished.code, ACTIVE.findall(finished.err)) == (2, [])
