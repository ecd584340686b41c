"""Files get their modes by the umask, never wider; what keeps prompts and answers is its owner's alone."""

import os
import stat
from pathlib import Path

import pytest

from tests.faults.stores import make_store

MODEL = b"def answer(item):\n    return '7'\n"
LINES = (
    "eval --dataset items.jsonl --scorer answer_correctness@v1 --model python:sevens:answer --name asked",
    "eval --dataset items.jsonl --scorer answer_correctness@v1 --model python:sevens:answer --repeats 2 --name twice",
    "gate cand --against main --junit gates.xml",
    "compare --runs base,cand --format markdown --output both.md",
    "report cand --output page.html",
    "rescore cand",
    "dataset add items.jsonl --name shelf",
    "runs list",
    "init more",
)


@pytest.fixture(params=[0o077, 0o027, 0o022, 0o002], ids=oct)
def umask(request, tmp_path, monkeypatch):
    monkeypatch.setenv("STEELYARD_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    monkeypatch.syspath_prepend(str(tmp_path))
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def expected(path: Path, umask: int) -> int:
    if path.is_dir():
        return 0o777 & ~umask
    if path.name.startswith("answers.sqlite"):
        return 0o600
    kept = "datasets" in path.parts and path.name != "manifest.json"
    return (0o444 if kept else 0o666) & ~umask


def test_every_file_has_the_mode_that_the_umask_gives(umask, tmp_path, steelyard):
    make_store(tmp_path)
    (tmp_path / "sevens.py").write_bytes(MODEL)
    for line in LINES:
        found = steelyard(*line.split())
        assert found.code in {0, 1}, (line, found)
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.rglob("*") if "__pycache__" not in path.parts}
    wrong = {
        str(path.relative_to(tmp_path)): (oct(mode), oct(expected(path, umask)))
        for path, mode in modes.items()
        if mode != expected(path, umask)
    }
    assert not wrong
    assert len(modes) > 80


def test_a_file_that_its_owner_narrowed_stays_narrow(tmp_path, steelyard):
    make_store(tmp_path)
    assert steelyard("report", "cand", "--output", "page.html").code == 0
    (tmp_path / "page.html").chmod(0o600)
    assert steelyard("report", "cand", "--output", "page.html").code == 0
    assert stat.S_IMODE((tmp_path / "page.html").stat().st_mode) == 0o600


def test_a_cache_that_others_could_read_is_closed_to_them(tmp_path, steelyard, monkeypatch):
    monkeypatch.setenv("STEELYARD_CACHE_DIR", str(tmp_path))
    (tmp_path / "answers.sqlite").touch(mode=0o644)
    assert steelyard("cache", "info").code == 0
    assert {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.glob("answers*")} == {
        "answers.sqlite": 0o600
    }
