"""Nothing answered is never a result: names that no row has, ids that no item has, and no predictions at all."""

import csv
import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from steelyard.judging.path import block_path
from steelyard.kinds.task import streaming

ITEMS = [
    {"id": "a", "prompt": "2 + 2?", "expected_answer": "4", "lang": "en"},
    {"id": "b", "prompt": "3 + 3?", "expected_answer": "6", "lang": "de"},
]
OUTPUTS = [{"id": "a", "answer": "4"}, {"id": "b", "answer": "7"}]
BOTH = [item | {"answer": output["answer"]} for item, output in zip(ITEMS, OUTPUTS, strict=True)]
FORMATS = ("jsonl", "json", "csv", "parquet")
BASE = {"task": "sums", "answer_type": "text", "fields": {"prediction": "answer"}}


def written(form, rows):
    if form == "csv":
        text = io.StringIO()
        writer = csv.DictWriter(text, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
        return text.getvalue().encode()
    if form == "parquet":
        sink = io.BytesIO()
        pq.write_table(pa.Table.from_pylist(rows), sink)
        return sink.getvalue()
    return json.dumps(rows).encode() if form == "json" else b"".join(json.dumps(row).encode() + b"\n" for row in rows)


@pytest.fixture
def judged(steelyard):
    """Evaluate a task over rows in a format; predictions in a file of their own where they are given."""

    def run(task, items, outputs=None, *arguments, form="jsonl"):
        Path(f"items.{form}").write_bytes(written(form, items))
        given = ["--dataset", f"items.{form}"]
        if outputs is not None:
            Path(f"outputs.{form}").write_bytes(written(form, outputs))
            given += ["--predictions", f"outputs.{form}"]
        Path("task.yaml").write_text(json.dumps(task), encoding="utf-8")
        return steelyard("eval", "task.yaml", *given, "--json", *arguments)

    return run


@pytest.fixture(params=["items", "columns"])
def path(request, monkeypatch):
    """Both ways through the evaluation: row by row, and by columns however small the file."""
    smallest = 0 if request.param == "columns" else 1 << 40
    monkeypatch.setattr(streaming, "block_path", lambda *given, **more: block_path(*given, smallest=smallest, **more))


def refused(finished, code, *words):
    """Hold an answer to: exit 2 or 3, one code, these words in what is said, and no run left behind."""
    assert finished.code in (2, 3), finished.err
    assert {problem["code"] for problem in finished.problems} == {code}
    said = "\n".join(f"{problem['message']} {problem['hint']}" for problem in finished.problems)
    assert all(word in said for word in words), said
    assert not list(Path().glob("runs/*"))


def test_the_rows_are_good_where_every_name_is(judged, path):
    for outputs in (None, OUTPUTS):
        found = judged(BASE, BOTH if outputs is None else ITEMS, outputs, "--name", f"good-{outputs is None}")
        assert found.code == 0, found.err
        assert json.loads(found.out)["scorecard"]["states"]["scored"] == 2


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("own", [True, False], ids=["own predictions", "a file of predictions"])
def test_a_prediction_field_that_no_row_has_is_refused(judged, form, own):
    task = BASE | {"fields": {"prediction": "anwser"}}
    found = judged(task, BOTH if own else ITEMS, None if own else OUTPUTS, form=form)
    refused(found, "unknown-field", "'anwser'", "named as the prediction", "did you mean 'answer'?")


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(
    ("fields", "near"),
    [
        ({"id": "idd"}, "id"), ({"reference": "expected_anwser"}, "expected_answer"), ({"input": "promt"}, "prompt"),
        ({"choices": "answers"}, "answer"), ({"conversation": "idd"}, "id"), ({"turn": "lan"}, "lang"),
        ({"confidence": "answr"}, "answer"),
    ],
)  # fmt: skip
def test_every_field_that_a_task_names_must_be_in_some_row(judged, form, fields, near):
    found = judged(BASE | {"fields": {"prediction": "answer", **fields}}, BOTH, form=form)
    refused(found, "unknown-field", *fields.values(), f"did you mean '{near}'?", "the fields are id, prompt")


@pytest.mark.parametrize("own", [True, False], ids=["own predictions", "a file of predictions"])
@pytest.mark.parametrize("fields", [{"prediction": "anwser"}, {"prediction": "answer", "reference": "gold"}])
def test_both_ways_through_refuse_a_field_that_no_row_has(judged, path, own, fields):
    found = judged(BASE | {"fields": fields}, BOTH if own else ITEMS, None if own else OUTPUTS)
    refused(found, "unknown-field", list(fields.values())[-1])


@pytest.mark.parametrize("name", ["meta.answer", "answer.0.text", "meta.anwser"])
def test_a_path_that_leads_nowhere_in_every_row_is_refused(judged, path, name):
    outputs = [{"id": row["id"], "meta": {"text": row["answer"]}} for row in OUTPUTS]
    refused(judged(BASE | {"fields": {"prediction": name}}, ITEMS, outputs), "unknown-field", name, "meta.text")


def test_the_prediction_field_of_the_command_line_is_held_to_the_rows_too(judged):
    refused(judged(BASE, ITEMS, OUTPUTS, "--prediction-field", "anser"), "unknown-field", "did you mean 'answer'?")


@pytest.mark.parametrize(
    ("metric", "word"),
    [
        ({"type": "exact_match", "pred_field": "pred_mod", "label_field": "gt_mood"}, "pred_field of exact_match"),
        ({"type": "exact_match", "pred_field": "pred_mood", "label_field": "gt_mod"}, "label_field of exact_match"),
    ],
)
@pytest.mark.parametrize("first", [True, False], ids=["the first metric", "the second metric"])
def test_the_fields_of_seed_003_are_held_to_the_rows(judged, metric, word, first):
    good = {"type": "exact_match", "pred_field": "pred_tone", "label_field": "gt_tone"}
    rows = [{"id": "a", "gt_mood": "up", "pred_mood": "up", "gt_tone": "low", "pred_tone": "low"}]
    task = {"name": "moods", "answer_type": "choice", "metrics": [metric, good] if first else [good, metric]}
    refused(judged(task, rows), "unknown-field", word, "mood")


@pytest.mark.parametrize("form", FORMATS)
def test_predictions_for_other_items_alone_are_refused(judged, form):
    found = judged(BASE, ITEMS, [row | {"id": f"x{row['id']}"} for row in OUTPUTS], form=form)
    refused(found, "unknown-id", "begin with a, b", "with xa, xb")
    assert found.code == 3


@pytest.mark.parametrize("form", FORMATS)
def test_an_evaluation_without_predictions_is_refused(judged, form):
    found = judged({"task": "sums", "answer_type": "text"}, ITEMS, form=form)
    refused(found, "no-predictions", "--predictions FILE", "--model SPEC", "its fields are id, prompt")


def test_both_ways_through_refuse_an_evaluation_without_predictions(judged, path):
    refused(judged({"task": "sums", "answer_type": "text"}, ITEMS), "no-predictions")


@pytest.mark.parametrize("form", FORMATS)
def test_a_file_of_predictions_without_a_known_field_is_refused(judged, form):
    rows = [{"id": row["id"], "completion": row["answer"]} for row in OUTPUTS]
    found = judged({"task": "sums", "answer_type": "text"}, ITEMS, rows, form=form)
    refused(found, "no-predictions", "none of prediction, predicted", "the fields are id, completion")


def test_some_rows_without_a_prediction_are_missing_items(judged, path):
    found = judged(BASE, [BOTH[0], ITEMS[1]])
    assert json.loads(found.out)["scorecard"]["states"] == {
        "scored": 1, "unparsed": 0, "missing": 1, "failed": 0, "timeout": 0,
    }  # fmt: skip


@pytest.mark.parametrize("row", [{"state": "missing"}, {"error": "out of memory"}, {"state": "timeout"}])
def test_rows_that_say_themselves_that_there_is_no_output_are_a_run(judged, row):
    found = judged(BASE, ITEMS, [{"id": "a", **row}, {"id": "b", **row}])
    assert (found.code, json.loads(found.out)["scorecard"]["n_scored"]) == (0, 0)


def test_quarantine_that_leaves_no_answer_is_refused(judged):
    Path("outputs.jsonl").write_bytes(b"nothing\nat all\n")
    Path("task.yaml").write_text(json.dumps(BASE | {"predictions": "outputs.jsonl"}), encoding="utf-8")
    found = judged(BASE | {"predictions": "outputs.jsonl"}, ITEMS, None, "--bad-rows", "quarantine")
    refused(found, "no-predictions", "all 2 rows of predictions were set aside")


def test_a_gold_set_that_no_prediction_is_for_is_refused(judged, recwarn):
    gold = [{"id": "g", "prompt": "1 + 1?", "expected_answer": "2"}]
    Path("gold.jsonl").write_bytes(written("jsonl", gold))
    refused(judged(BASE | {"eval": {"gold_set": "gold.jsonl"}}, ITEMS, OUTPUTS), "no-predictions", "gold set")
    answered = judged(BASE | {"eval": {"gold_set": "gold.jsonl"}}, ITEMS, [*OUTPUTS, {"id": "g", "answer": "2"}])
    assert json.loads(answered.out)["metrics"]["gold_set_accuracy"] == 1.0


def test_a_reference_field_that_no_gold_row_has_is_refused(judged):
    Path("gold.jsonl").write_bytes(written("jsonl", [{"id": "g", "prompt": "1 + 1?", "answer": "2"}]))
    task = BASE | {"fields": {"prediction": "answer", "reference": "expected_answer"}}
    found = judged(task | {"eval": {"gold_set": "gold.jsonl"}}, ITEMS, OUTPUTS)
    refused(found, "unknown-field", "'expected_answer'", "the fields are id, prompt, answer")
    assert found.problems[0]["file"] == "gold.jsonl"


@pytest.mark.parametrize("keys", ["lnag", "lang+lnag", "lang,lnag"])
@pytest.mark.parametrize("form", FORMATS)
def test_a_slice_by_a_tag_of_no_item_is_refused(judged, keys, form):
    found = judged(BASE, ITEMS, OUTPUTS, "--slice-by", keys, form=form)
    refused(found, "unknown-tag", "no item has the tag 'lnag'", "did you mean 'lang'?")


def test_both_ways_through_refuse_a_slice_by_a_tag_of_no_item(judged, path):
    task = BASE | {"eval": {"slice_by_tags": ["lang", ["lang", "sectoin"]]}, "tag_fields": ["lang"]}
    refused(judged(task, ITEMS, OUTPUTS), "unknown-tag", "'sectoin'", "the tags are lang")


def test_a_tag_that_some_items_lack_has_a_slice_for_those(judged, path):
    items = [ITEMS[0] | {"tags": {"source": "human"}}, ITEMS[1]]
    found = judged(BASE, items, OUTPUTS, "--slice-by", "source,lang")
    slices = json.loads(found.out)["slices"]
    assert {key: sorted(values) for key, values in slices.items()} == {
        "source": ["_untagged", "human"],
        "lang": ["de", "en"],
    }


def test_a_row_s_own_tags_come_before_a_field_of_the_same_name(judged, path):
    items = [item | {"tags": {"lang": "formal"}} for item in ITEMS]
    found = judged(BASE, items, OUTPUTS, "--slice-by", "lang")
    assert list(json.loads(found.out)["slices"]["lang"]) == ["formal"]


@pytest.mark.parametrize("key", ["length_bucket", "answer_type"])
def test_tags_that_are_derived_stay_valid(judged, path, key):
    assert key in json.loads(judged(BASE, ITEMS, OUTPUTS, "--slice-by", key).out)["slices"]


@pytest.mark.parametrize("key", ["turn", "operations"])
def test_a_derived_tag_that_no_item_gives_is_refused_with_what_it_is_derived_from(judged, key):
    refused(judged(BASE, ITEMS, OUTPUTS, "--slice-by", key), "unknown-tag", f"'{key}', which is derived from")


def test_a_cluster_that_no_row_has_is_refused(judged, path):
    refused(judged(BASE, ITEMS, OUTPUTS, "--cluster-by", "lnag"), "unknown-field", "clustered by", "'lang'")
    assert judged(BASE, ITEMS, OUTPUTS, "--cluster-by", "lang").code == 0


@pytest.mark.parametrize("named", [{"fields": {"reference": "gold"}}, {"eval": {"slice_by_tags": ["lnag"]}}])
def test_names_are_held_to_the_rows_before_a_model_is_asked(judged, steelyard, named):
    Path("asked.py").write_text("def answer(item):\n    raise SystemError('asked')\n", encoding="utf-8")
    found = judged({"task": "sums", "answer_type": "text", **named}, ITEMS, None, "--model", "python:asked:answer")
    assert found.problems[0]["code"] in ("unknown-field", "unknown-tag")
    assert not list(Path().glob("runs/*"))


def test_an_output_without_a_metrics_field_is_unparsed(judged):
    Path("plain.py").write_text('def answer(item):\n    return \'{"tone": "up"}\'\n', encoding="utf-8")
    metric = {"type": "exact_match", "pred_field": "pred_mood", "label_field": "gt_mood"}
    task = {"name": "moods", "answer_type": "choice", "metrics": [metric]}
    found = judged(task, [{"id": "a", "prompt": "?", "gt_mood": "up"}], None, "--model", "python:plain:answer")
    assert found.code == 0
    assert json.loads(found.out)["scorecard"]["states"]["unparsed"] == 1


@pytest.mark.parametrize("pattern", ["[[:alpha:]]+", r"\p{L}+", "yes(?i)", r"\bno\K", "[a--b]"])
@pytest.mark.parametrize(
    "task",
    [
        lambda pattern: {"eval": {"format_rules": [{"name": "it", "pattern": pattern}]}},
        lambda pattern: {"eval": {"format_rules": [{"name": "it", "json_schema": {"items": {"pattern": pattern}}}]}},
        lambda pattern: {"extract": {"regex": pattern}},
        lambda pattern: {"extract_reference": {"regex": pattern}},
    ],
    ids=["a rule", "a schema", "extract", "extract_reference"],
)
def test_a_pattern_that_python_refuses_or_warns_of_is_refused_at_load(judged, task, pattern):
    refused(judged(BASE | task(pattern), ITEMS, OUTPUTS), "bad-pattern", pattern.replace("\\", "\\\\"))


def test_a_rule_means_what_python_means_beyond_ascii(judged):
    """`regex` takes a combining mark for part of a word, and a superscript for none; Python has it the other way."""
    rules = [{"name": "word", "pattern": r"^\w+$"}, {"name": "end", "pattern": r"cafe\b.*$"}]
    outputs = [{"id": "a", "answer": "x\u00b2"}, {"id": "b", "answer": "cafe\u0301"}]
    found = judged(BASE | {"eval": {"format_rules": rules}}, ITEMS, outputs)
    rates = {name: entry["value"] for name, entry in json.loads(found.out)["format_rules"].items()}
    assert rates == {"word": 0.5, "end": 0.5}
