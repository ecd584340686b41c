"""The files of a task: items, predictions of two runs, a model that knows the answers, and what is odd about them."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars

from tests.ways.places import BASE, GOOD, write_rows

ITEMS = 24
WRONG = {BASE: 4, GOOD: 8}
"""Every fourth answer of the baseline is wrong, and every eighth of the candidate."""
TASK = {
    "task": "words",
    "dataset": "items.jsonl",
    "answer_type": "text",
    "prompt": "{prompt}",
    "scorers": ["answer_correctness@v1"],
    "metrics": ["f1", "exact_match"],
}
ANSWERING = """
import json, os, signal

def _answer(item, every):
    if int(item.id[1:]) == 13 and os.path.exists("deadly"):
        os.kill(os.getpid(), signal.SIGKILL)
    said = "nothing" if int(item.id[1:]) % every == 0 else json.loads(item["note"])
    return {"prediction": said, "latency_ms": 3.5, "prompt_tokens": 4, "completion_tokens": 2}

def base(item):
    return _answer(item, 4)

def good(item):
    return _answer(item, 8)

def base_failing(item):
    if int(item.id[1:]) in (4, 5):
        raise ValueError("no idea")
    return base(item)

def good_failing(item):
    return base_failing(item) if int(item.id[1:]) == 4 else good(item)
"""


def items(**more: Any) -> list[dict[str, Any]]:
    """Return the items of a task; `note` is the answer as JSON, for callables to know it."""
    return [
        {
            "id": f"i{n}", "prompt": f"word {n}?", "expected_answer": f"word{n}", "note": json.dumps(f"word{n}"),
            "tags": {"source": "ab"[n % 2], "difficulty": "easy" if n % 3 else "hard"}, "talk": f"t{n // 4}", **more,
        }
        for n in range(ITEMS)
    ]  # fmt: skip


def output(run: str, n: int) -> str:
    """Return what a run says to an item."""
    return f"word{n}" if n % WRONG[run] else "nothing"


def predictions(run: str) -> list[dict[str, Any]]:
    """Return the predictions of a run."""
    return [{"id": f"i{n}", "prediction": output(run, n), "latency_ms": 3.5, "tokens_out": 2} for n in range(ITEMS)]


Change = Callable[[list[dict[str, Any]]], list[dict[str, Any]]]


def files(*, rows: list[dict[str, Any]] | None = None, change: Change = list, to: str = ".jsonl", **task: Any) -> None:
    """Write a task, its items and the predictions of both runs; `change` is what is odd about the predictions."""
    Path("task.yaml").write_text(json.dumps(TASK | task))
    Path("answering.py").write_text(ANSWERING)
    write_rows(str(task.get("dataset", "items.jsonl")), items() if rows is None else rows)
    for run in (BASE, GOOD):
        write_rows(f"{run}{to}", change(predictions(run)))


def shuffled(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return rows in another order."""
    return random.Random(5).sample(rows, len(rows))


def with_unknown(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return predictions with three of items that are in no dataset."""
    return [*rows, *({"id": f"nobody{n}", "prediction": "x"} for n in range(3))]


def with_bad_lines(*, long: int = 0, unaccounted: bool = False) -> None:
    """Write predictions with lines that cannot be read: cut short, too long, or without an id that could be told."""
    files()
    for run in (BASE, GOOD):
        lines = Path(f"{run}.jsonl").read_text().splitlines()
        lines[7] = lines[7][:-1]
        lines[9] = '{"prediction": ' if unaccounted else lines[9][:-2]
        lines[11] = lines[11].replace('"prediction"', f'"reasoning": "{"x" * long}", "prediction"')
        Path(f"{run}.jsonl").write_text("\n".join(lines) + "\n")


KEY = "Qv73mw2k-5Rt8NsC-64y"
"""A key that stands in `.env`, and so in nothing that a run keeps."""


def with_key() -> None:
    """Write a key into `.env`, into an item and into what was said to two others."""
    rows = items()
    rows[3]["prompt"] += f" {KEY}"
    said = {5: KEY, 6: f"word6 {KEY}"}
    files(
        rows=rows,
        change=lambda given: [row | {"prediction": said.get(n, row["prediction"])} for n, row in enumerate(given)],
    )
    Path(".env").write_text(f"OPENAI_API_KEY={KEY}\n")


def with_depth() -> None:
    """Write items with a row that is nested deeper than is read by default."""
    rows = items()
    value: Any = "deep"
    for _ in range(100):
        value = [value]
    rows[5]["extra"] = value
    files(rows=rows)


def carried() -> None:
    """Write items whose rows carry the answers of both runs."""
    files(rows=[row | {run: output(run, n) for run in (BASE, GOOD)} for n, row in enumerate(items())])


def carried_alone() -> None:
    """Write items whose rows carry their prediction, one file for each run."""
    files()
    for run in (BASE, GOOD):
        write_rows(f"{run}.jsonl", [row | {"prediction": output(run, n)} for n, row in enumerate(items())])


def tables() -> None:
    """Write items and predictions as CSV."""
    files(dataset="items.csv")
    for name, rows in [("items", items()), *((run, predictions(run)) for run in (BASE, GOOD))]:
        flat = [{key: value for key, value in row.items() if key != "tags"} for row in rows]
        with Path(f"{name}.csv").open("w", newline="") as stream:
            writer = csv.DictWriter(stream, flat[0])
            writer.writeheader()
            writer.writerows(flat)


def parquet() -> None:
    """Write items and predictions as Parquet."""
    files()
    for name, rows in [("items", items()), *((run, predictions(run)) for run in (BASE, GOOD))]:
        polars.DataFrame(rows).write_parquet(f"{name}.parquet")


def packed() -> None:
    """Write packed items."""
    files(dataset="items.jsonl.gz")


def with_gold() -> None:
    """Write a gold set whose items are in no dataset, with their predictions among the others."""
    files(
        change=lambda rows: [*rows, {"id": "g0", "prediction": "gold0"}, {"id": "g1", "prediction": "lead"}],
        eval={"gold_set": "gold.jsonl"},
    )
    write_rows("gold.jsonl", [{"id": f"g{n}", "prompt": "gold?", "expected_answer": f"gold{n}"} for n in range(2)])


def asked_gold() -> None:
    """Write a gold set among the items that a model is asked for."""
    files(eval={"gold_set": "gold.jsonl"})
    write_rows("gold.jsonl", items()[:4])


def with_profile(**task: Any) -> None:
    """Write a scoring profile, and a task that names it where the command line does not."""
    files(scorers=[], metrics=None, **task)
    Path("profile.yaml").write_text(
        json.dumps({"scorers": {"text": {"primary_metric": "exact_match", "pass_threshold": 1.0, "metrics": ["f1"]}}})
    )


def every_key() -> None:
    """Write a task that says about data, prompt and gates what others leave to the defaults."""
    rows = [{"key" if name == "id" else name: value for name, value in row.items()} for row in items()]
    files(
        rows=rows, version="2", prompt=None, prompt_file="prompt.txt", prompt_version="words.v2",
        generation={"max_new_tokens": 8, "seed": 3}, tag_fields=["talk"], cluster_by="talk",
        fields={"id": "key", "input": "prompt", "reference": "expected_answer"},
        gates=[{"metric": "f1", "min": 0.1}], parse_schema={"type": "object"},
        eval={"slice_by_tags": ["source", ["source", "talk"]], "hard_examples": 4},
    )  # fmt: skip
    content = json.loads(Path("task.yaml").read_text())
    Path("task.yaml").write_text(json.dumps({name: value for name, value in content.items() if value is not None}))
    Path("prompt.txt").write_text("Say it: {prompt}")


def own_predictions() -> None:
    """Write a task for each run that names its predictions."""
    files()
    for run in (BASE, GOOD):
        Path(f"{run}.yaml").write_text(json.dumps(TASK | {"predictions": f"{run}.jsonl"}))


def own_model() -> None:
    """Write a task for each run that names its model."""
    files()
    for run in (BASE, GOOD):
        Path(f"{run}.yaml").write_text(json.dumps(TASK | {"model": f"python:answering:{run}"}))


def suite() -> None:
    """Write a suite of two tasks for each run."""
    for run in (BASE, GOOD):
        for task in ("one", "two"):
            content = TASK | {"task": task, "predictions": f"{run}.jsonl"}
            Path(f"{run}-{task}.yaml").write_text(json.dumps(content))
        Path(f"{run}.yaml").write_text(json.dumps({"suite": "both", "tasks": [f"{run}-one.yaml", f"{run}-two.yaml"]}))
    files()


def worked(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return predictions whose answer stands in a line of its own."""
    return [row | {"prediction": f"Let me see.\nAnswer: {row['prediction']}"} for row in rows]
