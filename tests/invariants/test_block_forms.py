"""Evaluation by columns and row by row leave the same bytes, whatever the file holds."""

import json
import random
import string

import polars as pl
import pytest

from steelyard.errors import InputError
from steelyard.items import scan
from steelyard.judging.path import block_path
from steelyard.kinds.task import streaming
from steelyard.kinds.task.order import evaluate
from steelyard.secrets import forget_secrets, remember_secret
from steelyard.tasks.loading import EvaluateOptions

TEXT_TASK = {
    "task": "both-ways",
    "answer_type": "text",
    "metrics": ["exact_match", {"name": "f1", "normalize": "squad"}, "rouge1", "rouge2", "rougeL"],
    "eval": {
        "format_rules": [
            {"name": "period", "pattern": r"\.$"},
            {"name": "plain", "pattern": "^(?:a|x<)", "invert": True},
        ],
        "slice_by_tags": ["source", ["source", "difficulty"]],
        "hard_examples": 7,
    },
}
FILES = ("predictions.jsonl", "eval/eval_results.json", "eval/hard_examples.jsonl", "eval/items.parquet", "config.yaml")


@pytest.fixture
def both_ways(tmp_path, monkeypatch):
    """Evaluates a dataset row by row and by columns, and returns the two folders."""

    def evaluated(lines, task, **options):
        dataset = tmp_path / "data.jsonl"
        dataset.write_bytes(
            b"".join(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in lines)
        )
        found = {}
        for name, smallest in (("rows", 1 << 60), ("columns", 0)):
            monkeypatch.setattr(
                streaming,
                "block_path",
                lambda *given, bound=smallest, **more: block_path(*given, smallest=bound, **more),
            )
            made = EvaluateOptions(task=task, dataset=str(dataset), name=name, runs_dir=tmp_path / "runs", **options)
            try:
                found[name] = evaluate(made).path
            except InputError as error:
                found[name] = error
        return found["rows"], found["columns"]

    monkeypatch.setattr(scan, "BLOCK_BYTES", 4096)
    return evaluated


def assert_same_bytes(rows, columns):
    for name in FILES:
        assert (rows / name).read_bytes() == (columns / name).read_bytes(), name


def made_rows(seed, count=160, without=None):
    """Rows as they come: several shapes, missing and null fields, odd tags, hostile text."""
    chance = random.Random(seed)
    words = [
        "the",
        "a",
        "cat",
        "sat",
        "naïve",
        "营收",
        "x<y",
        "<think>so</think>",
        "",
        "…",
        "\u200b",
        "\ud800",
        "3.14",
        '"q"',
        "\\",
        "ß",
    ]

    words = [word for word in words if word != without]

    def text():
        return " ".join(chance.choices(words, k=chance.randint(0, 9)))

    for number in range(count):
        row = {
            "id": f"i{number}" if number % 7 else number,
            "input": text(),
            "reference": text() + "ref",
            "prediction": text(),
        }
        row["tags"] = {
            "source": chance.choice(["human", "web", "", None]),
            "difficulty": chance.choice(["hard", 3, True, "easy"]),
        }
        match number % 11:
            case 1:
                del row["prediction"]
            case 2:
                row["prediction"] = {"value": "typed"}
            case 3:
                row["error"] = chance.choice(["boom", "timeout", None])
            case 4:
                row["latency_ms"] = chance.choice([12, 3.5, None])
            case 5:
                row["section"] = chance.choice(["core", "edge"])
                row["prompt_tokens"] = 7
            case 6:
                row = {"tags": row["tags"], **{name: row[name] for name in ("prediction", "reference", "input", "id")}}
            case 7:
                row["extra"] = {"deep": {"er": [1, 2]}}
            case 8:
                row["reference"] = {"value": "typed", "aliases": ["cat"], "keywords": ["sat"]}
        yield row


@pytest.mark.parametrize("seed", range(4))
def test_text_of_every_kind_leaves_the_same_bytes(both_ways, seed):
    assert_same_bytes(*both_ways(made_rows(seed), TEXT_TASK))


@pytest.mark.parametrize(
    "scorer", ["answer_correctness@v1", "text@v2", {"name": "text@v1", "normalize": "squad", "primary": "f1"}]
)
def test_each_text_scorer_leaves_the_same_bytes(both_ways, scorer):
    metrics = ["rouge1@v1", "rouge2@v1", "rougeL@v1"]
    scorers = [scorer, "text@v1"] if scorer == "answer_correctness@v1" else [scorer]
    task = {**TEXT_TASK, "metrics": metrics, "scorers": scorers}
    assert_same_bytes(*both_ways(made_rows(9), task))


def test_rules_and_metrics_without_a_block_form_leave_the_same_bytes(both_ways):
    rules = [{"name": "words", "pattern": r"\w+ \w+"}, {"name": "short", "max_tokens": 4}]
    metrics = ["bleu", "chrf", {"name": "rouge1", "stemmer": True}]
    task = {**TEXT_TASK, "metrics": metrics, "eval": {"format_rules": rules}}
    assert_same_bytes(*both_ways(made_rows(11, 120), task))


def test_white_space_blank_lines_and_a_byte_order_mark_do_not_matter(both_ways):
    rows = [
        json.dumps(row, ensure_ascii=False, indent=None).encode("utf-8", "surrogatepass")
        for row in made_rows(3, 60, without="\ud800")
    ]
    lines = [
        b"\xef\xbb\xbf" + rows[0] + b"\r\n",
        b"\n",
        b"  \t\r\n",
        *(b" " + row + b" \r\n" for row in rows[1:-1]),
        rows[-1],
    ]
    assert_same_bytes(*both_ways(lines, TEXT_TASK))


TYPED_TASKS = {
    "label": (
        {"answer_type": "label", "aliases": {"yes": ["y", "yep"]}},
        ["yes", "no", "Y", "maybe", " NO ", "yes. <think>"],
    ),
    "choice": (
        {"answer_type": "choice", "choices": ["A", "B", "C"]},
        ["A", "b", "(C)", "D", "A or B", "The answer is C"],
    ),
    "number": (
        {"answer_type": "number", "extract": "last_number"},
        ["12.5%", "0.125", "$1,200", "1,2,3", "none", "-3", "so 7 or 8"],
    ),
    "list": ({"answer_type": "list"}, ["a, b", "b, a", '["a", "c"]', "a; a", "-", "x"]),
}


@pytest.mark.parametrize("kind", TYPED_TASKS)
def test_typed_answers_leave_the_same_bytes(both_ways, kind):
    task, answers = TYPED_TASKS[kind]
    chance = random.Random(kind)
    good = {"label": ["yes", "no"], "choice": ["A", "B", "C"], "number": ["12.5%", "7", "-3"], "list": ["a, b", "x"]}[
        kind
    ]
    rows = [
        {
            "id": f"i{number}",
            "input": chance.choice(["q", "é"]),
            "reference": chance.choice(good),
            "prediction": chance.choice([*answers, 7] if number % 9 == 0 else answers),
            "tags": {"source": chance.choice(["a", "b"])},
        }
        for number in range(400)
    ]
    task = {"task": kind, "eval": {"slice_by_tags": ["source"]}, **task}
    assert_same_bytes(*both_ways(rows, task))


def test_a_reference_that_cannot_be_used_is_the_same_error_for_every_row_that_has_it(both_ways):
    rows = [
        {"id": str(number), "reference": "7" if number % 3 else "seven?", "prediction": "7"} for number in range(60)
    ]
    found, columns = both_ways(rows, {"task": "numbers", "answer_type": "number"})
    assert isinstance(found, InputError)
    assert columns.as_dict() == found.as_dict()


@pytest.fixture
def two_files(both_ways, tmp_path):
    """Evaluates a dataset with predictions in a file of their own, both ways."""

    def evaluated(items, predictions, **options):
        path = tmp_path / "predictions.jsonl"
        path.write_bytes(b"".join(json.dumps(row).encode() + b"\n" for row in predictions))
        return both_ways(items, TEXT_TASK, predictions=str(path), **options)

    return evaluated


def split_rows(seed):
    rows = [row for row in made_rows(seed) if isinstance(row["reference"], str)]
    items = [{name: row[name] for name in ("id", "input", "reference", "tags")} for row in rows]
    predictions = [
        {name: value for name, value in row.items() if name not in ("input", "reference", "tags")} for row in rows
    ]
    return items, [{**row, "note": None, "n": 3, "ok": True} for row in predictions]


@pytest.mark.parametrize("workers", [1, 2])
def test_predictions_in_the_same_order_leave_the_same_bytes(two_files, workers):
    items, predictions = split_rows(31)
    assert_same_bytes(*two_files(items, predictions, workers=workers))


@pytest.mark.parametrize("change", ["reversed", "missing", "unknown", "blank"])
def test_predictions_in_another_order_leave_the_same_bytes(two_files, change):
    items, predictions = split_rows(32)
    changed = {
        "reversed": predictions[::-1],
        "missing": predictions[:-3],
        "unknown": [*predictions, {"id": "nobody", "prediction": "x"}],
        "blank": predictions,
    }[change]
    rows, columns = two_files([*items[:9], b"\n", *items[9:]] if change == "blank" else items, changed)
    assert_same_bytes(rows, columns)


def test_two_workers_leave_the_same_bytes_as_one(both_ways, tmp_path):
    lines = list(made_rows(21))
    alone = both_ways(lines, TEXT_TASK)
    (tmp_path / "runs").rename(tmp_path / "alone")
    for one, two in zip(alone, both_ways(lines, TEXT_TASK, workers=2), strict=True):
        assert_same_bytes(tmp_path / "alone" / one.name, two)


def test_two_workers_report_the_same_problems_as_one(both_ways, tmp_path):
    bad = [
        b'{"id":"z","reference":"","prediction":"c"}\n',
        b'{"id":"y"\n',
        b'{"id":"x","reference":" ","prediction":1}\n',
    ]
    good = [json.dumps(row).encode() + b"\n" for row in made_rows(22, 120)]
    lines = [*good[:40], bad[0], *good[40:80], bad[1], *good[80:], bad[2]]
    found = [*both_ways(lines, TEXT_TASK), *both_ways(lines, TEXT_TASK, workers=2)]
    assert all(error.as_dict() == found[0].as_dict() for error in found)


@pytest.mark.parametrize(
    "bad",
    [
        b'{"id":"z","reference":"a","reference":"b","prediction":"c"}\n',
        b'{"id":"z","reference":"","prediction":"c"}\n',
        b'{"id":"i3","reference":"a","prediction":"c"}\n',
        b'{"reference":"a","prediction":"c"}\n',
        b'{"id":"","reference":"a","prediction":"c"}\n',
        b'{"id":"z","reference":"a","prediction":"c","tags":{"source":"_untagged"}}\n',
        b'{"id":"z","reference":"a","prediction":"c","tags":{"source":["x"]}}\n',
        b'{"id":"z","reference":"a","prediction":"\xff"}\n',
        b'{"id":"z","reference":"a","prediction":"c"\n',
        b'{"id":"z","prediction":"c"}\n',
    ],
)
def test_a_bad_row_is_the_same_error_either_way(both_ways, bad):
    good = [json.dumps(row).encode() + b"\n" for row in made_rows(5, 80)]
    rows, columns = both_ways([*good[:50], bad, *good[50:], bad], TEXT_TASK)
    assert isinstance(rows, InputError)
    assert columns.as_dict() == rows.as_dict()


def test_keys_are_taken_out_by_columns_as_they_are_row_by_row(both_ways):
    key = "Zt81hb5x-0Qm2LpA/81z"
    remember_secret(key)
    try:
        rows = list(made_rows(7, 60))
        for number, text in ((3, key), (4, f"so: {key}!"), (50, f"{key} {key}")):
            rows[number] |= {"prediction": text}
        rows[20] |= {"input": f"what is {key}?"}
        spelled = [json.dumps(row).encode() + b"\n" for row in rows]
        spelled[4] = spelled[4].replace(b"/81z", b"\\/81z")
        spelled[50] = spelled[50].replace(b"Zt81", b"\\u005at81")
        found = both_ways(spelled, TEXT_TASK)
        assert_same_bytes(*found)
        tagged = pl.read_parquet(found[1] / "eval" / "items.parquet")["error_tags"].list.contains("secret_in_output")
        assert tagged.arg_true().to_list() == [3, 4, 50]
        assert not any(key in line for line in (found[1] / "predictions.jsonl").read_text().splitlines())
    finally:
        forget_secrets()


def test_most_rows_of_an_ordinary_file_are_plain(tmp_path, both_ways, monkeypatch):
    judged = []
    monkeypatch.setattr("steelyard.judging.items.Judge.judge", lambda *given: judged.append(given))
    letters = random.Random(1)
    rows = [
        {
            "id": str(number),
            "input": "q",
            "reference": "".join(letters.choices(string.printable, k=20)) + "x",
            "prediction": "a. b",
            "tags": {"source": "human", "difficulty": "easy"},
        }
        for number in range(200)
    ]
    both = [*rows]
    dataset = tmp_path / "plain.jsonl"
    dataset.write_bytes(b"".join(json.dumps(row).encode() + b"\n" for row in both))
    monkeypatch.setattr(streaming, "block_path", lambda *given, **more: block_path(*given, smallest=0, **more))
    evaluate(EvaluateOptions(task=TEXT_TASK, dataset=str(dataset), name="plain", runs_dir=tmp_path / "runs"))
    assert judged == []
