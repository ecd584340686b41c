"""Repeats through the commands: evaluated, compared, gated, reported, and refused where they are not whole."""

import json
import shutil

TASK = """task: sums
dataset: items.jsonl
answer_type: text
scorers: [answer_correctness@v1]
metrics: [pass@1, pass@2, majority]
gates:
  - {metric: pass@2, min: 0.5}
"""
RIGHT = {"a": "2", "b": "3", "c": "54"}
ANSWERS = {"old": ["233", "23x", "2xx"], "new": ["233", "234", "23x"]}


def evaluated(command, write):
    write("items.jsonl", [{"id": key, "question": key, "reference": value} for key, value in RIGHT.items()])
    write("sums.yaml", TASK)
    for name, repeats in ANSWERS.items():
        for number, marks in enumerate(repeats, start=1):
            # The digit of its place is the right answer, anything else is wrong.
            rows = zip(RIGHT, marks, "233", strict=True)
            rows = [{"id": key, "prediction": RIGHT[key] if mark == right else mark} for key, mark, right in rows]
            write(f"{name}-{number}.jsonl", rows)
        command(f"steelyard eval sums.yaml --predictions '{name}-{{repeat}}.jsonl' --repeats 3 --name {name}")


def test_repeats_are_averaged_and_read_as_pass_at_k_and_majority(command, write, tmp_path):
    evaluated(command, write)
    found = json.loads(command("steelyard compare --runs old,new --json").stdout)
    assert found["repeats"] == {"old": 3, "new": 3}
    # old: 3, 2 and 1 of 3 right; new: 3, 3 and 1.
    assert [round(found["overall"][run], 6) for run in ("old", "new")] == [round(6 / 9, 6), round(7 / 9, 6)]
    assert found["deltas"]["new"]["paired"]["test"] == "sign-flip-permutation"
    best = json.loads(command("steelyard compare --runs old,new --metric pass@2 --json").stdout)
    assert [round(best["overall"][run], 6) for run in ("old", "new")] == [round((1 + 1 + 2 / 3) / 3, 6)] * 2
    most = json.loads(command("steelyard compare --runs old,new --metric majority --json").stdout)
    assert [round(most["overall"][run], 6) for run in ("old", "new")] == [round(2 / 3, 6), round((2 + 1 / 3) / 3, 6)]
    report = json.loads((tmp_path / "runs/new/eval/repeats.json").read_text())["over_repeats"]
    assert (report["majority"]["tied"], report["majority"]["value"]) == (["c"], most["overall"]["new"])
    command("steelyard gate new --against old")
    command("steelyard report new --output page.html")
    assert "pass_at_k@v1|k=2" in (tmp_path / "page.html").read_text()


def test_a_repeat_that_is_not_there_or_not_alike_is_told(command, write, tmp_path):
    evaluated(command, write)
    few = command("steelyard compare --runs old,new --metric pass@4", code=2)
    assert "pass@4 takes 4 repeats of each item, and old has 3 and new has 3" in few.stderr
    shutil.rmtree(tmp_path / "runs/new.r2")
    gone = command("steelyard gate new --against old", code=3)
    assert "[run-damaged]" in gone.stderr
    assert "new.r2 is not there" in gone.stderr
