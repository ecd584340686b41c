"""What a run prints is true of it, wherever its answers come from."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tamper.worlds import inside, steelyard, write_rows

SOURCES = {
    "callable": "--model python:answering:answer",
    "mock": "--model mock",
    "replay": "--model replay:said.jsonl",
    "stored": "--predictions said.jsonl",
}


@pytest.fixture
def folder(tmp_path: Path):
    with inside(tmp_path):
        write_rows("items.jsonl", [{"id": f"i{n}", "prompt": "?", "expected_answer": "a"} for n in range(3)])
        write_rows("said.jsonl", [{"id": f"i{n}", "output": "a"} for n in range(3)])
        Path("answering.py").write_text("def answer(item):\n    return 'a'\n")
        Path("task.yaml").write_text("task: t\ndataset: items.jsonl\nanswer_type: text\n")
        yield tmp_path


@pytest.mark.parametrize("source", SOURCES)
def test_a_model_s_run_is_not_called_stored_predictions(folder: Path, source: str):
    made = steelyard(f"eval task.yaml {SOURCES[source]} --name run")
    shown = steelyard("runs show run")
    steelyard("report run --output page.html")
    assert (made.code, shown.code) == (0, 0)
    assert "eval_loss" in made.out
    for said in (made.out + made.err, shown.out, Path("page.html").read_text()):
        assert "stored predictions" not in said


def test_the_same_answers_give_the_same_bytes_from_a_model_and_from_a_file(folder: Path):
    for source in ("callable", "stored"):
        assert steelyard(f"eval task.yaml {SOURCES[source]} --name {source}").code == 0
    results = [Path(f"runs/{source}/eval/eval_results.json").read_bytes() for source in ("callable", "stored")]
    assert results[0] == results[1]


TALKING = """
import os, subprocess
print("imported")
def answer(item):
    print("asked")
    os.write(1, b"written\\n")
    subprocess.run(["echo", "started"], check=True)
    if item.id == "i1":
        raise ValueError("no")
    return "a"
async def later(item):
    print("asked")
    return "a"
"""


@pytest.mark.parametrize(("function", "code"), [("answer", 4), ("later", 0)])
def test_what_a_model_prints_is_not_in_the_json(folder: Path, function: str, code: int):
    Path("talking.py").write_text(TALKING)
    line = f"eval task.yaml --model python:talking:{function} --json"
    done = subprocess.run(
        [sys.executable, "-m", "steelyard", *line.split()], capture_output=True, text=True, check=False
    )
    assert (done.returncode, json.loads(done.stdout)["scorecard"]["n_items"]) == (code, 3)
    assert ("imported" in done.stderr, "asked" in done.stderr) == (True, True)
