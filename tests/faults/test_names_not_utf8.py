"""Names and paths that are not UTF-8: every command refuses them at the start, and nothing is written."""

import os
from pathlib import Path

import pytest

from steelyard.errors import UsageError
from steelyard.kinds.task.order import evaluate
from steelyard.tasks.loading import EvaluateOptions
from tests.faults.stores import make_store

BAD = os.fsdecode(b"caf\xe9")
VARIABLES = ("STEELYARD_RUNS_DIR", "STEELYARD_DATASETS_DIR", "STEELYARD_CACHE_DIR", "GITHUB_STEP_SUMMARY")
JUDGED = "eval --dataset items.jsonl --predictions fair.jsonl --scorer answer_correctness@v1"
LINES = (
    f"eval --dataset {BAD}.jsonl --scorer answer_correctness@v1",
    f"eval --dataset items.jsonl --predictions {BAD}.jsonl --scorer answer_correctness@v1",
    f"eval {BAD}.yaml",
    f"{JUDGED} --runs-dir {BAD}",
    f"{JUDGED} --name {BAD}",
    f"{JUDGED} --model-name {BAD}",
    f"evaluate --dataset {BAD}.json",
    f"research --golden {BAD}.json --outputs outputs",
    f"train --config {BAD}.yaml",
    f"runs list --runs-dir {BAD}",
    f"runs show {BAD}",
    f"runs items {BAD}",
    f"compare --runs base,{BAD}",
    f"compare --runs base,cand --output {BAD}.md",
    f"report cand --output {BAD}.html",
    f"baseline set {BAD} cand",
    f"baseline list --runs-dir {BAD}",
    f"gate cand --against {BAD}",
    f"gate cand --policy {BAD}.yaml",
    f"gate cand --junit {BAD}.xml",
    f"rescore {BAD}",
    f"reproduce --run {BAD}",
    f"reindex --runs-dir {BAD}",
    f"dataset add {BAD}.jsonl --name shelf",
    f"dataset add items.jsonl --name {BAD}",
    f"dataset show {BAD}@v1",
    f"validate {BAD}.jsonl",
    f"init {BAD}",
)


@pytest.fixture
def store(tmp_path, steelyard):
    make_store(tmp_path)
    for suffix in ("jsonl", "json", "yaml"):
        (tmp_path / f"{BAD}.{suffix}").write_bytes((tmp_path / "items.jsonl").read_bytes())
    (tmp_path / BAD).mkdir()
    return steelyard


def below(folder: Path) -> set[bytes]:
    return {os.fsencode(path) for path in folder.rglob("*")}


def test_every_command_refuses_them_and_writes_nothing(store, tmp_path, capfd):
    capfd.readouterr()
    before = below(tmp_path)
    for line in LINES:
        found = store(*line.split(" "))
        assert (found.code, "[not-utf8]" in found.err, "caf\\udce9" in found.err) == (2, True, True), (line, found)
        assert "hint: rename it" in found.err
    assert below(tmp_path) == before


@pytest.mark.parametrize(
    "name", ["STEELYARD_RUNS_DIR", "STEELYARD_DATASETS_DIR", "STEELYARD_CACHE_DIR", "GITHUB_STEP_SUMMARY"]
)
def test_variables_are_held_to_it_too(store, monkeypatch, name):
    monkeypatch.setenv(name, BAD)
    found = store("runs", "list")
    assert (found.code, name in found.err) == (2, True)


def test_a_folder_of_that_name_is_no_place_to_work_in(store, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path / BAD)
    found = store("runs", "list")
    assert (found.code, "the working directory" in found.err) == (2, True)


def test_files_of_a_folder_that_becomes_a_dataset_are_held_to_it(store):
    Path(BAD, f"{BAD}.jsonl").write_bytes(Path("items.jsonl").read_bytes())
    Path(BAD).rename("plain")
    found = store("dataset", "add", "plain", "--name", "shelf")
    assert (found.code, "[not-utf8]" in found.err) == (2, True)


def test_folders_of_such_names_among_runs_are_told_and_passed_over(store):
    Path("runs", BAD).mkdir()
    Path("runs", BAD, "run.json").write_bytes(Path("runs/cand/run.json").read_bytes())
    listed = store("runs", "list")
    assert (listed.code, "caf\\udce9 is passed over" in listed.err, "4 runs" in listed.err) == (0, True, True)
    assert store("gate", "latest", "--against", "main").code == 0
    assert store("reindex").out == "indexed 4 runs\n"


@pytest.mark.parametrize("field", ["dataset", "predictions", "runs_dir", "name"])
def test_python_is_held_to_it_too(store, field):
    given = {"dataset": "items.jsonl", "predictions": "fair.jsonl", "scorer": "answer_correctness@v1", field: BAD}
    if field == "runs_dir":
        given[field] = Path(BAD)
    with pytest.raises(UsageError):
        evaluate(EvaluateOptions(**given))


def test_a_task_file_cannot_name_one_by_an_escape(store):
    Path("task.yaml").write_text('task: t\ndataset: "caf\\uDCE9.jsonl"\nanswer_type: text\n')
    found = store("eval", "task.yaml")
    assert (found.code, "Traceback" in found.err) == (2, False)


@pytest.mark.parametrize(
    "lines",
    ["prompt_file: {}", "model: 'python:m:f'\nprompt_file: {}", 'model: "gguf:a\\0b"', "eval: {{gold_set: {}}}"],
)
def test_a_path_with_a_nul_is_refused(store, lines):
    written = lines.format('"a\\0b"')
    Path("task.yaml").write_text(f"task: t\ndataset: items.jsonl\nanswer_type: text\n{written}\n")
    found = store("eval", "task.yaml")
    assert (found.code in {2, 3}, "a\\x00b" in found.err, "[internal]" in found.err) == (True, True, False), found


def test_a_project_file_with_a_nul_is_refused(store):
    Path("steelyard.yaml").write_text('runs_dir: "a\\0b"\n')
    found = store("runs", "list")
    assert (found.code, "project file's runs_dir" in found.err) == (2, True)
