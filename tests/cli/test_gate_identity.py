"""A gate through the command: a run, a baseline and their items are what they say they are."""

import json
from pathlib import Path

import pytest
from made_runs import make_run
from tamper.worlds import Finished, inside, steelyard

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
