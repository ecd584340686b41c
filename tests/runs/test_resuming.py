"""Runs whose predictions come from a model."""

import json
import os
import sys

import polars
import pytest

from steelyard.errors import IncompleteError, InputError, MachineError, UsageError
from steelyard.kinds.task.order import evaluate
from steelyard.runs.places import Watching
from steelyard.store.directories import RunDirectory, read_run
from steelyard.tasks.loading import EvaluateOptions
from tests.serving import Scripted, serving

CALLABLES = """
import os
import signal
import time
def log(item):
    with open("asked.txt", "a") as stream:
        stream.write(item.id + "\\n")
def right(item):
    log(item)
    return item["answer"]
def prompted(item): return item.prompt
def flaky(item):
    log(item)
    if item.id in os.environ.get("BROKEN", "").split(","):
        raise ValueError("broken")
    return item["answer"]
def stops(item):
    log(item)
    if item.id == os.environ.get("STOP_AT"):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(60)
    return {"prediction": item["answer"], "latency_ms": 1.0}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.setenv("STEELYARD_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "made_up.py").write_text(CALLABLES)
    rows = [{"id": f"i{n}", "question": f"What is {n} + {n}?", "answer": str(2 * n)} for n in range(20)]
    (tmp_path / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    yield tmp_path
    sys.modules.pop("made_up", None)


def run(function="right", name="first", task=None, **options):
    content = {
        "task": "sums",
        "dataset": "items.jsonl",
        "answer_type": "text",
        "fields": {"reference": "answer"},
        "metrics": ["exact_match"],
    }
    model = function if ":" in function or function == "mock" else f"python:made_up:{function}"
    return evaluate(EvaluateOptions(task=content | (task or {}), model=model, name=name, **options))


def asked(folder):
    return (folder / "asked.txt").read_text().split()


def eval_bytes(path):
    return {file.name: file.read_bytes() for file in sorted((path / "eval").iterdir())}


def test_the_asking_is_told_to_its_end(folder):
    task = {"task": "sums", "dataset": "items.jsonl", "answer_type": "text", "fields": {"reference": "answer"}}
    told = []
    evaluate(
        EvaluateOptions(task=task, model="python:made_up:right"), Watching(asked=lambda *counts: told.append(counts))
    )
    assert (told[0], told[-1]) == ((0, 20), (20, 20))


def test_a_model_is_asked_once_for_every_item_and_judged(folder):
    found = run()
    assert found.results["scorecard"]["primary_score"] == 1
    assert sorted(asked(folder)) == sorted(f"i{n}" for n in range(20))
    assert found.run.model["name"] == "made_up:right"


def test_the_prompt_is_the_tasks_template(folder):
    task = {"prompt": "Q: {question} {{x}}", "prompt_version": "qa.v1"}
    found = run("prompted", task=task)
    lines = map(json.loads, (found.path / "predictions.jsonl").read_text().splitlines())
    assert {line["item_id"]: line["prediction"] for line in lines}["i0"] == "Q: What is 0 + 0? {x}"
    assert found.run.prompt_version == "qa.v1"


def test_a_prompt_file_is_read_beside_the_task(folder):
    (folder / "prompt.txt").write_text("{question}")
    found = run("prompted", task={"prompt_file": "prompt.txt"})
    assert "What is 0 + 0?" in (found.path / "predictions.jsonl").read_text()


def test_a_prompt_that_no_row_can_fill_is_told_before_anything_is_asked(folder):
    with pytest.raises(InputError, match=r"\{nowhere\}") as caught:
        run(task={"prompt": "{nowhere}"})
    assert caught.value.total == 20
    assert not (folder / "asked.txt").exists()
    assert not (folder / "runs" / "first").exists()


def test_a_broken_item_is_told_before_anything_is_asked(folder):
    with (folder / "items.jsonl").open("a") as stream:
        stream.write('{"id": "i99", "question": "?", "answer": ""}\n{"id": "i1", "question": "?", "answer": "1"}\n')
    with pytest.raises(InputError, match="empty-reference"):
        run()
    assert not (folder / "asked.txt").exists()


def test_a_failing_item_stays_an_item_and_over_the_budget_the_run_is_not_complete(folder, monkeypatch):
    monkeypatch.setenv("BROKEN", "i3,i7")
    with pytest.raises(IncompleteError, match="2 of 20 items have no answer"):
        run("flaky")
    path = folder / "runs" / "first"
    assert read_run(path).status == "over_budget"
    states = polars.read_parquet(path / "eval" / "items.parquet")["state"].value_counts()
    assert dict(states.iter_rows()) == {"scored": 18, "failed": 2}
    finished = run("flaky", resume=True, error_budget=2)
    assert finished.run.status == "completed"
    assert len(asked(folder)) == 20


def test_a_share_is_a_budget_too(folder, monkeypatch):
    monkeypatch.setenv("BROKEN", "i3,i7")
    assert run("flaky", error_budget=0.1).run.status == "completed"


def test_retry_failed_asks_the_failed_ones_again_and_only_those(folder, monkeypatch):
    monkeypatch.setenv("BROKEN", "i3,i7")
    with pytest.raises(IncompleteError):
        run("flaky")
    monkeypatch.delenv("BROKEN")
    again = run("flaky", resume=True, retry_failed=True)
    assert again.results["scorecard"]["primary_score"] == 1
    assert sorted(asked(folder)[20:]) == ["i3", "i7"]


@pytest.mark.parametrize("stop_at", ["i0", "i9", "i19"])
def test_an_interrupted_run_goes_on_where_it_stopped_and_ends_in_the_same_bytes(folder, monkeypatch, stop_at):
    whole = run("stops", name="whole")
    (folder / "asked.txt").unlink()
    monkeypatch.setenv("STOP_AT", stop_at)
    with pytest.raises(KeyboardInterrupt):
        run("stops", concurrency=1)
    assert read_run(folder / "runs" / "first").status == "interrupted"
    monkeypatch.delenv("STOP_AT")
    resumed = run("stops", resume=True)
    assert eval_bytes(resumed.path) == eval_bytes(whole.path)
    assert sorted(asked(folder)) == sorted([*(f"i{n}" for n in range(20)), stop_at])


def test_resuming_without_a_name_finds_the_unfinished_run_of_the_configuration(folder, monkeypatch):
    monkeypatch.setenv("STOP_AT", "i5")
    with pytest.raises(KeyboardInterrupt):
        run("stops", name=None)
    monkeypatch.delenv("STOP_AT")
    run("right", name="another")
    found = run("stops", name=None, resume=True)
    assert len(list((folder / "runs").glob("[!.]*"))) == 2
    assert found.results["scorecard"]["n_items"] == 20


def test_resuming_a_complete_run_asks_nothing(folder):
    first = run()
    again = run(resume=True)
    assert again.results == first.results
    assert len(asked(folder)) == 20


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"task": {"prompt": "{question}!"}}, "prompt was"),
        ({"function": "right"}, "model was"),
        ({"limit": 3}, "selection was"),
    ],
)
def test_a_run_is_not_resumed_with_another_configuration(folder, monkeypatch, change, word):
    monkeypatch.setenv("STOP_AT", "i5")
    with pytest.raises(KeyboardInterrupt):
        run("stops")
    with pytest.raises(UsageError, match=word):
        run(**{"function": "stops", "resume": True, **change})


def test_a_run_is_not_resumed_with_another_dataset(folder, monkeypatch):
    monkeypatch.setenv("STOP_AT", "i5")
    with pytest.raises(KeyboardInterrupt):
        run("stops")
    text = (folder / "items.jsonl").read_text()
    (folder / "items.jsonl").write_text(text.replace("What is 19", "How much is 19"))
    with pytest.raises(UsageError, match="sha256 was"):
        run("stops", resume=True)


def test_a_second_process_is_refused_and_told_the_owner(folder, monkeypatch):
    monkeypatch.setenv("STOP_AT", "i5")
    with pytest.raises(KeyboardInterrupt):
        run("stops")
    held = RunDirectory.resume(folder / "runs" / "first")
    with pytest.raises(MachineError, match=f"owned by process {os.getpid()}"):
        run("stops", resume=True)
    held.release()


def test_what_the_order_of_answers_was_does_not_matter(folder):
    first = run()
    lines = (first.path / "predictions.jsonl").read_text().splitlines()
    (folder / "shuffled.jsonl").write_text("".join(line + "\n" for line in reversed(lines)))
    second = run(f"replay:{folder / 'shuffled.jsonl'}", name="second", model_name=first.run.model["name"])
    assert eval_bytes(first.path) == eval_bytes(second.path)


def test_a_mock_run_is_marked_and_invents_no_score(folder):
    found = run("mock")
    assert found.run.flags == ["mock"]
    assert found.run.model["kind"] == "mock"
    assert found.run.primary_score is None
    assert found.results["metrics"] == {"text": None, "exact_match": None} or not any(found.results["metrics"].values())
    table = polars.read_parquet(found.path / "eval" / "items.parquet")
    assert table["correctness"].null_count() + table["correctness"].is_nan().sum() == 20


def test_model_and_predictions_together_are_a_usage_error(folder):
    with pytest.raises(UsageError, match="both given"):
        run(predictions="x.jsonl")


def test_an_unknown_key_of_generation_gets_a_suggestion(folder):
    with pytest.raises(Exception, match="did you mean 'max_new_tokens'"):
        run(task={"generation": {"max_tokens": 3}})


def test_complete_answers_are_cached_and_others_are_not(folder, monkeypatch):
    script = Scripted()
    with serving(script) as url:
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        task = {"prompt": "{question}"}
        first = run("openai:tiny", task=task, deadline=5)
        second = run("openai:tiny", name="second", task=task, deadline=5)
        assert sum(script.seen.values()) == 20
        run("openai:tiny", name="third", task=task, cache=False, deadline=5)
        assert sum(script.seen.values()) == 40
        for _ in range(2):
            cut = {"prompt": "cut-off {question}"}
            run("openai:tiny", name=f"cut{_}", task=cut, deadline=5)
        assert sum(script.seen.values()) == 80
    assert eval_bytes(first.path) == eval_bytes(second.path)


def test_answers_cut_at_the_limit_are_counted_and_judging_again_gives_the_same_bytes(folder, monkeypatch):
    from steelyard.kinds.rejudging import RescoreOptions, rescore

    with serving(Scripted()) as url:
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        found = run("openai:tiny", task={"prompt": "cut-off {question}"}, deadline=5)
    assert found.results["predictions"] == {"unknown_ids": 0, "quarantined": 0, "truncated": 20}
    before = eval_bytes(found.path)
    rescore(RescoreOptions(run="first"))
    assert eval_bytes(found.path) == before
