"""A full disk: exit 5, everything finished before is kept, and the run goes on once there is room."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

MODEL = """
import os
def answer(item):
    with open(os.environ["ASKED"], "a") as stream:
        stream.write(item.id + "\\n")
    if item.id == os.environ.get("FILL_AT"):
        with open("filler", "wb", buffering=0) as stream:
            try:
                while True:
                    stream.write(b"x" * 4096)
            except OSError:
                pass
    return {"prediction": item["answer"] * 40, "latency_ms": 1.0}
"""


@pytest.fixture
def small_disk(tmp_path):
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)], capture_output=True, text=True, check=False
    )
    if mounted.returncode:
        reason = f"a tmpfs cannot be mounted here: {mounted.stderr.strip()}"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def steelyard(folder, *arguments, **environment):
    given = {**os.environ, "ASKED": str(folder.parent / "asked.txt"), "TMPDIR": str(folder.parent), **environment}
    command = [sys.executable, "-m", "steelyard", "eval", "task.yaml", "--model", "python:filling:answer", *arguments]
    return subprocess.run(command, cwd=folder, env=given, capture_output=True, text=True, check=False, timeout=120)


def eval_bytes(folder, name):
    return {path.name: path.read_bytes() for path in sorted((folder / "runs" / name / "eval").iterdir())}


@pytest.mark.parametrize("fill_at", ["i0", "i17", "i29"])
def test_a_full_disk_is_exit_5_and_the_run_can_be_resumed(small_disk, fill_at):
    rows = [{"id": f"i{n}", "question": f"{n}?", "answer": str(n)} for n in range(30)]
    (small_disk / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (small_disk / "task.yaml").write_text("task: t\ndataset: items.jsonl\nfields: {reference: answer}\n")
    (small_disk / "filling.py").write_text(MODEL)
    asked = small_disk.parent / "asked.txt"
    assert steelyard(small_disk, "--name", "whole").returncode == 0
    asked.unlink()
    full = steelyard(small_disk, "--name", "first", FILL_AT=fill_at)
    assert full.returncode == 5, full.stderr
    assert "No space left" in full.stderr
    Path(small_disk / "filler").unlink()
    resumed = steelyard(small_disk, "--name", "first", "--resume")
    assert resumed.returncode == 0, resumed.stderr
    assert eval_bytes(small_disk, "first") == eval_bytes(small_disk, "whole")
    counts = Counter(asked.read_text().split())
    assert {*counts} == {row["id"] for row in rows}
    # Sixteen calls of the model are under way at a time; what they answer finds no room.
    assert sum(counts.values()) <= len(rows) + 16
