"""A prompt that leaves off at `Answer:` and outputs that begin with the answer (page 05's own example)."""

import json

from steelyard import evaluate

ROWS = [
    {"id": "a", "prompt": "2 + 2?", "expected_answer": "4", "prediction": "4\nBecause two and two are four."},
    {"id": "b", "prompt": "3 + 3?", "expected_answer": "6", "prediction": "Let me see.\nAnswer: 6"},
]


def evaluated(tmp_path, prompt):
    (tmp_path / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    task = {"task": "sums", "dataset": "items.jsonl", "extract": "answer_line", "scorers": ["answer_correctness@v1"]}
    (tmp_path / "task.yaml").write_text(json.dumps(task | prompt), encoding="utf-8")
    run = evaluate(tmp_path / "task.yaml", runs_dir=tmp_path / "runs", name="run")
    return run.to_polars()["correctness"].to_list()


def test_an_output_without_a_marker_begins_with_the_answer(tmp_path):
    assert evaluated(tmp_path, {"prompt": "{prompt}\nAnswer:"}) == [1.0, 1.0]


def test_the_prompt_may_stand_in_a_file(tmp_path):
    (tmp_path / "prompt.txt").write_text("{prompt}\n答案：", encoding="utf-8")
    assert evaluated(tmp_path, {"prompt_file": "prompt.txt"}) == [1.0, 1.0]


def test_after_any_other_prompt_an_output_needs_a_marker(tmp_path):
    assert evaluated(tmp_path, {"prompt": "{prompt}"}) == [0.0, 1.0]
