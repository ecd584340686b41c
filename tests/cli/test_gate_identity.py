"""A gate through the command: a run, a baseline and their items are what they say they are."""

import json
import shutil
from pathlib import Path

import pytest

from tests.made_runs import SIGNATURES, make_run
from tests.tamper.worlds import Finished, inside, steelyard

SLICED = "gates:\n  - {metric: f1, slice: {source: a}, max_drop: 0.02}\n"


@pytest.fixture
def folder(tmp_path: Path):
    with inside(tmp_path):
        yield tmp_path


def gated(line: str, **files: str) -> Finished:
    for name, text in files.items():
        Path(f"{name}.yaml").write_text(text)
    return steelyard(line)


def test_items_are_held_in_the_slices_of_the_baseline_and_retagged_ones_are_listed(folder: Path):
    make_run(folder / "runs", "old", [1] * 40, tags={"source": ["a"] * 40})
    make_run(folder / "runs", "new", [1] * 37 + [0] * 3, tags={"source": ["a"] * 37 + ["b"] * 2 + [None]})
    found = gated("gate new --against old --policy gates.yaml", gates=SLICED)
    assert found.code == 1
    listed = "item-37 (source was a, is b); item-38 (source was a, is b); item-39 (source was a, is none)"
    assert f"  retagged, and held in the slices of the baseline: {listed}\n" in found.out
    content = json.loads(steelyard("gate new --against old --policy gates.yaml --json").out)
    assert content["tasks"][0]["retagged"]["n"] == 3
    assert content["tasks"][0]["retagged"]["items"][0] == {
        "item_id": "item-37", "before": {"source": "a"}, "after": {"source": "b"},
    }  # fmt: skip
    assert (
        "retagged, and held in the slices of the baseline" in steelyard("gate new --against old --format markdown").out
    )


def test_more_retagged_items_than_a_person_reads_are_counted(folder: Path):
    make_run(folder / "runs", "old", [1] * 40, tags={"source": ["a"] * 40})
    make_run(folder / "runs", "new", [1] * 40, tags={"source": ["b"] * 40})
    found = gated("gate new --against old --policy gates.yaml", gates=SLICED)
    assert (found.code, "; 30 more" in found.out) == (0, True)


def test_a_gate_over_items_without_the_slices_key_in_common_reports_its_drift(folder: Path):
    make_run(folder / "runs", "old", [1] * 40, tags={"source": ["a"] * 40})
    make_run(folder / "runs", "new", [1] * 40, tags={"level": ["1"] * 40})
    assert gated("gate new --against old --policy gates.yaml", gates=SLICED).code == 0


@pytest.mark.parametrize("file", ["run.json", "eval/hashes.json"])
def test_a_sealed_file_is_held_to_its_bytes(folder: Path, file: str):
    make_run(folder / "runs", "old", [1] * 40)
    path = make_run(folder / "runs", "new", [1] * 40) / file
    path.write_bytes(path.read_bytes() + b"\n")
    found = steelyard("gate new --against old")
    assert (found.code, "run-damaged" in found.err) == (3, True)


def moved(folder: Path, *scores: list[int]) -> None:
    """Make a run of each list of scores, and set the baseline to each in turn."""
    for number, values in enumerate(scores):
        make_run(folder / "runs", f"r{number}", values)
        assert steelyard(f"baseline set main r{number}").code == 0


def test_a_gate_prints_the_delta_to_the_first_baseline_of_the_name(folder: Path):
    moved(folder, [1] * 200, [1] * 197 + [0] * 3, [1] * 194 + [0] * 6)
    make_run(folder / "runs", "new", [1] * 191 + [0] * 9)
    found = steelyard("gate new --against main")
    assert found.code == 0
    line = next(line for line in found.out.splitlines() if "since the first baseline" in line)
    assert line.startswith("  since the first baseline main (r0 run_")
    assert line.endswith("score 1.0000 -> 0.9550  -0.0450  n 200")
    assert "since the first baseline main" in steelyard("gate new --against main --format markdown").out
    first = json.loads(steelyard("gate new --against main --json").out)["tasks"][0]["first_baseline"]
    assert (first["name"], first["run"], first["reason"]) == ("main", "r0", "")
    (metric,) = first["metrics"]
    assert (metric["metric"], metric["first"], metric["current"], metric["n"]) == ("score", 1.0, 0.955, 200)
    assert round(metric["delta"], 12) == -0.045


def test_the_first_baseline_is_told_for_the_metrics_of_the_policy_too(folder: Path):
    moved(folder, [1] * 40, [1] * 40)
    make_run(folder / "runs", "new", [1] * 40)
    found = gated(
        "gate new --against main --policy gates.yaml --json", gates="gates:\n  - {metric: f1, max_drop: 0.1}\n"
    )
    metrics = json.loads(found.out)["tasks"][0]["first_baseline"]["metrics"]
    assert [entry["metric"] for entry in metrics] == ["score", "f1"]


def test_a_baseline_that_never_moved_is_its_first(folder: Path):
    moved(folder, [1] * 40)
    make_run(folder / "runs", "new", [1] * 40)
    assert "first baseline" not in steelyard("gate new --against main").out
    assert json.loads(steelyard("gate new --against main --json").out)["tasks"][0]["first_baseline"] is None
    assert "first baseline" not in steelyard("gate new --against r0").out


def test_a_first_baseline_that_is_gone_or_changed_is_told_as_that(folder: Path):
    moved(folder, [1] * 40, [1] * 40)
    make_run(folder / "runs", "new", [1] * 40)
    shutil.move("runs/r0", "kept")
    found = steelyard("gate new --against main")
    assert (found.code, "the baseline main points to r0, which is not there" in found.out) == (0, True)
    shutil.copytree("runs/r1", "runs/r0")
    assert "is another run" in steelyard("gate new --against main").out


def test_runs_that_are_judged_otherwise_than_the_first_baseline_have_no_delta_to_it(folder: Path):
    make_run(folder / "runs", "r0", [1] * 40, signatures=SIGNATURES | {"scorers": ["score@v0"], "metrics": []})
    steelyard("baseline set main r0")
    make_run(folder / "runs", "r1", [1] * 40)
    steelyard("baseline set main r1")
    make_run(folder / "runs", "new", [1] * 40)
    assert "no number of the two runs means the same" in steelyard("gate new --against main").out
