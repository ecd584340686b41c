"""A metric of research artifacts that an ordinary task asks for is named as unavailable, never left out in silence."""

from steelyard.kinds.task.order import evaluate
from steelyard.tasks.loading import EvaluateOptions


def test_an_ordinary_task_says_why_it_has_no_golden_recall(tmp_path):
    data = tmp_path / "items.jsonl"
    data.write_text('{"id": "a", "prompt": "2 + 2?", "expected_answer": "4", "prediction": "4"}\n')
    options = EvaluateOptions(
        dataset=str(data), answer_type="text", metrics=("golden_recall", "f1"), runs_dir=tmp_path / "runs"
    )
    results = evaluate(options).results
    assert "steelyard research" in results["unavailable"]["golden_recall"]
    assert "golden_recall" not in results["metrics"]
