"""Gates that name what is not there: a key, a limit, a metric, a tag, a task. None of them leads to a pass."""

import json
from pathlib import Path

import pytest

ITEMS = [
    {"id": f"q{row}", "prompt": "?", "expected_answer": "a", "tags": {"lang": "de" if row % 2 else "en"}, "topic": "x"}
    for row in range(8)
]
MODEL = "def answer(item):\n    open('asked', 'w').close()\n    return 'a'\n"
TASK = {"task": "qa", "dataset": "items.jsonl", "answer_type": "text"}
WRONG = {
    "a key": ({"metric": "f1", "mn": 0.8}, "unknown-key", "did you mean 'min'?"),
    "a limit": ({"metric": "f1", "min": 8}, "bad-policy", "f1 lies in [0, 1]"),
    "no limit": ({"metric": "f1"}, "bad-configuration", "needs exactly one limit"),
    "a metric": ({"metric": "exact_mach", "min": 0.8}, "unknown-name", "did you mean 'exact_match'?"),
    "a metric that is not asked for": ({"metric": "bleu", "min": 0.2}, "unknown-name", "add bleu to `metrics`"),
    "a metric of other answers": ({"metric": "mae", "max": 2}, "unknown-name", "these are: text, f1"),
    "a figure that is no number": ({"metric": "confusion_matrix", "min": 0}, "unknown-name", "confusion_matrix"),
    "a tag": ({"metric": "f1", "slice": {"lagn": "de"}, "min": 0.8}, "unknown-tag", "did you mean 'lang'?"),
    "a tag of each": ({"metric": "f1", "slice_each": "lagn", "min": 0.8}, "unknown-tag", "did you mean 'lang'?"),
    "a tag of a cross": ({"metric": "f1", "slice_each": "lang & tpic", "min": 0}, "unknown-tag", "'tpic'"),
    "a field that is no tag": ({"metric": "f1", "slice_each": "topic", "min": 0}, "unknown-tag", "slice_by_tags"),
    "a task": ({"metric": "f1", "min": 0.8, "task": "qaa"}, "bad-policy", "did you mean 'qa'?"),
    "a required task": ({"required": ["other"]}, "bad-policy", "'other'"),
    "an allowance": ({"allow": ["datset"]}, "bad-configuration", "did you mean 'dataset'?"),
}
TAGS = {
    "slice": "{metric: f1, slice: {lagn: de}, min: 0}",
    "slice_each": "{metric: f1, slice_each: lagn, min: 0}",
    "cross": "{metric: f1, slice_each: lang & lagn, min: 0}",
    "advisory": "{metric: f1, slice: {lagn: de}, min: 0, level: advisory}",
}


@pytest.fixture
def folder(steelyard):
    """The command over a task file, a model that leaves a trace, and two runs of stored predictions."""
    Path("items.jsonl").write_text("".join(json.dumps(item) + "\n" for item in ITEMS))
    outputs = [json.dumps({"id": item["id"], "output": "a"}) + "\n" for item in ITEMS]
    Path("outputs.jsonl").write_text("".join(outputs))
    Path("asked_for.py").write_text(MODEL)
    return steelyard


@pytest.fixture
def gated(folder):
    """Gate a run under a policy, after both it and its baseline were evaluated."""
    for name in ("base", "run"):
        _write_task()
        assert folder("eval", "task.yaml", "--predictions", "outputs.jsonl", "--name", name).code == 0

    def run(policy, *arguments):
        Path("policy.yaml").write_text(policy)
        return folder("gate", "run", "--against", "base", "--policy", "policy.yaml", "--json", *arguments)

    return run


def _write_task(name="task.yaml", *gates, **more):
    Path(name).write_text(json.dumps({**TASK, **more} | ({"gates": gates} if gates else {})))


def _said(finished):
    return "\n".join(f"{problem['message']} {problem['hint']}" for problem in finished.problems)


def refused(finished, code, words):
    assert finished.code == 2, finished.err
    assert {problem["code"] for problem in finished.problems} == {code}
    assert words in _said(finished)


@pytest.mark.parametrize("case", WRONG)
def test_gates_of_a_task_are_checked_before_a_model_is_asked(folder, case):
    gate, code, words = WRONG[case]
    _write_task("task.yaml", {"metric": "f1", "min": 0.1}, gate)
    refused(folder("eval", "task.yaml", "--model", "python:asked_for:answer", "--json"), code, words)
    assert not Path("asked").exists()
    assert not list(Path().glob("runs/*"))


@pytest.mark.parametrize("case", WRONG)
def test_gates_of_a_task_are_checked_over_stored_predictions_too(folder, case):
    gate, code, words = WRONG[case]
    _write_task("task.yaml", {"metric": "f1", "min": 0.1}, gate)
    refused(folder("eval", "task.yaml", "--predictions", "outputs.jsonl", "--json"), code, words)


def test_good_gates_of_a_task_hold(folder):
    _write_task("task.yaml", {"metric": "f1", "slice_each": "lang", "min": 1.0, "task": "qa"}, {"required": ["qa"]})
    assert folder("eval", "task.yaml", "--predictions", "outputs.jsonl", "--name", "run").code == 0
    assert folder("gate", "run").err.splitlines()[-1] == "steelyard: PASS"


def test_metrics_of_the_command_line_do_not_make_good_gates_wrong(folder):
    _write_task("task.yaml", {"metric": "f1", "min": 1.0})
    given = ("eval", "task.yaml", "--predictions", "outputs.jsonl", "--metrics", "exact_match")
    assert folder(*given).code == 0


@pytest.mark.parametrize("case", ["a key", "a metric", "a task"])
def test_gates_are_checked_when_a_run_is_judged_again_by_a_task(folder, case):
    gate, code, words = WRONG[case]
    _write_task()
    folder("eval", "task.yaml", "--predictions", "outputs.jsonl", "--name", "run")
    _write_task("other.yaml", gate)
    refused(folder("rescore", "run", "--task", "other.yaml", "--json"), code, words)


@pytest.mark.parametrize("case", ["a key", "a limit", "a metric", "a metric that is not asked for", "a task"])
@pytest.mark.parametrize("place", ["suite", "task"])
def test_gates_of_a_suite_and_of_its_tasks_are_checked_before_its_first_task(folder, case, place):
    gate, code, words = WRONG[case]
    _write_task("qa.yaml", model="python:asked_for:answer")
    _write_task("late.yaml", *([gate] if place == "task" else ()), task="late")
    Path("suite.yaml").write_text(
        json.dumps(
            {"suite": "all", "tasks": ["qa.yaml", "late.yaml"]} | ({"gates": [gate]} if place == "suite" else {})
        )
    )
    found = folder("eval", "suite.yaml", "--json")
    assert (found.code, {problem["code"] for problem in found.problems}) == (2, {code})
    assert words in _said(found) or case == "a task"
    assert not Path("asked").exists()


@pytest.mark.parametrize("rule", TAGS.values(), ids=list(TAGS))
def test_a_tag_of_a_policy_that_no_item_has_is_refused(gated, rule):
    found = gated(f"gates: [{{metric: f1, min: 0}}, {rule}]")
    refused(found, "unknown-tag", "did you mean 'lang'?")
    assert found.err.splitlines()[-1] == "steelyard: NO VERDICT (unknown-tag)"


def test_tags_that_are_crossed_as_on_the_command_line_are_told_how(gated):
    refused(gated("gates: [{metric: f1, slice_each: lang+lang, min: 0}]"), "unknown-tag", "'lang & lang'")


def test_a_value_that_no_item_has_is_undecided_with_the_nearest(gated):
    found = gated("gates: [{metric: f1, slice: {lang: dee}, min: 0}]")
    (gate,) = json.loads(found.out)["gates"]
    assert (found.code, gate["outcome"], gate["hint"]) == (3, "undecided", "did you mean 'de'?")


@pytest.mark.parametrize(
    ("policy", "hint"),
    [
        ("gates: [{metric: f1, min: 0}, {metric: f1, min: 0.5, task: qaa}]", "did you mean 'qa'?"),
        ("gates: [{metric: f1, min: 0}, {skipped: {max_new: 0}, task: other}]", "gate a suite that has it"),
        ("gates: [{metric: f1, min: 0}]\nrequired: [other]", "evaluate the suite again"),
    ],
)
def test_a_task_that_is_not_there_is_undecided_and_blocks(gated, policy, hint):
    found = gated(policy)
    verdict = json.loads(found.out)
    assert (found.code, verdict["line"]) == (3, "UNDECIDED (1 of 2 gates)")
    assert any(hint in gate["hint"] for gate in verdict["gates"])


def _suite(folder, *tasks, **content):
    for name, more in tasks:
        _write_task(f"{name}.yaml", *more, task=name, predictions="outputs.jsonl")
    files = [f"{name}.yaml" for name, _ in tasks]
    Path("suite.yaml").write_text(json.dumps({"suite": "all", "tasks": files, **content}))
    return folder("eval", "suite.yaml", "--name", "suite")


def test_a_suite_without_gates_leaves_each_task_its_own(folder):
    assert _suite(folder, ("one", [{"metric": "f1", "min": 0.5}]), ("two", [{"metric": "f1", "max": 0.5}])).code == 0
    found = json.loads(folder("gate", "suite", "--json").out)
    assert [(gate["gate"], gate["outcome"]) for gate in found["gates"]] == [
        ("f1 min 0.5", "pass"),
        ("f1 max 0.5", "fail"),
    ]
    assert found["policy"] == "the gates of its tasks"


def test_a_suite_with_gates_says_that_those_of_its_tasks_are_not_held(folder):
    _suite(folder, ("one", [{"metric": "f1", "max": 0.5}]), gates=[{"metric": "f1", "min": 0.5}])
    found = json.loads(folder("gate", "suite", "--json").out)
    assert found["verdict"] == "pass"
    assert found["warnings"][0].startswith("one: the gates of its task file are not held")


def test_what_a_suite_without_gates_requires_is_kept(folder):
    assert "'thre'; the suite has one, two" in _suite(folder, ("one", []), ("two", []), required=["thre"]).err
    assert _suite(folder, ("one", []), ("two", []), required=["two"]).code == 0
    found = json.loads(folder("gate", "suite", "--json").out)
    assert {(gate["task"], gate["level"]) for gate in found["gates"]} == {("one", "advisory"), ("two", "blocking")}


def test_a_misspelt_task_blocks_where_others_are_required(folder):
    _suite(folder, ("one", []), ("two", []), required=["one"])
    Path("policy.yaml").write_text("gates: [{metric: f1, min: 0}, {metric: f1, min: 0.9, task: oen}]\nrequired: [one]")
    found = folder("gate", "suite", "--policy", "policy.yaml")
    assert found.err.splitlines()[-1].startswith("steelyard: UNDECIDED (1 of 3 gates")


def test_a_tag_that_one_task_of_a_suite_lacks_is_undecided_there(folder):
    plain = [{key: value for key, value in item.items() if key != "tags"} for item in ITEMS]
    Path("plain.jsonl").write_text("".join(json.dumps(item) + "\n" for item in plain))
    _write_task("one.yaml", task="one", predictions="outputs.jsonl")
    _write_task("two.yaml", task="two", predictions="outputs.jsonl", dataset="plain.jsonl")
    gates = [{"metric": "f1", "slice_each": "lang", "min": 0.5}]
    Path("suite.yaml").write_text(json.dumps({"suite": "all", "tasks": ["one.yaml", "two.yaml"], "gates": gates}))
    folder("eval", "suite.yaml", "--name", "suite")
    found = json.loads(folder("gate", "suite", "--json").out)["gates"]
    assert [gate["outcome"] for gate in found if gate["task"] == "one"] == ["pass", "pass"]
    assert [gate["outcome"] for gate in found if gate["task"] == "two"] == ["undecided"]


def test_a_calibration_refuses_a_tag_that_no_item_has(gated, folder):
    gated("gates: [{metric: f1, slice_each: lagn, max_drop: 0.1}]")
    given = ("--baseline", "base", "--policy", "policy.yaml", "--flip-rate", "0.1", "--simulations", "2", "--json")
    refused(folder("calibrate", *given), "unknown-tag", "did you mean 'lang'?")
