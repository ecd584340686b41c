"""What Python code calls."""

import json
from pathlib import Path

import pytest

import steelyard
from steelyard.errors import InputError

ROWS = [{"id": 1, "reference": "a b", "prediction": "a b"}, {"id": 2, "reference": "c", "prediction": "<b>d</b>"}]


@pytest.fixture
def run(tmp_path: Path) -> steelyard.Run:
    dataset = tmp_path / "items.jsonl"
    dataset.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return steelyard.evaluate({"task": "t"}, dataset=dataset, metrics=["f1"], name="one", runs_dir=tmp_path / "runs")


def test_what_is_exported_is_there():
    assert all(hasattr(steelyard, name) for name in steelyard.__all__)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError):
        _ = steelyard.nothing


def test_a_run_has_its_numbers(run: steelyard.Run):
    assert run.primary_score == 0.5
    assert run.metrics["f1"] == 0.5
    assert [entry["rank"] for entry in run.hard_examples] == [1, 2]


def test_items_come_as_polars_and_as_pandas(run: steelyard.Run):
    assert run.to_polars()["item_id"].to_list() == run.to_pandas()["item_id"].tolist() == ["1", "2"]


def test_a_run_is_loaded_by_its_name(run: steelyard.Run):
    assert steelyard.load_run("one", runs_dir=run.path.parent).results == run.results


def test_a_run_prints_readably_and_safely_in_a_notebook(run: steelyard.Run):
    assert "2 items" in repr(run)
    assert "<b>d</b>" not in run._repr_html_()


def test_a_run_without_results_says_what_to_do(run: steelyard.Run):
    (run.path / "eval/eval_results.json").unlink()
    with pytest.raises(InputError) as caught:
        _ = steelyard.load_run("one", runs_dir=run.path.parent).results
    assert "rescore" in caught.value.problems[0].hint
