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
