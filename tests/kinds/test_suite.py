"""Suites: several tasks, one policy, one verdict."""

import json
from pathlib import Path

import pytest

from steelyard.errors import ConfigurationError, InputError, UsageError
from steelyard.kinds.suite import evaluate_suite
from steelyard.runs.baselines import name_baseline
from steelyard.runs.listing import list_page
from steelyard.tasks.loading import EvaluateOptions
from steelyard.verdicts.gating import GateOptions, gate

GATES = """
  - {metric: answer_correctness, min: 0.5}
  - {metric: answer_correctness, max_drop: 0.0, task: second}
"""


def write(folder: Path, *, right: dict[str, int], required: str = "", gates: str = GATES, tasks: str = "") -> Path:
    """Write a suite whose tasks have four items each, of which so many are right."""
    for name, count in right.items():
        rows = [
            {"id": f"{row}", "prompt": "q", "expected_answer": "a", "prediction": "a" if row < count else "b"}
            for row in range(4)
        ]
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        task = f"task: {name}\ndataset: {name}.jsonl\nscorers: [answer_correctness@v1]\nmetrics: []\n"
        (folder / f"{name}.yaml").write_text(task)
    listed = tasks or ", ".join(f"{name}.yaml" for name in right)
    suite = folder / "suite.yaml"
    suite.write_text(f"suite: release\ntasks: [{listed}]\nrequired: [{required}]\ngates:{gates}")
    return suite


def evaluated(folder: Path, name: str, **content):
    options = EvaluateOptions(task_file=write(folder, **content), name=name, runs_dir=folder / "runs")
    return evaluate_suite(options)


def verdict(folder: Path, name: str, against: str | None = None):
    return gate(GateOptions(run=name, against=against, runs_dir=folder / "runs"))


def test_a_suite_makes_one_run_for_each_task(tmp_path: Path):
    found = evaluated(tmp_path, "nightly", right={"first": 4, "second": 2})
    assert [entry.path for entry in found.record.tasks] == ["first", "second"]
    assert (tmp_path / "runs" / "nightly" / "second" / "run.json").is_file()
    rows, total = list_page(tmp_path / "runs", limit=10)
    assert (total, {row["path"] for row in rows}) == (2, {"nightly/first", "nightly/second"})


def test_one_verdict_covers_all_tasks(tmp_path: Path):
    evaluated(tmp_path, "one", right={"first": 4, "second": 3})
    evaluated(tmp_path, "two", right={"first": 4, "second": 2})
    name_baseline(tmp_path / "runs", "main", "one")
    found = verdict(tmp_path, "two", "main")
    assert [(entry.task, entry.outcome) for entry in found.decisions] == [
        ("first", "pass"), ("second", "pass"), ("second", "fail"),
    ]  # fmt: skip
    assert (found.line, found.exit_code) == ("FAIL (1 of 3 gates)", 1)
    assert [part.baseline for part in found.tasks] == ["main/first", "main/second"]


def test_where_required_tasks_are_named_the_others_are_advisory(tmp_path: Path):
    evaluated(tmp_path, "one", right={"first": 4, "second": 1}, required="first")
    found = verdict(tmp_path, "one")
    assert [(entry.task, entry.outcome, entry.level) for entry in found.decisions] == [
        ("first", "pass", "blocking"), ("second", "fail", "advisory"), ("second", "undecided", "advisory"),
    ]  # fmt: skip
    assert found.outcome == "pass"


def test_a_task_that_was_not_evaluated_blocks(tmp_path: Path):
    write(tmp_path, right={"first": 4, "second": 4})
    (tmp_path / "second.jsonl").write_text("{broken\n")
    options = EvaluateOptions(task_file=tmp_path / "suite.yaml", name="one", runs_dir=tmp_path / "runs")
    found = evaluate_suite(options)
    assert isinstance(found.error, InputError)
    blocked = verdict(tmp_path, "one")
    assert (blocked.outcome, blocked.decisions[0].gate) == ("undecided", "second evaluated")


def test_a_task_that_the_baseline_lacks_is_undecided(tmp_path: Path):
    evaluated(tmp_path, "one", right={"first": 4}, gates="\n  - {metric: answer_correctness, min: 0.5}\n")
    evaluated(tmp_path, "two", right={"first": 4, "second": 4})
    found = verdict(tmp_path, "two", "one")
    assert [entry.outcome for entry in found.decisions] == ["pass", "pass", "undecided"]
    assert "one has no run of second" in found.decisions[2].reason


def test_a_suite_is_held_against_a_suite(tmp_path: Path):
    evaluated(tmp_path, "one", right={"first": 4, "second": 4})
    with pytest.raises(InputError, match="is no suite"):
        verdict(tmp_path, "one", str(tmp_path / "runs" / "one" / "first"))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"gates": "\n  - {metric: f1, min: 0.5, task: third}\n"}, "names a task 'third'"),
        ({"required": "third"}, "names a task 'third'"),
        ({"tasks": "first.yaml, first.yaml"}, "two task files are named first"),
    ],
)
def test_a_suite_that_cannot_be_meant_is_refused(tmp_path: Path, changes, message: str):
    with pytest.raises(ConfigurationError, match=message):
        evaluated(tmp_path, "one", **({"right": {"first": 4, "second": 4}} | changes))
    assert not (tmp_path / "runs" / "one").exists()


def test_an_existing_name_is_refused(tmp_path: Path):
    evaluated(tmp_path, "one", right={"first": 4, "second": 4})
    with pytest.raises(UsageError, match="already"):
        evaluated(tmp_path, "one", right={"first": 4, "second": 4})


def test_each_task_is_held_against_the_first_suite_of_a_baseline_that_moved(tmp_path: Path):
    for name, count in (("one", 4), ("two", 3), ("three", 2)):
        evaluated(tmp_path, name, right={"first": 4, "second": count})
        name_baseline(tmp_path / "runs", "main", name)
    evaluated(tmp_path, "four", right={"first": 4, "second": 1})
    parts = {part.task: part.first_baseline for part in verdict(tmp_path, "four", "main").tasks}
    deltas = {task: [(entry.metric, entry.delta) for entry in first.metrics] for task, first in parts.items()}
    assert deltas == {"first": [("answer_correctness", 0.0)], "second": [("answer_correctness", -0.75)]}


def test_a_task_that_the_first_suite_did_not_have_has_no_delta_to_it(tmp_path: Path):
    for name, right in (("one", {"first": 4}), ("two", {"first": 4, "second": 4})):
        evaluated(tmp_path, name, right=right, gates="\n  - {metric: answer_correctness, min: 0.5}")
        name_baseline(tmp_path / "runs", "main", name)
    evaluated(tmp_path, "three", right={"first": 4, "second": 4})
    parts = {part.task: part.first_baseline for part in verdict(tmp_path, "three", "main").tasks}
    assert parts["second"].reason == "one has no run of second"
