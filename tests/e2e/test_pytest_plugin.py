"""`pytest --steelyard TASK.yaml` in a session of its own, as a user's project runs it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

TASK = """
task: sums
dataset: items.jsonl
scorers: [answer_correctness@v1]
metrics: []
gates:
  - {metric: answer_correctness, min: %s}
  - {metric: answer_correctness, slice_each: kind, min: 0.5}
  - {metric: answer_correctness, max_drop: 0.02, level: advisory}
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    rows = [
        {"id": str(row), "prompt": "q", "expected_answer": "a", "prediction": "a" if row != 3 else "b",
         "tags": {"kind": "xy"[row // 2]}}
        for row in range(4)
    ]  # fmt: skip
    (tmp_path / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


def session(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-v", "-rs", *arguments]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)


def test_every_gate_is_a_test_and_an_advisory_one_never_fails(project: Path):
    (project / "task.yaml").write_text(TASK % "0.75")
    found = session(project, "--steelyard", "task.yaml")
    assert "answer_correctness min 0.75 PASSED" in found.stdout
    assert "answer_correctness [each kind] min 0.5 PASSED" in found.stdout
    assert "2 passed, 1 skipped" in found.stdout
    assert "there is no baseline" in found.stdout
    assert found.returncode == 0
    assert len(list((project / "runs").glob("run_*"))) == 1


def test_a_gate_that_does_not_pass_fails_with_its_reason(project: Path):
    (project / "task.yaml").write_text(TASK % "0.8")
    found = session(project, "--steelyard", "task.yaml")
    assert "fail: answer_correctness min 0.8: 0.75 on 4 items, wanted >= 0.8" in found.stdout
    assert "Traceback" not in found.stdout
    assert found.returncode == 1


def test_bad_input_fails_every_gate(project: Path):
    (project / "task.yaml").write_text(TASK % "0.8")
    (project / "items.jsonl").write_text("{")
    found = session(project, "--steelyard", "task.yaml")
    assert "3 failed" in found.stdout
    assert "[bad-json]" in found.stdout or "[truncated-line]" in found.stdout


def test_gates_stand_beside_ordinary_tests_and_the_fixture_evaluates(project: Path):
    (project / "task.yaml").write_text(TASK % "0.75")
    (project / "test_own.py").write_text(
        'def test_score(steelyard_eval):\n    assert steelyard_eval("task.yaml").primary_score == 0.75\n'
    )
    found = session(project, "--steelyard", "task.yaml")
    assert "3 passed, 1 skipped" in found.stdout


def test_a_session_that_does_not_ask_for_it_imports_nothing_of_it(project: Path):
    (project / "test_own.py").write_text(
        "import sys\n\ndef test_light():\n"
        "    loaded = {name for name in sys.modules if name.startswith('steelyard.')}\n"
        "    assert loaded == {'steelyard.pytest_plugin'}\n"
    )
    assert session(project).returncode == 0
