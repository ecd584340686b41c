"""Seed 000, "Evaluation Specification": its sets, records, failures and commands, through the installed command."""

import json

import pytest

COMPOSITION = {"core": 60, "trace_sensitive": 25, "edge_case": 15}
DIFFICULTY = {"easy": 34, "medium": 41, "hard": 25}
CATEGORIES = (
    "arithmetic, geometry, unit_conversion, general_knowledge, multi_step_word_problem, algebraic_reasoning, "
    "sequence_reasoning, formatting, numeric_precision, edge_case"
)


@pytest.mark.parametrize(("name", "items"), [("eval_v1", 50), ("eval_v2", 100), ("golden_v1", 30)])
def test_the_sets_are_in_the_package_and_valid_by_its_own_check(command, name, items):
    found = json.loads(command(f"steelyard validate evalsets:{name} --json").stdout)
    assert (found["valid"], found["n_items"], found["warnings"]) == (True, items, [])


def test_eval_v2_is_composed_as_the_seed_says(command):
    found = json.loads(command("steelyard validate evalsets:eval_v2 --json").stdout)["composition"]
    counts = {key: {value: share["n"] for value, share in found[key].items()} for key in found}
    assert (counts["section"], counts["difficulty"]) == (COMPOSITION, DIFFICULTY)
    assert set(counts["category"]) == set(CATEGORIES.split(", "))


def test_a_shipped_set_works_wherever_a_dataset_is_named(command, write, tmp_path):
    write("fn.py", "def answer(item):\n    return item['prompt'][:1]\n")
    task = {"task": "t", "dataset": "evalsets:eval_v2", "scorers": ["answer_correctness@v1"], "metrics": []}
    write("task.yaml", task | {"eval": {"gold_set": "evalsets:eval_v1"}})
    asked = "--model python:fn:answer --limit 3"
    command(f"steelyard eval task.yaml {asked} --name by-task", PYTHONPATH=".")
    command(f"steelyard eval --dataset evalsets:eval_v2 --scorer answer_correctness@v1 {asked} --name by-option",
            PYTHONPATH=".")  # fmt: skip
    shown = [json.loads((tmp_path / f"runs/{name}/run.json").read_text()) for name in ("by-task", "by-option")]
    assert [run["dataset"]["path"] for run in shown] == ["evalsets:eval_v2"] * 2
    for again in (
        "rescore by-option",
        "reproduce --run by-option",
        "gate by-option-reproduced --against by-option --verify",
    ):
        command(f"steelyard {again}", PYTHONPATH=".")
    command("steelyard dataset add evalsets:eval_v2 --name mine")
    assert "100 rows" in command("steelyard dataset show evalsets:eval_v2").stdout


RECORD = ["item_id", "expected", "predicted", "correctness", "eval_time_ms"]


def records(command, run):
    return [json.loads(line) for line in command(f"steelyard runs items {run} --format jsonl").stdout.splitlines()]


@pytest.fixture
def judged(command, write):
    """A run over answers that the seed's rules decide, by id."""
    rows = {
        "same": ("Paris", "Paris"), "space": ("Paris", "  Paris\n"), "case": ("Paris", "pARIS"),
        "other": ("Paris", "Lyon"), "inner": ("New York", "New  York"), "empty": ("Paris", ""),
    }  # fmt: skip
    wanted = {key: one for key, (one, _) in rows.items()} | dict.fromkeys(("late", "down", "absent"), "x")
    write("items.jsonl", [{"id": key, "prompt": key, "expected_answer": one} for key, one in wanted.items()])
    said = [{"id": key, "prediction": other, "eval_time_ms": 12.4} for key, (_, other) in rows.items()]
    write("said.jsonl", [*said, {"id": "late", "state": "timeout"}, {"id": "down", "state": "failed", "error": "no"}])
    line = "steelyard eval --dataset items.jsonl --predictions said.jsonl --scorer answer_correctness@v1"
    return command(f"{line} --name first --json")


def test_answer_correctness_is_0_or_1_by_the_seeds_normalisation_and_its_mean_is_the_primary_score(judged, command):
    found = {one["item_id"]: one["correctness"] for one in records(command, "first")}
    assert found == {
        "same": 1, "space": 1, "case": 1, "other": 0, "inner": 0, "empty": 0, "late": 0, "down": 0, "absent": 0,
    }  # fmt: skip
    card = json.loads(judged.stdout)["scorecard"]
    assert card["primary_score"] == 3 / 9
    assert {"n_items", "n_scored", "n_skipped"} <= set(card)


def test_the_items_of_a_run_are_the_seeds_records(judged, command):
    first = records(command, "first")[0]
    assert first == {
        "item_id": "same", "expected": "Paris", "predicted": "Paris", "correctness": 1.0, "eval_time_ms": 12,
    }  # fmt: skip
    assert list(first) == RECORD
    assert len(records(command, "first")) == 9


def test_more_items_than_a_page_has_are_written_whole(command, write):
    write("items.jsonl", [{"id": number, "expected_answer": "a", "prediction": "a"} for number in range(45)])
    command("steelyard eval --dataset items.jsonl --scorer answer_correctness@v1 --name many")
    assert len(records(command, "many")) == 45
    assert len(command("steelyard runs items many --format jsonl --limit 7").stdout.splitlines()) == 7


def test_the_time_of_a_callable_is_in_its_records(command, write):
    write("fn.py", "import time\ndef answer(item):\n    time.sleep(0.02)\n    return 'a'\n")
    write("items.jsonl", [{"id": "a", "prompt": "q", "expected_answer": "a"}])
    command("steelyard eval --dataset items.jsonl --scorer answer_correctness@v1 --model python:fn:answer --name timed",
            PYTHONPATH=".")  # fmt: skip
    assert records(command, "timed")[0]["eval_time_ms"] >= 20


def test_a_dry_run_says_unavailable_for_each_item(command):
    line = "steelyard eval --dataset evalsets:eval_v2 --scorer answer_correctness@v1 --model mock --limit 3 --name dry"
    assert "unavailable" in command(line).stdout
    for record in records(command, "dry"):
        assert (record["predicted"], record["correctness"], record["unavailable"]) == (
            None,
            None,
            "a dry run asks no model",
        )
    shown = command("steelyard runs items dry").stdout.splitlines()[1:]
    assert ["unavailable" in line for line in shown] == [True] * 3
    listed = json.loads(command("steelyard runs items dry --json").stdout)["items"]
    assert {one["scorecard"]["primary_score"] for one in listed} == {None}
    command(line.replace("dry", "again"))
    assert "unavailable" in command("steelyard compare --runs dry,again", code=3).stderr


def test_two_runs_are_compared_item_by_item_with_both_texts(judged, command, write):
    rows = [{"id": "same", "prediction": "Rome"}, {"id": "other", "prediction": "paris"}]
    write("said.jsonl", rows)
    command(
        "steelyard eval --dataset items.jsonl --predictions said.jsonl --scorer answer_correctness@v1 --name second"
    )
    found = json.loads(command("steelyard compare --runs first,second --format json").stdout)
    changes = found["items"]
    assert [one["item_id"] for one in changes["fixed"]] == ["other"]
    regressed = {one["item_id"]: one for one in changes["regressed"]}
    assert set(regressed) == {"same", "space", "case"}
    texts = {side: regressed["same"][side]["predicted"] for side in ("baseline", "candidate")}
    assert texts == {"baseline": "Paris", "candidate": "Rome"}
    assert regressed["same"]["candidate"]["expected"] == "Paris"


def test_a_crashed_run_scores_0_and_fails(command, write):
    write("fn.py", "import os\ndef answer(item):\n    os._exit(9) if item.id == 'b' else None\n    return 'x'\n")
    write("items.jsonl", [{"id": key, "prompt": "q", "expected_answer": "x"} for key in "abc"])
    line = (
        "steelyard eval --dataset items.jsonl --scorer answer_correctness@v1 --model python:fn:answer --concurrency 1"
    )
    command(f"{line} --name crashed", code=9, PYTHONPATH=".")
    write("said.jsonl", [{"id": key, "prediction": "x"} for key in "abc"])
    command("steelyard eval --dataset items.jsonl --predictions said.jsonl --scorer answer_correctness@v1 --name whole")
    assert "FAIL" in command("steelyard gate crashed --against whole", code=1).stderr
    assert "0.0" in command("steelyard runs list").stdout


def test_structured_answers_are_extracted_before_they_are_compared(command, write):
    write("items.jsonl", [{"id": "a", "expected_answer": "42", "prediction": "So we add.\nAnswer: 42"}])
    done = command("steelyard eval --dataset items.jsonl --scorer answer_correctness@v1 --extract answer_line --json")
    assert json.loads(done.stdout)["scorecard"]["primary_score"] == 1.0
