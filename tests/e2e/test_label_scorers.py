"""A classification judged by each scorer that there is: labels are what choices and texts spell."""

import json
from pathlib import Path

import pytest

from steelyard.judging.path import block_path
from steelyard.kinds.task import streaming
from tests.tamper.worlds import inside, steelyard, write_rows

ANSWERS = (("red", "red"), ("red", "Red "), ("blue", "red"), ("blue", "blue"), ("green", "none"), ("green", "green"))
"""True and predicted labels: scikit-learn's f1_score of them (macro) is 0.533333, with `none` among the classes."""
MACRO_F1 = 0.533333


@pytest.fixture(params=["items", "columns"])
def folder(request, tmp_path: Path, monkeypatch):
    smallest = 0 if request.param == "columns" else 1 << 40
    monkeypatch.setattr(streaming, "block_path", lambda *given, **more: block_path(*given, smallest=smallest, **more))
    with inside(tmp_path):
        rows = [{"id": f"i{n}", "expected_answer": truth, "output": said} for n, (truth, said) in enumerate(ANSWERS)]
        write_rows("items.jsonl", rows)
        Path("task.yaml").write_text("task: t\ndataset: items.jsonl\nanswer_type: label\n")
        yield tmp_path


def metrics(run: str) -> dict[str, float]:
    content = json.loads(Path(f"runs/{run}/eval/eval_results.json").read_bytes())
    return {name: content["metrics"][name] for name in ("accuracy", "macro_f1")}


@pytest.mark.parametrize("scorer", ["choice@v1", "answer_correctness@v1", "text@v2", "text@v1"])
def test_labels_are_counted_whichever_scorer_judges_them(folder: Path, scorer: str):
    found = steelyard(f"eval task.yaml --scorer {scorer} --name run")
    assert found.code == 0, found
    assert metrics("run") == pytest.approx({"accuracy": 4 / 6, "macro_f1": MACRO_F1}, abs=1e-6)


@pytest.mark.parametrize("scorer", ["answer_correctness@v1", "text@v2"])
def test_a_classification_is_judged_again_by_another_scorer(folder: Path, scorer: str):
    assert steelyard("eval task.yaml --name run").code == 0
    before = metrics("run")
    assert steelyard(f"rescore run --scorer {scorer}").code == 0
    assert metrics("run") == before


@pytest.mark.parametrize("scorer", ["number@v1", "list@v1", "reasoning@v1"])
def test_answers_that_are_no_labels_are_refused_before_a_row_is_read(folder: Path, scorer: str):
    found = steelyard(f"eval task.yaml --scorer {scorer} --name run")
    assert (found.code, "[bad-configuration]" in found.err, "counts labels" in found.err) == (2, True, True), found
    assert not Path("runs").exists()
