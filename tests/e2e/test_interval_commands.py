"""Intervals as commands print and keep them."""

import json
from itertools import pairwise

import pytest

TASK = """\
task: answers
answer_type: text
scorers: [answer_correctness@v1]
metrics: [exact_match, f1]
cluster_by: thread
eval: {slice_by_tags: [source]}
"""


def results_of(tmp_path, name):
    return json.loads((tmp_path / "runs" / name / "eval" / "eval_results.json").read_text())


@pytest.fixture
def threads(write):
    """Write twenty threads of five answers, of which so many are wrong, each in a thread of its own."""

    def put(wrong):
        rows = [(f"{thread}-{turn}", thread, turn == 0 and thread < wrong) for thread in range(20) for turn in range(5)]
        references = [{"id": name, "expected_answer": "yes", "thread": f"t{thread}"} for name, thread, _ in rows]
        references[0]["tags"] = {"source": "alone"}
        write("rows.jsonl", references)
        write("answers.jsonl", [{"id": name, "prediction": "no" if missed else "yes"} for name, _, missed in rows])

    return put


def test_one_wrong_answer_more_never_raises_a_clustered_interval(command, write, threads, tmp_path):
    write("task.yaml", TASK)
    ends = []
    for wrong in range(4):
        threads(wrong)
        command(f"steelyard eval task.yaml --dataset rows.jsonl --predictions answers.jsonl --name w{wrong}")
        detail = results_of(tmp_path, f"w{wrong}")["metric_details"]["exact_match"]
        assert detail["method"] == "wilson-design-effect"
        assert detail["signature"].endswith("|interval=wilson-design-effect@v1")
        ends.append((detail["ci_low"], detail["ci_high"]))
    for better, worse in pairwise(ends):
        assert worse[0] <= better[0] + 0.005
        assert worse[1] <= better[1]


def test_a_slice_of_one_item_has_no_interval(command, write, threads, tmp_path):
    write("task.yaml", TASK.replace("cluster_by: thread\n", ""))
    threads(1)
    shown = command("steelyard eval task.yaml --dataset rows.jsonl --predictions answers.jsonl --name one").stdout
    alone = results_of(tmp_path, "one")["slices"]["source"]["alone"]
    assert (alone["n"], alone["ci_low"], alone["ci_high"]) == (1, None, None)
    assert alone["intervals"]["exact_match"]["ci_reason"] == "a slice of one item has no interval"
    assert any("alone" in line and "[no interval]" in line for line in shown.splitlines())
