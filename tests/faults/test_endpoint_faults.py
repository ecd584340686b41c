"""Every fault of an endpoint at once, over real HTTP, with 64 requests at a time."""

import json
import time
from collections import Counter
from dataclasses import replace

import polars
import pytest

from steelyard.errors import IncompleteError
from steelyard.kinds.task.order import evaluate
from steelyard.store.directories import read_run
from steelyard.tasks.loading import EvaluateOptions
from tests.serving import Scripted, serving

PASSING = ("fine", "throttled", "throttled-after", "broken-once", "unavailable", "reset", "half", "cut-off")
FAILING = ("broken", "garbage", "shapeless", "null", "endless", "redirect", "too-long")
HANGING = ("drip", "silent")
EACH = 12
DEADLINE = 4.0


@pytest.fixture
def items(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    kinds = [*PASSING, *FAILING, *HANGING]
    rows = [
        {"id": f"{kind}-{n}", "prompt": f"{kind} {n}", "expected_answer": "x"} for n in range(EACH) for kind in kinds
    ]
    (tmp_path / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return rows


def test_each_item_ends_in_one_state_no_answer_goes_astray_and_the_end_comes_in_time(items, monkeypatch, tmp_path):
    script = Scripted(hold=0.25)
    task = {"task": "faults", "dataset": "items.jsonl", "prompt": "{prompt}"}
    given = {"name": "faults", "concurrency": 64, "deadline": DEADLINE, "cache": False}
    options = EvaluateOptions(task=task, model="openai:tiny", **given)
    start = time.monotonic()
    with serving(script) as url:
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        with pytest.raises(IncompleteError, match="have no answer"):
            evaluate(options)
    took = time.monotonic() - start
    lines = [json.loads(line) for line in (tmp_path / "runs/faults/predictions.jsonl").read_text().splitlines()]
    assert Counter(line["item_id"] for line in lines) == Counter(row["id"] for row in items)
    states = {line["item_id"]: line.get("state", "answered") for line in lines}
    for kinds, state in ((PASSING, "answered"), (FAILING, "failed"), (HANGING, "timeout")):
        assert {states[f"{kind}-{n}"] for kind in kinds for n in range(EACH)} == {state}
    for line in lines:
        kind, _, number = line["item_id"].rpartition("-")
        if kind in PASSING and kind != "cut-off":
            assert line["prediction"] == f"echo {kind} {number}"
    # The server sees a request that the client gave up for a moment longer, so its count may pass 64.
    assert 48 <= script.most_under_way <= 96
    assert took < 2 * len(items) / 64 * DEADLINE + 10
    assert read_run(tmp_path / "runs" / "faults").status == "over_budget"
    found = polars.read_parquet(tmp_path / "runs" / "faults" / "eval" / "items.parquet")["state"].value_counts()
    skipped = {"failed": len(FAILING) * EACH, "timeout": len(HANGING) * EACH}
    assert {state: dict(found.iter_rows())[state] for state in skipped} == skipped
    print(f"\n{len(items)} items in {took:.1f} s: {dict(Counter(states.values()))}")


@pytest.mark.parametrize("fault", ["key", "forbidden", "unknown"])
def test_a_refusal_stops_the_run_at_once_and_it_can_be_resumed(items, monkeypatch, tmp_path, fault):
    script = Scripted()
    task = {"task": "faults", "dataset": "items.jsonl", "prompt": fault + " {prompt}"}
    options = EvaluateOptions(task=task, model="openai:tiny", name="refused", concurrency=64, cache=False)
    with serving(script) as url:
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        with pytest.raises(IncompleteError, match="model-refused"):
            evaluate(options)
        assert sum(script.seen.values()) <= 128
    assert read_run(tmp_path / "runs" / "refused").status == "failed"


def test_a_refused_run_has_nothing_in_its_journal_and_asks_for_everything_when_it_is_resumed(
    items, monkeypatch, tmp_path
):
    task = {"task": "faults", "dataset": "items.jsonl", "prompt": "too-long {prompt}"}
    options = EvaluateOptions(task=task, model="openai:tiny", name="refused", concurrency=8, cache=False)
    script = Scripted()
    with serving(script) as url:
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        with pytest.raises(IncompleteError, match="answers 400"):
            evaluate(options)
        assert (tmp_path / "runs/refused/predictions.jsonl").read_bytes() == b""
        script.fault_too_long = lambda request, prompt: script.answer(prompt)
        evaluate(replace(options, resume=True))
    assert len((tmp_path / "runs/refused/predictions.jsonl").read_bytes().splitlines()) == len(items)


def test_what_failed_is_told_with_an_example(items, monkeypatch):
    task = {"task": "faults", "dataset": "items.jsonl", "prompt": "garbage"}
    options = EvaluateOptions(task=task, model="openai:tiny", name="told", concurrency=8, cache=False, limit=3)
    with serving(Scripted()) as url:
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        with pytest.raises(IncompleteError, match=r"such as '[a-z-]+-0': the answer is not JSON .*<html>"):
            evaluate(options)
