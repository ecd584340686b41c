"""Judging a run again from what it stored."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from steelyard.errors import IncompleteError, InputError
from steelyard.kinds.rejudging import RescoreOptions, rescore
from steelyard.runs.recording import FinishedRun
from steelyard.store.directories import read_run

ITEMS = [
    {"id": 1, "gold": "the red fox", "model": {"answer": "a red fox"}},
    {"id": 2, "gold": "a hare", "model": {"answer": "a hare"}},
    {"id": 3, "gold": "an owl"},
]
FIELDS = {"reference": "gold", "prediction": "model.answer"}


@pytest.fixture
def made(judged: Callable[..., FinishedRun]) -> FinishedRun:
    return judged(ITEMS, task={"task": "animals", "fields": FIELDS}, scorer="answer_correctness@v1", name="made")


def again(made: FinishedRun, **options) -> FinishedRun:
    return rescore(RescoreOptions(run="made", runs_dir=made.path.parent, **options))


def digests(path: Path) -> dict[str, str]:
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in (path / "eval").iterdir()}


def test_the_same_scorers_give_the_same_bytes(made: FinishedRun):
    before = digests(made.path)
    for name in before:
        (made.path / "eval" / name).unlink()
    again(made)
    assert digests(made.path) == before


def test_another_scorer_changes_the_run_only_inside_eval(made: FinishedRun):
    record = (made.path / "run.json").read_bytes()
    rescored = again(made, scorer="text@v1")
    assert (made.path / "run.json").read_bytes() == record
    assert rescored.results["primary_metric"] == "text"
    assert read_run(made.path).scorer_version == "text@v1"
    assert read_run(made.path, as_made=True).scorer_version == "answer_correctness@v1"


def test_going_back_to_the_run_s_own_scorer_restores_it(made: FinishedRun):
    before = digests(made.path)
    again(made, scorer="text@v1")
    again(made, scorer="answer_correctness@v1")
    assert digests(made.path) == before


def test_a_changed_dataset_is_refused(made: FinishedRun):
    dataset = Path(made.run.dataset["path"])
    dataset.write_text(dataset.read_text().replace("hare", "bear"))
    with pytest.raises(InputError) as caught:
        again(made)
    assert caught.value.problems[0].code == "dataset-changed"


def test_an_incomplete_run_is_refused(made: FinishedRun):
    path = made.path / "run.json"
    path.write_text(path.read_text().replace('"completed"', '"interrupted"'))
    with pytest.raises(IncompleteError) as caught:
        again(made)
    assert caught.value.problems[0].code == "run-incomplete"
