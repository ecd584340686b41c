"""The run index kept in step with run directories, without an evaluation ever waiting for it."""

import json
import shutil
from pathlib import Path

import pytest

from steelyard.runs.baselines import name_baseline
from steelyard.runs.indexing import refreshed, reindex
from steelyard.runs.items import ItemQuery, run_items
from steelyard.runs.listing import list_page, shown_run
from steelyard.store.counting import FOLDER
from steelyard.store.index import RunIndex
from steelyard.verdicts.gating import GateOptions, gate
from tests.made_runs import make_run


def paths(runs_dir: Path, **wanted) -> list[str]:
    rows, _ = list_page(runs_dir, limit=100, **wanted)
    return sorted(row["path"] for row in rows)


def test_runs_are_listed_as_they_come_and_go(tmp_path: Path):
    make_run(tmp_path, "one", [1, 0])
    assert paths(tmp_path) == ["one"]
    make_run(tmp_path, "two", [1, 1], task="another")
    assert paths(tmp_path) == ["one", "two"]
    assert paths(tmp_path, task="another") == ["two"]
    shutil.rmtree(tmp_path / "one")
    assert paths(tmp_path) == ["two"]


def test_a_run_that_was_running_is_looked_at_again(tmp_path: Path):
    file = make_run(tmp_path, "one", [1, 0]) / "run.json"
    done = file.read_text()
    file.write_text(json.dumps(json.loads(done) | {"status": "running", "primary_score": None}))
    assert list_page(tmp_path, limit=1)[0][0]["status"] == "running"
    file.write_text(done)
    assert list_page(tmp_path, limit=1)[0][0]["primary_score"] == 0.5


def test_a_run_that_was_judged_again_is_shown_as_it_stands(tmp_path: Path):
    path = make_run(tmp_path, "one", [1, 0])
    assert list_page(tmp_path, limit=1)[0][0]["primary_score"] == 0.5
    record = json.loads((path / "run.json").read_text())
    fields = ("scorer_version", "signatures", "counts", "primary_metric")
    rescored = {name: record[name] for name in fields} | {"primary_score": 0.25}
    (path / "eval" / "rescored.json").write_text(json.dumps(rescored))
    assert list_page(tmp_path, limit=1)[0][0]["primary_score"] == 0.25


def test_the_index_is_rebuilt_from_the_directories(tmp_path: Path):
    make_run(tmp_path, "one", [1, 0])
    make_run(tmp_path, "two", [1, 0])
    name_baseline(tmp_path, "main", "one")
    gate(GateOptions(run="two", against="main", runs_dir=tmp_path))
    assert reindex(tmp_path) == 2
    index = refreshed(tmp_path)
    assert index.scores_of("one") == {"score": 0.5, "f1": 0.5}
    assert [row["name"] for row in index.names()] == ["main"]
    assert [row["verdict"] for row in index.decided()] == ["pass"]


def test_baselines_and_verdicts_follow_into_the_index(tmp_path: Path):
    make_run(tmp_path, "one", [1, 0])
    make_run(tmp_path, "base", [1, 0])
    assert refreshed(tmp_path).names() == []
    name_baseline(tmp_path, "main", "base")
    gate(GateOptions(run="one", against="main", runs_dir=tmp_path))
    index = refreshed(tmp_path)
    assert ([row["name"] for row in index.names()], len(index.decided_at())) == (["main"], 1)


def test_a_damaged_index_can_be_thrown_away(tmp_path: Path):
    make_run(tmp_path, "one", [1, 0])
    (tmp_path / FOLDER).mkdir(exist_ok=True)
    (tmp_path / FOLDER / "index.sqlite").write_bytes(b"broken" * 1000)
    assert reindex(tmp_path, discard=True) == 1


def test_a_folder_that_is_no_run_is_left_alone_and_a_broken_one_named(tmp_path: Path):
    make_run(tmp_path, "one", [1, 0])
    (tmp_path / "notes").mkdir()
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "run.json").write_text("{")
    with pytest.warns(UserWarning, match="broken is not listed"):
        assert paths(tmp_path) == ["one"]


def test_a_team_s_database_hears_of_a_run_when_it_completes(tmp_path: Path, monkeypatch):
    url = f"sqlite:///{tmp_path / 'team.sqlite'}"
    monkeypatch.setenv("STEELYARD_DATABASE_URL", url)
    make_run(tmp_path / "runs", "one", [1, 0])
    assert RunIndex.open(tmp_path / "runs", url=url).known() == {"one": "completed"}


def test_a_run_stands_though_the_database_does_not_answer(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("STEELYARD_DATABASE_URL", "sqlite:////nowhere/at/all.sqlite")
    with pytest.warns(UserWarning, match="not in the run index yet"):
        path = make_run(tmp_path, "one", [1, 0])
    assert json.loads((path / "run.json").read_text())["status"] == "completed"


def test_one_run_is_shown_with_its_baselines_and_verdicts(tmp_path: Path):
    make_run(tmp_path, "one", [1, 0])
    make_run(tmp_path, "two", [1, 0])
    name_baseline(tmp_path, "main", "one")
    name_baseline(tmp_path, "other", "two")
    gate(GateOptions(run="one", against="other", runs_dir=tmp_path))
    found = shown_run(tmp_path, "one")
    assert (found.baselines, [entry["verdict"] for entry in found.verdicts]) == (["main"], ["pass"])
    assert found.results["metrics"]["f1"] == 0.5


def items(runs_dir: Path, **query):
    rows, total = run_items(ItemQuery(run="one", runs_dir=runs_dir, **query))
    return [row["item_id"] for row in rows], total


def test_items_are_filtered_sorted_and_paged(tmp_path: Path):
    states = ["scored", "missing", "scored", "scored"]
    make_run(tmp_path, "one", [0.9, 0, 0.2, 1], tags={"source": ["x", "y", "x", None]}, states=states)
    assert items(tmp_path) == (["item-0", "item-1", "item-2", "item-3"], 4)
    assert items(tmp_path, state="missing") == (["item-1"], 1)
    assert items(tmp_path, where={"source": "x"}) == (["item-0", "item-2"], 2)
    assert items(tmp_path, where={"source": "_untagged"}) == (["item-3"], 1)
    assert items(tmp_path, failing=True) == (["item-1", "item-2"], 2)
    assert items(tmp_path, sort="f1", limit=2) == (["item-1", "item-2"], 4)
    assert items(tmp_path, sort="-f1", limit=1, offset=1) == (["item-0"], 4)
