"""SIGINT and SIGTERM in the middle of an evaluation: it stops, says so, and leaves a run that says so too."""

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


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
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
