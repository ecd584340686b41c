"""A suite whose process died: it does not pass, and the same command goes on with it; no answer is asked for twice."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

MODEL = """
import os, signal
def answer(item):
    with open("asked.txt", "a") as stream:
        stream.write(item.id + "\\n")
    if item.id == "two-3" and os.path.exists("die"):
        os.kill(os.getpid(), signal.SIGKILL)
    return item["expected_answer"]
"""
SUITE = "suite: both\ntasks: [one.yaml, two.yaml]\ngates: [{metric: exact_match, min: 0.5}]\n"
ASKED = "eval suite.yaml --model python:dying:answer --concurrency 1 --name night"
STORED = "eval suite.yaml --name night"


def steelyard(line: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("STEELYARD_", "GITHUB_"))}
    command = [sys.executable, "-m", "steelyard", *line.split()]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    """Two tasks of five items, whose model dies in the second one as long as there is a file `die`."""
    monkeypatch.chdir(tmp_path)
    Path("dying.py").write_text(MODEL)
    for task in ("one", "two"):
        rows = [{"id": f"{task}-{n}", "prompt": f"{n}?", "expected_answer": str(n)} for n in range(5)]
        Path(f"{task}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        Path(f"{task}.yaml").write_text(f"task: {task}\ndataset: {task}.jsonl\nmetrics: [exact_match]\n")
    Path("suite.yaml").write_text(SUITE)
    Path("die").touch()
    return tmp_path


def test_a_suite_that_died_fails_and_is_finished_by_resume_without_asking_twice(folder):
    assert steelyard(ASKED).returncode == -9
    gated = steelyard("gate night")
    assert (gated.returncode, gated.stderr.splitlines()[-1][:15]) == (1, "steelyard: FAIL")
    Path("die").unlink()
    again = steelyard(ASKED)
    assert (again.returncode, "--resume goes on with it" in again.stderr) == (2, True)
    assert steelyard(f"{ASKED} --resume").returncode == 0
    counts = Counter(Path("asked.txt").read_text().split())
    assert {name for name, count in counts.items() if count > 1} <= {"two-3"}
    assert len(counts) == 10
    assert steelyard("gate night").returncode == 0
    assert steelyard("gate latest").returncode == 0


def test_a_suite_over_stored_predictions_is_begun_again_by_the_same_command(folder):
    for task in ("one", "two"):
        rows = [{"id": f"{task}-{n}", "output": str(n)} for n in range(5)]
        Path(f"{task}-given.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        with Path(f"{task}.yaml").open("a") as stream:
            stream.write(f"predictions: {task}-given.jsonl\n")
    assert steelyard(STORED).returncode == 0
    record = json.loads(Path("runs/night/suite.json").read_bytes())
    refused = steelyard(STORED)
    assert (refused.returncode, "run-exists" in refused.stderr) == (2, True)
    # What a suite leaves whose process died between its two tasks.
    record["tasks"][1] |= {"path": None, "run_id": None, "fingerprint": None}
    from steelyard.store.files import json_bytes
    from steelyard.store.seals import sealed

    Path("runs/night/suite.json").write_bytes(json_bytes(sealed(record)))
    assert steelyard("gate night").returncode == 3
    assert steelyard(STORED).returncode == 0
    assert steelyard("gate latest").returncode == 0


def test_a_suite_that_is_under_way_is_left_alone(folder):
    from steelyard.store.owners import Owner

    assert steelyard(ASKED).returncode == -9
    owner = Owner(Path("runs/night"))
    held = steelyard(f"{ASKED} --resume")
    owner.release()
    assert (held.returncode, "run-exists" in held.stderr) == (2, True)


def test_a_folder_with_anything_else_in_it_is_no_suite_of_ours(folder):
    Path("runs/night").mkdir(parents=True)
    Path("runs/night/notes.txt").write_text("mine")
    assert steelyard(ASKED).returncode == 2
    assert Path("runs/night/notes.txt").read_text() == "mine"
