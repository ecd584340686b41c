"""`steelyard evaluate` as a user runs it: a model over HTTP, a callable, stored traces, and the analysis after it."""

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from aiohttp import web

from steelyard.conversations.plan_text import EXAMPLES
from steelyard.records.columns import restore
from tests.conversation_rows import compute, extract, row, trace, turn
from tests.serving import Scripted, serving

PLANS = {
    "what was income in 2009?": [extract(1500)],
    "and in 2008?": [extract(1200)],
    "what is the difference?": [compute("subtract", 1500, 1200)],
    "as a share of 2008?": [extract(1200, "a"), extract(1500, "b"), compute("percentage_change", "a", "b")],
}


class Planner(Scripted):
    """Plans every turn; gives a bad plan first where the document says so, and breaks where it says that."""

    async def handle(self, request):
        body = await request.json()
        self.bodies.append(body)
        # Before the question stand the instruction and the shown examples; after it, plans that were sent back.
        said = [message["content"] for message in body["messages"]]
        first, last = said[1 + 2 * len(EXAMPLES)], said[-1]
        question = re.search(r"Question: (.*)\n", first)[1]
        if "broken" in first and question.startswith("what is the difference"):
            return web.json_response({"error": {"message": "=cmd() context exceeded"}}, status=400)
        steps = [extract(31337)] if "hasty" in first and last == first else PLANS[question]
        return await self.answer(first, json.dumps({"steps": steps}))


def conversations():
    """Six conversations: two plain, two hasty, one broken, one of type 2."""
    rows = [row(f"c/{number}") for number in range(6)]
    for number, word in ((2, "hasty"), (3, "hasty"), (4, "broken")):
        rows[number]["doc"] = {**rows[number]["doc"], "pre_text": f"a {word} document ."}
    rows[5]["features"] = {**rows[5]["features"], "has_type2_question": True}
    return rows


def steelyard(folder, *arguments, code=0, **variables):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("STEELYARD_", "OPENAI_"))}
    done = subprocess.run(
        [sys.executable, "-m", "steelyard", *arguments],
        cwd=folder,
        env=environment | {"NO_COLOR": "1"} | variables,
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=280,
    )
    assert done.returncode == code, done.stderr
    return done


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A working folder with a dataset."""
    path = tmp_path_factory.mktemp("evaluate")
    (path / "data.json").write_text(json.dumps({"dev": conversations()}), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def planned(folder):
    """A run of the plan-and-compute solver on a scripted endpoint over HTTP."""
    script = Planner()
    with serving(script) as address:
        done = steelyard(
            folder, "evaluate", "--dataset", "data.json", "--sample-size", "100", "--model", "openai:planner",
            "--name", "planned", "--json", OPENAI_BASE_URL=address, OPENAI_API_KEY="sk-not-a-real-key",
        )  # fmt: skip
    return json.loads(done.stdout), folder / "runs/planned", script


def rows_of(path):
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_a_model_over_http_plans_and_the_plans_are_computed(planned):
    results, run, script = planned
    assert json.loads((run / "run.json").read_text())["status"] == "completed"
    assert results["conversations"]["num_turns"] == 24
    assert results["primary_metric"] == "numerical_match"
    assert results["metrics"]["numerical_match"] == pytest.approx(23 / 24)
    # 24 turns; the eight turns of the hasty documents are planned twice.
    assert len(script.bodies) == 24 + 8


def test_the_files_of_the_seed_are_there(planned):
    _, run, _ = planned
    names = {path.name for path in (run / "eval").iterdir()}
    assert {"summary.csv", "turns.csv", "validation.csv", "errors.csv", "statistics.json", "traces"} <= names
    assert len(list((run / "eval/traces").glob("*.json"))) == 6
    assert {path.suffix for path in (run / "eval/plots").iterdir()} == {".png", ".svg"}


def test_the_validator_and_its_retries_are_in_validation_csv(planned):
    _, run, _ = planned
    rows = rows_of(run / "eval/validation.csv")
    hasty = [entry for entry in rows if entry["conversation_id"] == "c/2"]
    assert [(entry["turn_idx"], entry["retry_number"], entry["valid"]) for entry in hasty[:2]] == [
        ("0", "0", "False"), ("0", "1", "True"),
    ]  # fmt: skip
    assert "31337 stands nowhere" in hasty[0]["issues"]
    summary = {entry["conversation_id"]: entry for entry in rows_of(run / "eval/summary.csv")}
    assert summary["c/2"]["total_validator_retries"] == "4"
    assert summary["c/0"]["total_validator_retries"] == "0"


def test_a_turn_that_raises_is_an_error_and_the_run_goes_on(planned):
    _, run, _ = planned
    (error,) = rows_of(run / "eval/errors.csv")
    assert all(error.values())
    assert (error["conversation_id"], error["turn_idx"], error["error_type"]) == ("c/4", "2", "ModelError")
    assert json.loads(error["error_context"])["question"] == "what is the difference?"
    turns = [entry for entry in rows_of(run / "eval/turns.csv") if entry["conversation_id"] == "c/4"]
    assert [entry["numerical_match"] for entry in turns] == ["True", "True", "False", "True"]
    assert "=cmd() context exceeded" in restore(turns[2]["error_message"])
    assert turns[2]["error_message"] == error["error_message"]


def test_no_secret_and_no_reference_reaches_a_file_or_the_model(planned):
    _, run, script = planned
    for path in run.rglob("*"):
        if path.is_file():
            assert b"sk-not-a-real-key" not in path.read_bytes()
    assert all("executed" not in json.dumps(body) for body in script.bodies)


def test_the_same_predictions_give_the_same_bytes(planned, folder):
    _, run, _ = planned
    steelyard(
        folder, "evaluate", "--dataset", "data.json", "--traces", "runs/planned/predictions.jsonl", "--name", "again"
    )
    for path in (run / "eval").rglob("*"):
        relative = path.relative_to(run)
        # hashes.json holds the hash of the two files that say how the first run was drawn.
        if path.is_file() and relative.name not in ("report.html", "hashes.json"):
            content = (folder / "runs/again" / relative).read_bytes()
            if relative.name in ("statistics.json", "eval_results.json"):
                # The first was drawn with --sample-size, which is recorded.
                first, second = json.loads(path.read_bytes()), json.loads(content)
                for found in (first, second):
                    found.pop("sample", None)
                    found.get("conversations", {}).pop("sample", None)
                assert first == second
            else:
                assert content == path.read_bytes(), relative


def contents(folder):
    """Every file below a folder with its bytes."""
    return {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_rescoring_derives_the_same_bytes(planned, folder):
    _, run, _ = planned
    before = contents(run)
    (run / "eval/turns.csv").unlink()
    (run / "eval/statistics.json").write_text("{}")
    steelyard(folder, "rescore", "planned")
    assert contents(run) == before


STOPS = """
import os, pathlib
def answer(turn):
    asked = pathlib.Path("asked.txt")
    with asked.open("a") as stream:
        stream.write(turn["item_id"] + "\\n")
    if os.environ.get("STOP") and len(asked.read_text().splitlines()) >= 9:
        os.kill(os.getpid(), 9)
    return {"answer": len(turn["history"]), "latency_ms": 1.0}
"""


def test_a_killed_run_goes_on_and_asks_nothing_twice(folder):
    (folder / "stops.py").write_text(STOPS, encoding="utf-8")
    arguments = ("evaluate", "--dataset", "data.json", "--model", "python:stops:answer", "--no-plots", "--name")
    steelyard(folder, *arguments, "killed", code=-9, STOP="1")
    asked = (folder / "asked.txt").read_text().splitlines()
    journal = (folder / "runs/killed/predictions.jsonl").read_text().splitlines()
    answered = {json.loads(line)["item_id"] for line in journal}
    steelyard(folder, *arguments, "killed", "--resume")
    again = (folder / "asked.txt").read_text().splitlines()
    # The turns that were under way when the process died had no answer yet: they are asked again, and no others.
    assert answered
    assert sorted(again) == sorted([*{*again}, *({*asked} - answered)])
    (folder / "asked.txt").unlink()
    steelyard(folder, *arguments, "whole")
    assert contents(folder / "runs/killed/eval") == contents(folder / "runs/whole/eval")


@pytest.mark.slow
def test_the_embedded_model_is_asked_for_plans(tmp_path):
    short = {name: values[:2] for name, values in row()["dialogue"].items()}
    (tmp_path / "data.json").write_text(json.dumps([row("one", **short)]), encoding="utf-8")
    steelyard(
        tmp_path, "evaluate", "--dataset", "data.json", "--sample-size", "100", "--model", "embedded", "--threads", "1",
        "--max-retries", "0", "--name", "small", "--no-plots",
    )  # fmt: skip
    run = json.loads((tmp_path / "runs/small/run.json").read_text())
    assert (run["status"], run["prompt_version"]) == ("completed", "plan.v2")
    turns = rows_of(tmp_path / "runs/small/eval/turns.csv")
    # What a model of 135 million parameters plans is its own affair; that it plans at all, and is counted, is ours.
    traces = [json.loads(path.read_text()) for path in (tmp_path / "runs/small/eval/traces").glob("*.json")]
    assert all(turn["plan"]["steps"] for trace in traces for turn in trace["turns"])
    assert all(int(entry["prompt_tokens"]) > 200 and entry["llm_calls"] == "1" for entry in turns)
    failed = [entry for entry in turns if entry["error_occurred"] == "True"]
    assert len(rows_of(tmp_path / "runs/small/eval/errors.csv")) == len(failed)
    assert len(rows_of(tmp_path / "runs/small/eval/validation.csv")) == 2


def test_the_mock_model_is_refused(folder):
    done = steelyard(folder, "evaluate", "--dataset", "data.json", "--model", "mock", code=2)
    assert "no turns to judge" in done.stderr


CALLABLE = """
def answer(turn):
    if turn["turn_idx"] == 2:
        raise KeyError("no such row")
    table = turn["document"]["table"]
    if turn["turn_idx"] < 2:
        return table[("2009", "2008")[turn["turn_idx"]]]["income"]
    own = [entry["answer"] for entry in turn["history"]]
    return {"answer": f"history {own}", "prompt_tokens": 0, "llm_calls": 0, "plan": {"steps": []}}
"""


def test_a_python_callable_answers_turns(folder):
    (folder / "mine.py").write_text(CALLABLE, encoding="utf-8")
    steelyard(
        folder, "evaluate", "--dataset", "data.json", "--model", "python:mine:answer", "--name", "mine", "--no-plots"
    )
    turns = rows_of(folder / "runs/mine/eval/turns.csv")[:4]
    assert [entry["numerical_match"] for entry in turns] == ["True", "True", "False", "False"]
    assert turns[3]["actual_answer"] == "history ['1500.0', '1200.0', '']"
    assert turns[3]["turn_tokens"] == "0"
    errors = rows_of(folder / "runs/mine/eval/errors.csv")
    assert {entry["error_type"] for entry in errors} == {"KeyError"}
    assert len(errors) == 6


def test_gold_history_gives_the_references(folder):
    (folder / "gold.py").write_text('def answer(turn):\n    return str([e["answer"] for e in turn["history"]])\n')
    steelyard(
        folder, "evaluate", "--dataset", "data.json", "--model", "python:gold:answer", "--name", "gold", "--no-plots",
        "--history", "gold", "--sample-size", "1",
    )  # fmt: skip
    assert rows_of(folder / "runs/gold/eval/turns.csv")[3]["actual_answer"] == "['1,500', '1200', '300']"


def test_a_folder_of_traces_with_missing_turns_is_judged(folder):
    traces = folder / "traces"
    traces.mkdir(exist_ok=True)
    for number in range(3):
        content = trace(f"c/{number}", turn(0, "1500"), turn(1, "1200"))
        (traces / f"{number}.json").write_text(json.dumps(content), encoding="utf-8")
    stray = trace("c/99", turn(0, "1"))
    (traces / "stray.json").write_text(json.dumps(stray), encoding="utf-8")
    done = steelyard(
        folder, "evaluate", "--dataset", "data.json", "--traces", "traces", "--name", "stored", "--no-plots"
    )
    statistics = json.loads((folder / "runs/stored/eval/statistics.json").read_text())
    assert statistics["numerical_accuracy"] == 6 / 24
    assert statistics["states"]["missing"] == 18
    assert statistics["cost_per_correct_answer"] is None
    assert "1 turns of the traces are not in the dataset" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--dataset", "data.json"], 2, "one of --model and --traces"),
        (["--dataset", "data.json", "--model", "mock", "--traces", "traces"], 2, "one of --model and --traces"),
        (["--dataset", "bad.json", "--traces", "traces"], 3, "[bad-conversation]"),
        (["--dataset", "data.json", "--traces", "bad.jsonl"], 3, "[bad-trace]"),
        (["--dataset", "nowhere.json", "--traces", "traces"], 3, "[missing-file]"),
        (["--dataset", "data.json", "--traces", "traces", "--name", "../x"], 2, "[run-name]"),
    ],
)
def test_bad_input_is_refused_and_leaves_no_run(folder, arguments, code, message):
    (folder / "bad.json").write_text('[{"id": "a", "dialogue": {"conv_questions": []}}]', encoding="utf-8")
    (folder / "bad.jsonl").write_text('{"record_id": "c/0", "turn_idx": -1}\n', encoding="utf-8")
    (folder / "traces").mkdir(exist_ok=True)
    (folder / "traces/stray.json").write_text(json.dumps(trace("c/99", turn(0, "1"))), encoding="utf-8")
    before = set((folder / "runs").iterdir()) if (folder / "runs").exists() else set()
    assert message in steelyard(folder, "evaluate", *arguments, code=code).stderr
    assert (set((folder / "runs").iterdir()) if (folder / "runs").exists() else set()) == before


# The seed's analysis workflows 2, 3 and 4, as they stand there.
WORKFLOW_2 = """import pandas as pd

turns = pd.read_csv("turns.csv")

# Correlation between operations and accuracy
turns.groupby("operations_per_turn")["numerical_match"].mean()

# Logic recall by turn number
turns.groupby("turn_idx")["logic_recall"].mean()
"""
WORKFLOW_3 = """errors = pd.read_csv("errors.csv")

# Most common error types
errors["error_type"].value_counts()

# Errors by question type
errors.groupby("has_type2_question")["error_type"].value_counts()

# Errors by complexity
errors.groupby("operations_per_turn")["error_type"].value_counts()
"""
WORKFLOW_4 = """import json

with open("statistics.json") as f:
    stats = json.load(f)

# Plot accuracy vs turn number
import matplotlib.pyplot as plt
turn_nums = sorted(stats["accuracy_by_turn_number"].keys())
accuracies = [stats["accuracy_by_turn_number"][t] for t in turn_nums]
operations = [stats["avg_operations_by_turn"][t] for t in turn_nums]

plt.plot(turn_nums, accuracies, label="Accuracy")
plt.plot(turn_nums, operations, label="Avg Operations")
plt.legend()
plt.show()
"""
QUESTIONS = """
by_operations = turns.groupby("operations_per_turn")["numerical_match"].mean()
print(json.dumps({
    "by_operations": {str(key): value for key, value in by_operations.items()},
    "recall": turns.groupby("turn_idx")["logic_recall"].mean().tolist(),
    "types": errors["error_type"].value_counts().to_dict(),
    "by_type2": len(errors.groupby("has_type2_question")["error_type"].value_counts()),
    "by_complexity": len(errors.groupby("operations_per_turn")["error_type"].value_counts()),
    "accuracies": accuracies,
    "operations": operations,
}))
"""


def test_the_seeds_workflows_are_the_seeds(root):
    seeds = root.parent / "shared" / "seeds"
    if not seeds.exists():
        pytest.skip("shared/seeds is not beside this checkout")
    text = next(path for path in seeds.iterdir() if path.name.startswith("004")).read_text(encoding="utf-8")
    for workflow in (WORKFLOW_2, WORKFLOW_3, WORKFLOW_4):
        assert workflow in text


def test_the_seeds_workflows_run_as_written(planned):
    _, run, _ = planned
    code = WORKFLOW_2 + WORKFLOW_3 + WORKFLOW_4 + QUESTIONS
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=run / "eval",
        env=os.environ | {"MPLBACKEND": "Agg"},
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=280,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    # 18 extract turns and the 6 changes are right, 5 of 6 differences; the one that broke had no plan, so 0 operations.
    assert found["by_operations"] == {"0": pytest.approx(12 / 13), "1": 1.0}
    assert found["recall"] == [1.0, 1.0, 1.0, 1.0]
    assert found["types"] == {"ModelError": 1}
    assert (found["by_type2"], found["by_complexity"]) == (1, 1)
    assert found["accuracies"] == [1.0, 1.0, pytest.approx(5 / 6), 1.0]
    assert found["operations"] == [0.0, 0.0, pytest.approx(5 / 6), 1.0]


def test_the_first_workflow_is_the_diagnosis_table_with_the_runs_numbers(planned):
    results, _, _ = planned
    table = {entry["pattern"]: entry for entry in results["conversations"]["diagnosis"]}
    assert set(table) >= {"Scaling issues", "Sign or direction confusion", "Rounding precision issues"}
    for entry in table.values():
        assert entry["gap"] == pytest.approx(entry["high_accuracy"] - entry["low_accuracy"])
        assert entry["reading"]


def test_a_program_is_run_from_the_command_line(folder):
    done = steelyard(folder, "program", "subtract(8181, 20454), divide(#0, 20454)")
    assert "#1  divide(#0, 20454) = -0.6000293341155765" in done.stdout
    assert "value: -0.60003" in done.stdout
    table = Path(folder) / "table.json"
    table.write_text('{"2008": {"income": 12}, "2009": {"income": 15.5}}', encoding="utf-8")
    found = json.loads(
        steelyard(folder, "program", "table_sum(income, none)", "--table", "table.json", "--json").stdout
    )
    assert (found["value"], found["operations"]) == (27.5, ["table_sum"])
    refused = steelyard(folder, "program", "divide(1, 0)", code=3)
    assert "divides by zero" in refused.stderr
    assert "    ^^^^^^^^^^^^" in refused.stderr
