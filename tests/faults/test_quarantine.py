"""`--bad-rows quarantine`: bad rows of predictions are set aside, and no item leaves the denominator."""

import json
from pathlib import Path

import pytest

from tests.faults.conftest import ITEMS, OUTPUTS


def quarantined(evaluate, outputs: bytes, *arguments: str, **options):
    finished = evaluate("--json", "--bad-rows", "quarantine", *arguments, outputs=outputs, **options)
    assert finished.code == 0, finished.err
    content = json.loads(finished.out)
    run = json.loads(Path("runs/run/run.json").read_bytes())
    rejected = Path("runs/run/rejected.jsonl")
    rows = [json.loads(line) for line in rejected.read_bytes().splitlines()] if rejected.exists() else []
    return content, run["flags"], rows


def test_a_bad_row_is_kept_with_line_reason_and_text_and_its_item_is_unparsed(evaluate):
    content, flags, rows = quarantined(evaluate, b'{"id":"a","output":"4"}\n{"id":"b","output":NaN}\n')
    assert rows == [
        {"line": 2, "reason": "not-finite: found NaN, expected a finite number", "text": '{"id":"b","output":NaN}'}
    ]
    assert content["scorecard"]["states"] == {"scored": 1, "unparsed": 1, "missing": 0, "failed": 0, "timeout": 0}
    assert (content["scorecard"]["n_items"], content["scorecard"]["primary_score"]) == (2, 0.5)
    assert (content["predictions"]["quarantined"], flags) == (1, [])


@pytest.mark.parametrize(
    "row",
    [
        b"no json at all",
        b'{"output":"6"}',
        b'{"id":"b","output":{"id":"a"',
        b'{"id":"other","output":NaN}',
        b'{"id":"a","output":NaN}',
    ],
    ids=["no id to read", "no id", "two ids", "an unknown id", "an id that has a good row too"],
)
def test_a_run_with_a_bad_row_that_no_item_accounts_for_is_flagged(evaluate, row):
    content, flags, rows = quarantined(evaluate, b'{"id":"a","output":"4"}\n' + row + b"\n")
    assert (flags, len(rows), content["scorecard"]["n_items"]) == (["quarantined_rows"], 1, 2)
    assert content["scorecard"]["states"]["missing"] == 1


def test_the_text_of_a_row_that_is_not_utf8_is_kept_spelled_out(evaluate):
    _, flags, rows = quarantined(evaluate, b'{"id":"a","output":"4"}\n{"id":"b","output":"\xff"}\n')
    assert (rows[0]["text"], rows[0]["reason"][:9], flags) == (r'{"id":"b","output":"\xff"}', "not-utf8:", [])


def test_the_order_of_predictions_does_not_matter(evaluate):
    content, flags, _ = quarantined(evaluate, b'{"id":"b","output":NaN}\n{"id":"a","output":"4"}\n')
    assert (content["scorecard"]["states"]["unparsed"], content["scorecard"]["primary_score"], flags) == (1, 0.5, [])


def test_good_predictions_leave_nothing_in_quarantine(evaluate):
    _, flags, rows = quarantined(evaluate, OUTPUTS)
    assert (flags, rows, Path("runs/run/rejected.jsonl").exists()) == ([], [], False)


def test_a_ragged_record_of_csv_names_no_item_for_certain(evaluate):
    items = b"id,prompt,expected_answer\na,?,4\nb,?,6\n"
    _, flags, rows = quarantined(evaluate, b"id,output\na,4\nb,6,7\n", items=items, suffix="csv")
    assert (flags, rows[0]["line"], rows[0]["text"]) == (["quarantined_rows"], 3, "b,6,7")


def test_an_id_that_stands_twice_is_refused_all_the_same(evaluate):
    finished = evaluate("--json", "--bad-rows", "quarantine", outputs=OUTPUTS + OUTPUTS)
    assert (finished.code, finished.problems[0]["code"]) == (3, "duplicate-id")


def test_a_dataset_is_never_quarantined(evaluate):
    finished = evaluate("--json", "--bad-rows", "quarantine", items=ITEMS + b"oops\n")
    assert (finished.code, finished.problems[0]["file"], Path("runs/run").exists()) == (3, "items.jsonl", False)


def test_an_id_under_another_name_is_found(steelyard):
    files = {
        "task__yaml": b"task: demo\nfields: {id: qid}\nscorers: [answer_correctness@v1]\n",
        "items__jsonl": ITEMS.replace(b'"id"', b'"qid"'),
        "outputs__jsonl": b'{"qid":"a","output":"4"}\n{"qid":"b","output":NaN}\n',
    }
    given = ["--dataset", "items.jsonl", "--predictions", "outputs.jsonl", "--bad-rows", "quarantine", "--name", "run"]
    finished = steelyard("eval", "task.yaml", *given, "--json", **files)
    assert json.loads(finished.out)["scorecard"]["states"]["unparsed"] == 1
