"""The benchmarks run and compare what they measure; how fast this machine is today is not tested."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from measure import Cost, run_command, run_function  # noqa: E402 - found on the path that was just set
from setting import Result  # noqa: E402 - the same
from workloads import own_workload, texts  # noqa: E402 - the same


def test_rows_of_our_own_are_like_the_shared_ones(tmp_path):
    for kind in ("short", "sum", "cls"):
        own_workload(tmp_path / kind, kind, 50)
        rows = [json.loads(line) for line in (tmp_path / kind).read_text(encoding="utf-8").splitlines()]
        assert {frozenset(row) for row in rows} == {frozenset(["id", "input", "prediction", "reference", "tags"])}
    predictions, references = texts(tmp_path / "cls")
    assert 0.5 < sum(map(str.__eq__, predictions, references)) / 50 < 0.95


def test_a_command_is_measured_with_its_children(tmp_path):
    script = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'sum(range(10**7))'])"
    cost = run_command([sys.executable, "-c", script], folder=tmp_path)
    assert cost.seconds > run_function(lambda: sum(range(10**6))).seconds
    assert cost.megabytes > 1


def test_the_memory_of_a_command_is_its_own_however_large_we_are(tmp_path):
    ballast = bytearray(b"x") * (300 << 20)
    assert run_command([sys.executable, "-c", "pass"], folder=tmp_path).megabytes < len(ballast) / 2**20 / 2


def test_a_target_is_a_ratio_of_the_peer_to_us_or_of_growth():
    fast, slow = Cost(1.0, 100.0), Cost(50.0, 600.0)
    assert Result("w", "p", 40, fast, slow).met
    assert not Result("w", "p", 60, fast, slow).met
    assert Result("w", "p", 5, fast, slow, unit="memory").ratio == 6
    assert Result("w", "itself", 1.25, Cost(1, 120.0), fast, at_most=True, unit="memory").met


def test_the_quick_table_of_a_row_is_printed(tmp_path):
    arguments = [
        sys.executable,
        str(ROOT / "bench/run.py"),
        "--quick",
        "--rows",
        "classification",
        "--folder",
        str(tmp_path),
    ]
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=250, check=False)
    assert "| classification with confusion matrix, 100k string labels | scikit-learn from lists |" in done.stdout, (
        done.stderr
    )
