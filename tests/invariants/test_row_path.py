"""Whatever a file holds and whatever is asked of it, rows in blocks and rows one by one leave the same bytes."""

import csv
import gzip
import json
import random
import tempfile
import warnings
from dataclasses import dataclass, field, replace
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from steelyard.errors import SteelyardError
from steelyard.items import scan
from steelyard.judging.forms import BlockScoring
from steelyard.judging.path import block_path
from steelyard.kinds.task import streaming
from steelyard.kinds.task.order import evaluate
from steelyard.tasks.loading import EvaluateOptions

TASK = {
    "task": "one-path",
    "answer_type": "text",
    "metrics": ["exact_match", {"name": "f1", "normalize": "squad"}],
    "eval": {"slice_by_tags": ["source"], "hard_examples": 5},
}
WORDS = [
    "the",
    "cat",
    "sat",
    "naïve",
    "营收",
    "x<y",
    "<think>so</think>",
    "…",
    '"q"',
    "\\",
    "\u200b",
    "ANSWER: a",
    "3.5",
]


@dataclass(frozen=True)
class Case:
    """Two files and what is asked of them."""

    items: list
    predictions: list | bytes | None
    options: dict = field(default_factory=dict)
    task: dict = field(default_factory=lambda: TASK)
    suffix: str = ".jsonl"
    prediction_suffix: str = ".jsonl"


@pytest.fixture
def both_ways(tmp_path, monkeypatch):
    """Evaluates a case row by row and in blocks, and returns what each left: files by name, or its error."""
    monkeypatch.setattr(scan, "BLOCK_BYTES", 2048)
    return lambda case: [evaluated(case, tmp_path, monkeypatch, smallest) for smallest in (1 << 60, 0)]


def evaluated(case, folder, monkeypatch, smallest):
    name = "blocks" if smallest == 0 else "rows"
    dataset = written(folder / f"data{case.suffix}", case.items)
    given = {"dataset": str(dataset)}
    if case.predictions is not None:
        given["predictions"] = str(written(folder / f"out{case.prediction_suffix}", case.predictions))
    monkeypatch.setattr(streaming, "block_path", lambda *args: block_path(*args, smallest=smallest))
    runs = Path(tempfile.mkdtemp(dir=folder))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = evaluate(EvaluateOptions(task=case.task, name=name, runs_dir=runs, **given, **case.options))
    except SteelyardError as error:
        return error.as_dict()
    files = {
        str(path.relative_to(found.path)): path.read_bytes()
        for path in sorted(found.path.rglob("*"))
        if path.is_file() and path.name not in ("run.json", "environment.json", "lock", "report.html", "report.md")
    }
    return files | {"unknown": found.unknown_ids}


def written(path, rows):
    names = path.name.split(".")
    if isinstance(rows, bytes):
        path.write_bytes(rows)
    elif "csv" in names:
        with path.open("w", newline="", encoding="utf-8") as stream:
            writer = csv.DictWriter(stream, list(dict.fromkeys(name for row in rows for name in row)))
            writer.writeheader()
            writer.writerows(rows)
    elif "parquet" in names:
        pl.DataFrame(rows).write_parquet(path)
    elif "json" in names:
        path.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    else:
        content = b"".join(row if isinstance(row, bytes) else json.dumps(row).encode() + b"\n" for row in rows)
        path.write_bytes(gzip.compress(content) if names[-1] == "gz" else content)
    return path


def assert_same(found):
    rows, blocks = found
    assert blocks.keys() == rows.keys()
    for name in rows:
        assert blocks[name] == rows[name], name


def made(seed, count=90, *, flat=False):
    """Items and their predictions, as they come."""
    chance = random.Random(seed)

    def text():
        return " ".join(chance.choices(WORDS, k=chance.randint(1, 6)))

    items, predictions = [], []
    for number in range(count):
        name = f"i{number}" if flat or number % 7 else number
        item = {"id": name, "input": text(), "reference": text() + " ref"}
        answer = {"id": name, "prediction": text()}
        if not flat:
            item["tags"] = {"source": chance.choice(["human", "web", None])}
            match number % 13:
                case 1:
                    answer |= {"state": "failed", "error": "boom"}
                case 2:
                    answer |= {"latency_ms": 3.5, "tokens_in": 7, "notes": ["a", "b"]}
                case 3:
                    item |= {"reference": {"value": "typed", "keywords": ["cat"]}}
                case 4:
                    answer |= {"prediction": {"value": "typed"}, "more": {"x": [1]}}
        items.append(item)
        predictions.append(answer)
    return items, predictions


CHANGES = ["swapped", "shuffled", "missing", "twice", "unknown", "blank", "cut", "nameless"]


def changed(predictions, change, chance):
    rows = list(predictions)
    place = chance.randrange(1, len(rows))
    match change:
        case "swapped":
            rows[place - 1], rows[place] = rows[place], rows[place - 1]
        case "shuffled":
            chance.shuffle(rows)
        case "missing":
            del rows[place - 1 : place + chance.randrange(3)]
        case "twice":
            rows.insert(chance.randrange(len(rows)), dict(rows[place]) if isinstance(rows[place], dict) else b"\n")
        case "unknown":
            rows.insert(place, {"id": f"nobody{place}", "prediction": "x"})
        case "blank":
            rows.insert(place, b" \t\r\n")
        case "cut":
            rows[place] = b'{"id": "i5", "predic\n'
        case "nameless":
            rows[place] = {"prediction": "whose?"}
    return rows


OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "bad_rows": st.just("quarantine"),
        "limit": st.integers(1, 100),
        "sample_size": st.integers(1, 100),
        "seed": st.integers(0, 3),
        "workers": st.integers(1, 2),
        "max_depth": st.sampled_from([2, 3]),
    },
)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    seed=st.integers(0, 10**6),
    changes=st.lists(st.sampled_from(CHANGES), max_size=3),
    options=OPTIONS,
    suffix=st.sampled_from([".jsonl", ".jsonl.gz"]),
)
def test_two_files_in_any_state_leave_the_same_bytes(both_ways, seed, changes, options, suffix):
    items, predictions = made(seed)
    chance = random.Random(seed)
    for change in changes:
        predictions = changed(predictions, change, chance)
    if "sample_size" in options:
        options = {name: value for name, value in options.items() if name != "limit"}
    assert_same(both_ways(Case(items, predictions, options, prediction_suffix=suffix)))


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 10**6), options=OPTIONS, bad=st.integers(0, 2))
def test_rows_with_their_own_predictions_leave_the_same_bytes(both_ways, seed, options, bad):
    items, predictions = made(seed)
    rows = [{**item, **answer} for item, answer in zip(items, predictions, strict=True)]
    for _ in range(bad):
        rows = changed(rows, random.Random(seed).choice(["twice", "cut", "nameless", "blank"]), random.Random(seed))
    if "sample_size" in options:
        options = {name: value for name, value in options.items() if name != "limit"}
    assert_same(both_ways(Case(rows, None, options)))


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".parquet", ".json"])
@pytest.mark.parametrize("change", ["none", "shuffled", "unknown"])
def test_every_format_leaves_the_same_bytes(both_ways, suffix, change):
    items, predictions = made(5, flat=True)
    predictions = changed(predictions, change, random.Random(5))
    if suffix == ".tsv":
        items, suffix = [{**item, "input": item["input"].replace("\t", " ")} for item in items], ".csv"
    case = Case(items, predictions, suffix=suffix, prediction_suffix=suffix)
    assert_same(both_ways(case))
    together = [{**item, **predictions[0], **item} for item in items]
    assert_same(both_ways(replace(case, items=together, predictions=None)))


@pytest.mark.parametrize("bad", ["ragged", "quote", "nameless"])
@pytest.mark.parametrize("options", [{}, {"bad_rows": "quarantine"}])
def test_bad_records_of_csv_files_are_the_same_either_way(both_ways, bad, options):
    items, predictions = made(6, flat=True)
    lines = [f"{row['id']},cat\n" for row in predictions]
    lines[9] = {"ragged": "i9,a,b,c\n", "quote": 'i9,"a"b\n', "nameless": ",x\n"}[bad]
    content = "".join(["id,prediction\n", *lines]).encode()
    assert_same(both_ways(Case(items, content, options, prediction_suffix=".csv")))


def test_a_gold_set_finds_its_predictions_in_any_order(both_ways, tmp_path):
    items, predictions = made(8)
    gold = [{"id": f"g{number}", "input": "q", "reference": "the cat"} for number in range(30)]
    answers = [{"id": row["id"], "prediction": "the cat"} for row in gold[:25]]
    (tmp_path / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in [*gold, items[3], items[60]]))
    task = {**TASK, "eval": {**TASK["eval"], "gold_set": str(tmp_path / "gold.jsonl")}}
    everything = [*predictions, *answers, b'{"id": "i5", "predic\n']
    random.Random(1).shuffle(everything)
    for options in ({"bad_rows": "quarantine"}, {"bad_rows": "quarantine", "limit": 40}):
        found = both_ways(Case(items, everything, options, task))
        assert_same(found)
        metrics = json.loads(found[1]["eval/eval_results.json"])["metrics"]
        assert metrics["gold_set_accuracy"] == pytest.approx(25 / 32)


@pytest.mark.parametrize("fields", [{}, {"conversation": "dialogue", "turn": "step"}])
@pytest.mark.parametrize("cluster_by", [None, "source"])
def test_conversations_and_turns_are_columns(both_ways, fields, cluster_by):
    items, predictions = made(9)
    names = fields.get("conversation", "conversation_id"), fields.get("turn", "turn_idx")
    values = [("c1", 0), (7, 1), ("", 2), (None, "x"), (True, 2.5), ("é", 10**20), ("c1", -1)]
    for number, item in enumerate(items):
        item |= dict(zip(names, values[number % 7], strict=True))
    task = {**TASK, "fields": fields, "cluster_by": cluster_by}
    assert_same(both_ways(Case(items, predictions, task=task)))


def test_rows_with_their_own_type_or_choices_are_judged_beside_the_others(both_ways):
    rows = [
        {"id": f"i{number}", "input": "q", "reference": "B", "prediction": "b"}
        | ({"options": ["A", "B", "C"]} if number % 5 == 0 else {})
        for number in range(80)
    ]
    task = {"task": "choices", "answer_type": "choice", "choices": ["A", "B"], "fields": {"choices": "options"}}
    assert_same(both_ways(Case(rows, None, task=task)))
    mixed = [{**row, "answer_type": ["text", "choice", "list"][place % 3]} for place, row in enumerate(rows)]
    assert_same(both_ways(Case(mixed, None, task={"task": "mixed", "answer_type": "mixed", "choices": ["A", "B"]})))


SHORT = {"name": "short", "max_tokens": 3}
EXTRACTIONS = [
    *("answer_line", "last_number", "boxed", "choice_letter"),
    {"json_field": "answer"},
    {"regex": r"is:? (\S+)"},
]
SAID = [
    *(
        "Answer: ",
        "the answer is ",
        "**Answer:** ",
        "答案：",
        "answer is: ",
        "so ",
        "<think>x</think> ",
        "\n#### ",
        "Answer:\n",
    ),
    *('{"answer": "cat"} ', '{"answer": 7} ', '{"answer": "\\ud800"} ', '{"answer": "\\u003cthink\\u003e7"} '),
    *(
        "\\boxed{cat} ",
        "\\boxed{\\text{7}}",
        "(B)",
        "7",
        "1,200.5",
        "12.5%",
        "seven",
        "cat. ",
        "**cat**",
        "é",
        "a, b",
        "\n",
        ".",
    ),
]


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    outputs=st.lists(st.lists(st.sampled_from(SAID), max_size=5).map("".join), min_size=5, max_size=40),
    extract=st.sampled_from(EXTRACTIONS),
    kind=st.sampled_from(["text", "number", "list"]),
    prompt=st.sampled_from([None, "{input}\nAnswer:"]),
    scorers=st.sampled_from([["text"], ["answer_correctness"], ["text", "answer_correctness"]]),
)
def test_answers_extracted_by_columns_leave_the_same_bytes(both_ways, outputs, extract, kind, prompt, scorers):
    reference = {"text": "cat", "number": "7", "list": "a, b"}[kind]
    rows = [
        {"id": f"i{number}", "input": "q", "reference": reference, "prediction": number if number % 9 == 8 else output}
        | ({"tags": {"source": "ab"[number % 2]}} if number % 3 else {})
        for number, output in enumerate(outputs)
    ]
    task = {"task": "extracted", "answer_type": kind, "extract": extract, "choices": ["A", "B"]}
    if kind == "text":
        task |= {"metrics": ["f1", "chrf", "rouge2"], "scorers": scorers, "eval": {"format_rules": [SHORT]}}
    assert_same(both_ways(Case(rows, None, task=task | ({"prompt": prompt} if prompt else {}))))


@pytest.mark.parametrize("kind", ["text", "number"])
def test_ordinary_outputs_with_an_answer_line_are_judged_by_columns(both_ways, kind, monkeypatch):
    counted = []
    scored = BlockScoring.scored

    def counting(*given):
        plain, block = scored(*given)
        counted.append(len(block))
        return plain, block

    monkeypatch.setattr(BlockScoring, "scored", counting)
    rows = [
        {"id": f"i{number}", "input": "q", "reference": f"{number}", "prediction": f"Let me see… Answer: {number % 50}"}
        for number in range(80)
    ]
    assert_same(both_ways(Case(rows, None, task={"task": "a", "answer_type": kind, "extract": "answer_line"})))
    assert sum(counted) == len(rows)


def test_a_file_of_blank_lines_holds_no_rows_either_way(both_ways):
    found = both_ways(Case([b"\n"] * 9, None))
    assert_same(found)
    assert found[0]["problems"][0]["code"] == "empty-file"
