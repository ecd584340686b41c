"""Page 80's table for datasets and predictions, through the command: what is accepted, what is refused, and how."""

import gzip
import json
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from tests.faults.conftest import ITEMS, OUTPUTS

REFUSED = [
    # what, bytes of the predictions, code, line, column, words of the message
    ("an empty file", b"", "empty-file", None, None, "no rows"),
    ("blank lines only", b"\n \r\n\n", "empty-file", None, None, "no rows"),
    ("not UTF-8", b'{"id":"a","output":"4"}\n{"id":"b","output":"\xff"}\n', "not-utf8", 2, 21, "byte offset 44"),
    ("a bad line", b'{"id":"a" "output":"4"}\n', "bad-json", 1, 11, "expecting ',' delimiter"),
    ("two objects on a line", b'{"id":"a"} {"id":"b"}\n', "bad-json", 1, 12, "after the end of the value"),
    ("a line that is a list", b'["a"]\n', "not-an-object", 1, 1, "expected a JSON object"),
    ("a line that is text", b'"a"\n', "not-an-object", 1, 1, "expected a JSON object"),
    ("a truncated last line", OUTPUTS + b'{"id":"c","out', "truncated-line", 3, 11, "in the middle of a row"),
    ("a letter cut in two", OUTPUTS + b'{"id":"c","output":"\xc3', "truncated-line", 3, None, "in the middle of a row"),
    ("a key twice", b'{"id":"a","output":"4","output":"5"}\n', "duplicate-key", 1, 24, "'output' stands twice"),
    ("NaN", b'{"id":"a","output":NaN}\n', "not-finite", 1, 20, "found NaN"),
    ("Infinity", b'{"id":"a","output":-Infinity}\n', "not-finite", 1, 20, "found -Infinity"),
    ("1e400", b'{"id":"a","output":1e400}\n', "not-finite", 1, 20, "found 1e400"),
    ("nesting over 64", b'{"id":"a","x":' + b"[" * 64 + b"]" * 64 + b"}\n", "too-deep", 1, None, "65 deep, expected"),
    ("no id", b'{"output":"4"}\n', "missing-field", 1, None, "the prediction has no id"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("outputs", "code", "line", "column", "words"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_a_bad_row_is_refused_with_its_place_and_leaves_no_run(evaluate, outputs, code, line, column, words):
    finished = evaluate("--json", outputs=outputs)
    problem = finished.problems[0]
    assert (finished.code, problem["code"], problem["line"], problem["column"]) == (3, code, line, column)
    assert words in problem["message"]
    assert problem["hint"]
    assert problem["file"] == "outputs.jsonl"
    assert list(Path("runs").glob("*")) == []


@pytest.mark.parametrize(
    ("outputs", "code", "line"), [row[1:2] + row[2:4] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_the_same_mistake_in_a_dataset_is_refused_even_when_predictions_may_be_quarantined(
    evaluate, outputs, code, line
):
    finished = evaluate("--json", "--bad-rows", "quarantine", items=outputs)
    assert (finished.code, finished.problems[0]["line"], finished.problems[0]["file"]) == (3, line, "items.jsonl")
    assert finished.problems[0]["code"] == code


@pytest.mark.parametrize(
    "change",
    [
        lambda data: b"\xef\xbb\xbf" + data,
        lambda data: data.replace(b"\n", b"\r\n"),
        lambda data: data.rstrip(b"\n"),
        lambda data: data.replace(b"\n", b"\n\n  \n"),
    ],
    ids=["a byte-order mark", "CRLF", "no final newline", "blank lines"],
)
def test_what_editors_do_to_a_file_is_accepted(evaluate, change):
    finished = evaluate("--json", items=change(ITEMS), outputs=change(OUTPUTS))
    assert (finished.code, json.loads(finished.out)["scorecard"]["primary_score"]) == (0, 0.5)


def test_every_bad_row_is_listed_up_to_twenty_and_the_rest_counted(evaluate):
    finished = evaluate("--json", outputs=b"oops\n" * 25)
    content = json.loads(finished.out)
    assert (len(content["problems"]), content["total"], content["exit_code"]) == (20, 25, 3)
    assert finished.err.endswith("and 5 more\n")
    assert finished.err.count("[bad-json]") == 20


def test_the_message_for_people_has_one_shape(evaluate):
    finished = evaluate(outputs=b'{"id":"a","output":NaN}\n')
    assert finished.err == (
        "steelyard: outputs.jsonl:1:20: [not-finite] found NaN, expected a finite number\n"
        "    hint: write null or leave the field out where there is no number; write longer numbers as text\n"
    )
    assert finished.out == ""


def test_foreign_text_in_a_message_is_cut_to_80_characters_and_escaped(evaluate):
    finished = evaluate(
        "--json", outputs=b'"::error::\x1b[31m\xe2\x80\xae'.replace(b"\x1b", b"\\u001b") + b"x" * 200 + b'"\n'
    )
    assert finished.err.replace("\n", "").isprintable()
    excerpt = re.search(r"found the text (.*), expected", finished.problems[0]["message"])
    assert excerpt is not None
    assert len(excerpt[1]) == 80


def test_control_characters_of_a_bad_line_never_reach_the_terminal(evaluate):
    finished = evaluate(outputs=b"\x1b]0;owned\x07\xe2\x80\xaex\n")
    assert "\x1b" not in finished.err
    assert r"\x1b]0;owned\x07\u202ex" in finished.err


def test_an_id_that_stands_twice_is_named_with_both_lines(evaluate):
    finished = evaluate("--json", outputs=OUTPUTS + b'{"id":"a","output":"5"}\n')
    problem = finished.problems[0]
    assert (finished.code, problem["code"], problem["line"], problem["item_id"]) == (3, "duplicate-id", 3, "a")
    assert "lines 1 and 3" in problem["message"]
    assert evaluate("--json", items=ITEMS + ITEMS).problems[0]["item_id"] == "a"


def test_a_line_over_the_limit_names_the_limit_and_its_option(evaluate):
    finished = evaluate("--json", "--max-line-bytes", "60", outputs=b'{"id":"a","output":"' + b"4" * 60 + b'"}\n')
    assert (finished.code, finished.problems[0]["code"]) == (3, "line-too-long")
    assert "60 bytes" in finished.problems[0]["message"]
    assert "--max-line-bytes" in finished.problems[0]["hint"]


def test_nesting_can_be_allowed_by_its_option(evaluate):
    outputs = b'{"id":"a","output":"4","more":' + b"[" * 64 + b"]" * 64 + b"}\n"
    assert "--max-depth" in evaluate("--json", outputs=outputs).problems[0]["hint"]
    assert evaluate("--json", "--max-depth", "70", outputs=outputs).code == 0


def test_a_lone_surrogate_is_accepted_kept_escaped_and_tagged(evaluate):
    finished = evaluate("--json", outputs=b'{"id":"a","output":"\\ud800"}\n')
    assert (finished.code, json.loads(finished.out)["error_tags"]["invalid_unicode"]) == (0, 1)
    stored = pq.read_table("runs/run/eval/items.parquet").to_pylist()[0]
    assert (stored["predicted"], "invalid_unicode" in stored["error_tags"]) == ("\\ud800", True)
    assert json.loads(Path("runs/run/predictions.jsonl").read_bytes().splitlines()[0])["output"] == "\ud800"


@pytest.mark.parametrize("odd", ["\u2028", "\u2029", "\\u0000", "\x85", "\x0c"])
def test_separators_that_are_no_line_break_stay_in_the_text(evaluate, odd):
    text = json.loads(f'"{odd}x"', strict=False)
    items = f'{{"id":"a","prompt":"?","expected_answer":"q{odd}x"}}\n'.encode()
    outputs = f'{{"id":"a","output":"q{odd}x"}}\n'.encode()
    if ord(text[0]) < 0x20 and odd != "\\u0000":
        assert evaluate("--json", items=items, outputs=outputs).code == 3
        return
    finished = evaluate("--json", items=items, outputs=outputs)
    assert (finished.code, json.loads(finished.out)["scorecard"]["primary_score"]) == (0, 1.0)
    assert pq.read_table("runs/run/eval/items.parquet")["predicted"].to_pylist() == [f"q{text}"]


def test_integers_beyond_2_to_the_53_are_exact(evaluate):
    items = b'{"id":9007199254740993,"prompt":"?","expected_answer":"9007199254740993"}\n'
    finished = evaluate("--json", items=items, outputs=b'{"id":9007199254740993,"output":"9007199254740993"}\n')
    assert json.loads(finished.out)["scorecard"]["primary_score"] == 1.0
    wrong = evaluate(
        "--json", "--strict-ids", "--name", "b", items=items, outputs=b'{"id":9007199254740992,"output":"x"}\n'
    )
    assert (wrong.code, wrong.problems[0]["item_id"]) == (3, "9007199254740992")


def test_predictions_for_unknown_ids_are_listed_not_counted_and_refused_on_request(evaluate):
    outputs = OUTPUTS + b'{"id":"zz","output":"4"}\n'
    finished = evaluate("--json", outputs=outputs)
    content = json.loads(finished.out)
    assert (finished.code, content["scorecard"]["n_items"], content["predictions"]["unknown_ids"]) == (0, 2, 1)
    strict = evaluate("--json", "--strict-ids", "--name", "strict", outputs=outputs)
    assert (strict.code, strict.problems[0]["code"], strict.problems[0]["line"]) == (3, "unknown-id", 3)


@pytest.mark.parametrize("value", [b"true", b"null", b'["4"]', b'{"x":1}'])
def test_what_is_not_text_where_text_is_meant_is_a_type_mismatch_and_scores_0(evaluate, value):
    finished = evaluate("--json", outputs=b'{"id":"a","output":' + value + b'}\n{"id":"b","output":"6"}\n')
    content = json.loads(finished.out)
    assert (finished.code, content["scorecard"]["primary_score"]) == (0, 0.5)
    assert content["error_tags"] == {"type_mismatch": 1}


@pytest.mark.parametrize(
    ("outputs", "line"),
    [
        (b"id,output\na,4\nb\n", 3),
        (b"id,output\na,4,5\n", 2),
        (b'id,output\na,"4\nb,5\n', 2),
        (b"id,output,id\na,4,b\n", 1),
    ],
    ids=["too few values", "too many values", "an unclosed quote", "a header twice"],
)
def test_bad_csv_is_refused_with_its_line(evaluate, outputs, line):
    items = b"id,prompt,expected_answer\na,?,4\nb,?,6\n"
    finished = evaluate("--json", items=items, outputs=outputs, suffix="csv")
    assert (finished.code, finished.problems[0]["code"], finished.problems[0]["line"]) == (3, "bad-csv", line)


def test_every_value_of_a_csv_file_is_text(evaluate):
    items = b"id,prompt,expected_answer\n1,?,007\n2,?,true\n"
    finished = evaluate("--json", items=items, outputs=b"id,output\n1,007\n2,true\n", suffix="csv")
    assert json.loads(finished.out)["scorecard"]["primary_score"] == 1.0


@pytest.mark.parametrize(
    ("suffix", "change"),
    [
        ("jsonl.gz", lambda data: gzip.compress(data)[:-9]),
        ("jsonl.gz", lambda data: data),
        ("jsonl.zst", lambda data: zstandard.compress(data)[:-3]),
        ("parquet", lambda data: b"PAR1" + data),
    ],
    ids=["gzip cut short", "gzip in name only", "zstd cut short", "no Parquet"],
)
def test_a_corrupt_file_is_refused(evaluate, suffix, change):
    finished = evaluate("--json", items=change(ITEMS), suffix=suffix)
    assert (finished.code, finished.problems[0]["code"]) == (3, "corrupt-file")


def test_a_decompression_bomb_is_refused(evaluate):
    finished = evaluate("--json", items=gzip.compress(b'{"id":"' + b"a" * (80 << 20)), suffix="jsonl.gz")
    assert (finished.code, finished.problems[0]["code"]) == (3, "file-too-large")


def test_the_unpacked_size_has_an_option(evaluate):
    packed = gzip.compress(ITEMS * 100)
    finished = evaluate("--json", "--max-unpacked-bytes", "1000", items=packed, suffix="jsonl.gz")
    assert "--max-unpacked-bytes" in finished.problems[0]["hint"]


def test_parquet_is_read_and_its_duplicate_columns_are_not(steelyard, tmp_path):
    rows = {"id": ["a"], "prompt": ["?"], "expected_answer": ["4"], "output": ["4"]}
    pq.write_table(pa.table(rows), tmp_path / "items.parquet")
    finished = steelyard("eval", "--dataset", "items.parquet", "--scorer", "answer_correctness@v1", "--json")
    assert json.loads(finished.out)["scorecard"]["primary_score"] == 1.0


@pytest.mark.parametrize("reference", [b'""', b"null", b'"  "', b"[]"])
def test_an_item_with_an_empty_reference_stops_the_evaluation(evaluate, reference):
    items = b'{"id":"a","prompt":"?","expected_answer":' + reference + b"}\n"
    finished = evaluate("--json", items=items, outputs=b'{"id":"a","output":""}\n')
    problem = finished.problems[0]
    assert (finished.code, problem["line"], problem["item_id"]) == (3, 1, "a")
    assert problem["code"] in ("empty-reference", "bad-reference")


def test_no_items_after_a_filter_is_refused(evaluate):
    assert evaluate("--limit", "0").code == 2
    finished = evaluate("--json", items=b"\n", outputs=OUTPUTS)
    assert (finished.code, finished.problems[0]["code"]) == (3, "empty-file")


def test_a_file_that_is_not_there_is_told_before_anything_else(steelyard):
    finished = steelyard("eval", "--dataset", "none.jsonl", "--scorer", "answer_correctness@v1", "--json")
    assert (finished.code, finished.problems[0]["code"], finished.problems[0]["file"]) == (
        3,
        "missing-file",
        "none.jsonl",
    )


def test_a_name_that_tells_no_format_is_refused(steelyard):
    finished = steelyard("eval", "--dataset", "items.txt", "--answer-type", "text", "--json", items__txt=ITEMS)
    assert (finished.code, finished.problems[0]["code"]) == (3, "unknown-format")
