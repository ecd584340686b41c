"""`steelyard score` on the command line: output, exit codes, all or nothing."""

import io
import json
import sys

import pytest

from steelyard.cli.main import main

GOOD = '{"task_id":"t","sample_id":"S1","answer_type":"choice","prediction":{"value":"b"},"ground_truth":{"value":"B"}}'


@pytest.fixture
def score(capsys, monkeypatch):
    def run(*arguments, stdin=""):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        with pytest.raises(SystemExit) as stopped:
            main(["score", *arguments])
        output = capsys.readouterr()
        return stopped.value.code, output.out, output.err

    return run


def test_the_specifications_pair_scores_1(score):
    code, output, _ = score("--answer-type", "number", "--expected", "12.5%", "--predicted", "0.125")
    card = json.loads(output)
    assert (code, card["primary_score"], card["pass"]) == (0, 1.0, True)
    assert list(card) == ["primary_score", "pass", "sub_scores", "error_tags", "explain"]


def test_lines_come_out_one_card_each_in_order(score):
    wrong = GOOD.replace('"b"', '"c"')
    code, output, _ = score("--stdin", "--json", stdin=f"{GOOD}\n{wrong}\n{GOOD}")
    assert code == 0
    assert [json.loads(line)["primary_score"] for line in output.splitlines()] == [1.0, 0.0, 1.0]


def test_one_bad_line_refuses_all_and_names_its_line(score):
    code, output, message = score("--stdin", stdin=f"{GOOD}\n{{}}\n{GOOD}\n")
    assert (code, output) == (3, "")
    assert "<stdin>:2: [missing-field]" in message


def test_errors_are_json_on_standard_output_when_asked(score):
    code, output, _ = score("--stdin", "--json", stdin="nonsense\n")
    assert code == 3
    assert json.loads(output)["problems"][0]["line"] == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("--expected", "1", "--answer-type", "number"),
        ("--stdin", "--expected", "1"),
        ("--expected", "1", "--predicted", "1"),
        ("--expected", "1", "--predicted", "1", "--answer-type", "essay"),
        ("--expected", "1", "--predicted", "1", "--answer-type", "text", "--parameter", "primary=f1"),
        ("--expected", "1", "--predicted", "1", "--scorer", "text@v1", "--parameter", "primary"),
        ("--expected", "1", "--predicted", "1", "--scorer", "text@v9"),
    ],
)
def test_what_cannot_be_meant_exits_2(score, arguments):
    assert score(*arguments)[0] == 2


def test_parameters_are_json_values_or_text(score):
    pair = ("--expected", "up 5", "--predicted", "up 6")
    _, output, _ = score(*pair, "--scorer", "text@v1", "--parameter", "primary=exact_match")
    assert json.loads(output)["primary_score"] == 0.0


def test_choices_and_extraction_find_the_letter(score):
    raw = "B is close, but the answer is (C)."
    _, output, _ = score(
        "--answer-type", "choice", "--choices", "A,B,C", "--extract", "choice_letter", "--expected", "C",
        "--predicted", raw,
    )  # fmt: skip
    assert json.loads(output)["pass"]
