"""`steelyard calibrate` from the command line: figures for people, JSON for machines, and what it refuses."""

import json
import subprocess
import sys

import pytest

ITEMS = "".join(
    f'{{"id": "i{row}", "prompt": "q{row}", "expected_answer": "yes", "prediction": "{"yes" if row % 5 else "no"}"}}\n'
    for row in range(60)
)


def steelyard(folder, *arguments):
    command = [sys.executable, "-m", "steelyard", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "items.jsonl").write_text(ITEMS)
    steelyard(tmp_path, "eval", "--dataset", "items.jsonl", "--answer-type", "text", "--name", "base")
    steelyard(tmp_path, "baseline", "set", "main", "base")
    return tmp_path


def test_a_calibration_says_how_often_the_gate_is_wrong_in_both_ways(folder):
    done = steelyard(folder, "calibrate", "--baseline", "main", "--flip-rate", "0.1", "--simulations", "50")
    assert done.returncode == 0, done.stderr
    assert "false alarms: " in done.stdout
    assert "of runs that are 0.05 worse in text pass" in done.stdout


def test_json_holds_every_rate_with_its_count_and_nothing_else_is_printed(folder):
    done = steelyard(folder, "calibrate", "--baseline", "main", "--flip-rate", "0.1", "--simulations", "50", "--json")
    found = json.loads(done.stdout)
    assert found["false_alarm"]["n"] == found["miss"]["n"] == 50
    assert {side: sum(rate["count"] for rate in found["verdict"][side].values()) for side in ("equal", "worse")} == {
        "equal": 50,
        "worse": 50,
    }


def test_a_baseline_without_repeats_needs_a_flip_rate_and_the_message_says_so(folder):
    done = steelyard(folder, "calibrate", "--baseline", "main")
    assert done.returncode == 2
    assert "has no repeats" in done.stderr
    assert "--flip-rate 0.05" in done.stderr


def test_calibrating_leaves_no_verdict_and_no_run_behind(folder):
    before = sorted(str(path) for path in (folder / "runs").rglob("*"))
    steelyard(folder, "calibrate", "--baseline", "main", "--flip-rate", "0.1", "--simulations", "5")
    assert sorted(str(path) for path in (folder / "runs").rglob("*")) == before
