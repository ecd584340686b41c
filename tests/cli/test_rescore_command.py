"""`steelyard rescore` of a run that others are held against: what it said before stands beside what it says now."""

import json
from pathlib import Path

import pytest

from tests.faults.stores import make_store
from tests.tamper.worlds import inside, steelyard


@pytest.fixture
def store(tmp_path: Path):
    make_store(tmp_path)
    with inside(tmp_path):
        yield steelyard


def test_a_baseline_prints_its_old_and_its_new_figures(store):
    found = store("rescore base --scorer text@v2")
    assert found.code == 0
    told = found.out[found.out.index("the run is the baseline main") :].splitlines()
    assert told[0] == "the run is the baseline main; 4 of its 7 figures changed, before -> now:"
    assert "  answer_correctness  0.8000 -> null" in told
    assert "  f1                  0.8000 -> 0.8000" in told
    assert "  rouge1              null -> 0.8000" in told


def test_json_has_them_too_and_the_baseline_still_holds(store):
    figures = json.loads(store("rescore base --json").out)["baseline"]
    assert figures["names"] == ["main"]
    assert figures["figures"]["f1"] == {"old": 0.8, "new": 0.8}
    assert store("gate cand --against main").code == 0


def test_a_run_that_no_baseline_names_prints_its_own_figures_only(store):
    assert "baseline" not in store("rescore cand").out
    assert "baseline" not in json.loads(store("rescore cand --json").out)


def test_a_baseline_whose_results_are_damaged_says_that_they_could_not_be_read(store):
    Path("runs/base/eval/eval_results.json").write_bytes(b"{")
    found = store("rescore base")
    assert (found.code, "what it said before could not be read" in found.out) == (0, True)
    assert store("gate cand --against main").code == 0


def test_a_run_of_a_suite_that_a_baseline_names_is_one_too(store):
    for name in ("one", "two"):
        Path(f"{name}.yaml").write_text(
            f"task: {name}\ndataset: items.jsonl\npredictions: fair.jsonl\nanswer_type: text\n"
        )
    Path("both.yaml").write_text("suite: both\ntasks: [one.yaml, two.yaml]\n")
    assert store("eval both.yaml --name both").code == 0
    assert store("baseline set together both").code == 0
    assert "the run is the baseline together; 0 of its" in store("rescore both/one").out
