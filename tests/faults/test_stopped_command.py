"""A signal in the middle of an evaluation: it stops, says so, and leaves a run that says so too."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ITEMS = 40_000


def wait_for(path: Path, process: subprocess.Popen[str]) -> None:
    while not path.exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_stopped_evaluation_exits_by_its_signal_and_is_marked_interrupted(tmp_path, number, code):
    rows = (
        f'{{"id":{index},"prompt":"?","expected_answer":"{index} km","output":"{index} m"}}\n' for index in range(ITEMS)
    )
    (tmp_path / "items.jsonl").write_text("".join(rows))
    command = [sys.executable, "-m", "steelyard", "eval", "--dataset", "items.jsonl", "--answer-type", "number"]
    with subprocess.Popen(
        [*command, "--name", "run", "--json"], cwd=tmp_path, stdout=-1, stderr=-1, text=True
    ) as process:
        wait_for(tmp_path / "runs" / "run" / "run.json", process)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, json.loads(out)["problems"][0]["code"]) == (code, "interrupted")
    assert "Traceback" not in err
    assert json.loads((tmp_path / "runs" / "run" / "run.json").read_bytes())["status"] == "interrupted"
    assert not (tmp_path / "runs" / "run" / "eval" / "eval_results.json").exists()
    assert [path.name for path in (tmp_path / "runs").rglob(".*") if path.is_file() and "parquet" in path.name] == []


MODEL = """
import time
def answer(item):
    open("asked.txt", "a").write(item.id + "\\n")
    time.sleep(0.05)
    return item["answer"]
"""
TASK = "task: t\ndataset: items.jsonl\nfields: {reference: answer}\n"
ASKING = [sys.executable, "-m", "steelyard", "eval", "task.yaml", "--model", "python:slow:answer", "--concurrency", "1"]


def asked(folder: Path) -> list[str]:
    path = folder / "asked.txt"
    return path.read_text().split() if path.exists() else []


@pytest.fixture
def asking(tmp_path):
    """A folder with a task whose model takes its time."""
    rows = [{"id": f"i{n}", "question": f"{n}?", "answer": str(n)} for n in range(40)]
    (tmp_path / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "task.yaml").write_text(TASK)
    (tmp_path / "slow.py").write_text(MODEL)
    return tmp_path


def test_a_closed_terminal_leaves_a_run_that_can_be_resumed(asking):
    with subprocess.Popen([*ASKING, "--name", "run"], cwd=asking, stdout=-1, stderr=-1, text=True) as process:
        while len(asked(asking)) < 5:
            assert process.poll() is None, process.communicate()
            time.sleep(0.02)
        process.send_signal(signal.SIGHUP)
        _, err = process.communicate(timeout=60)
    assert (process.returncode, "[interrupted]" in err, "Traceback" in err) == (129, True, False)
    assert json.loads((asking / "runs" / "run" / "run.json").read_bytes())["status"] == "interrupted"
    resumed = subprocess.run(
        [*ASKING, "--name", "run", "--resume"], cwd=asking, capture_output=True, text=True, check=False
    )
    assert (resumed.returncode, json.loads((asking / "runs" / "run" / "run.json").read_bytes())["status"]) == (
        0,
        "completed",
    )
    assert len(asked(asking)) <= len({*asked(asking)}) + 1 == 41


def test_a_signal_that_nohup_ignores_stays_ignored(asking):
    command = f"trap '' HUP; exec {' '.join(ASKING)} --name run --limit 10"
    with subprocess.Popen(["bash", "-c", command], cwd=asking, stdout=-1, stderr=-1, text=True) as process:
        while len(asked(asking)) < 3:
            assert process.poll() is None, process.communicate()
            time.sleep(0.02)
        process.send_signal(signal.SIGHUP)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
