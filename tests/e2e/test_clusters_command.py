"""Turns of one conversation are no independent items: what `eval` and `compare` make of `conversation_id`."""

import json

import pytest
from click.testing import CliRunner

from steelyard.cli.main import cli

TASK = "task: t\ndataset: items.jsonl\nanswer_type: text\nmetrics: [exact_match, f1, bleu]\n"
SCALED = ("exact_match", "f1", "bleu")


@pytest.fixture
def evaluated(tmp_path, monkeypatch):
    """Return a function that evaluates 12 conversations of 5 turns, right or wrong as a whole, and returns metrics."""
    monkeypatch.chdir(tmp_path)
    rows = [
        {"id": str(n), "input": "?", "reference": "a b c d e", "conversation_id": f"c{n // 5}", "thread": f"t{n // 10}"}
        | {"prediction": "a b c d e" if n // 5 % 3 else "no"}
        for n in range(60)
    ]
    (tmp_path / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))

    def evaluate(name, more=""):
        (tmp_path / "task.yaml").write_text(TASK + more)
        done = CliRunner().invoke(cli, ["eval", "task.yaml", "--name", name])
        assert done.exit_code == 0, done.output
        return json.loads((tmp_path / "runs" / name / "eval/eval_results.json").read_text())["metric_details"]

    return evaluate


def width(found):
    return found["ci_high"] - found["ci_low"]


@pytest.mark.parametrize("name", SCALED)
def test_rows_of_conversations_are_clustered_by_them_unless_told_otherwise(evaluated, name):
    together, alone = evaluated("together")[name], evaluated("alone", "cluster_by: none\n")[name]
    assert together["value"] == alone["value"]
    assert together["method"] != alone["method"]
    assert width(together) > 1.5 * width(alone)
    assert evaluated("named", "cluster_by: conversation_id\n")[name] == together
    assert evaluated("threads", "cluster_by: thread\n")[name] != together


def test_a_comparison_takes_both_runs_word_for_it(evaluated):
    for name, more in (
        ("a", "cluster_by: none\n"),
        ("b", "cluster_by: none\n"),
        ("c", ""),
        ("d", "cluster_by: thread\n"),
    ):
        evaluated(name, more)

    def printed(first, second):
        done = CliRunner().invoke(cli, ["compare", "--runs", f"{first},{second}", "--metric", "exact_match"])
        return f"{done.output}{done.exception}"

    assert "(mcnemar-exact)" in printed("a", "b")
    assert "(sign-flip-permutation-clustered)" in printed("a", "c")
    assert "(sign-flip-permutation-clustered)" in printed("c", "c")
    refused = printed("c", "d")
    assert "the runs do not cluster the same items together" in refused


def test_judging_again_keeps_what_was_said(evaluated, tmp_path):
    before = {name: evaluated(name, more) for name, more in (("together", ""), ("alone", "cluster_by: none\n"))}
    for name, details in before.items():
        assert CliRunner().invoke(cli, ["rescore", name]).exit_code == 0
        results = json.loads((tmp_path / "runs" / name / "eval/eval_results.json").read_text())
        assert results["metric_details"] == details


def test_rows_of_which_the_first_is_of_no_conversation_are_independent(evaluated, tmp_path):
    rows = [json.loads(line) for line in (tmp_path / "items.jsonl").read_text().splitlines()]
    del rows[0]["conversation_id"]
    (tmp_path / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert evaluated("mixed")["exact_match"]["method"] == "wilson"
