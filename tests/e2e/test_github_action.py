"""The GitHub Action's own steps, run here as a runner runs them: inputs to environment variables, bash, outputs."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text())
EXPRESSION = re.compile(r"\$\{\{ inputs\.([a-z-]+) \}\}")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, wrong in (("good", 0), ("bad", 6)):
        rows = [{"id": str(row), "prediction": "b" if row < wrong else "a"} for row in range(10)]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    items = [{"id": str(row), "prompt": "q", "expected_answer": "a"} for row in range(10)]
    (tmp_path / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in items))
    (tmp_path / "task.yaml").write_text(
        "task: sums\ndataset: items.jsonl\nscorers: [answer_correctness@v1]\nmetrics: []\n"
    )
    return tmp_path


def run_action(project: Path, **given: str) -> tuple[int, dict[str, str], str]:
    """Run the steps in bash; return the exit code, the outputs and the summary."""
    inputs = {name: entry.get("default", "") for name, entry in ACTION["inputs"].items()}
    inputs |= {name.replace("_", "-"): value for name, value in given.items()} | {"install": "", "python-version": ""}
    output, summary = project / "output", project / "summary"
    output.write_text("")
    code = 0
    for step in ACTION["runs"]["steps"]:
        skipped = "if" in step and inputs[re.search(r"inputs\.([a-z-]+)", step["if"])[1]] == ""
        if skipped or code:
            continue
        environment = {name: EXPRESSION.sub(lambda found: inputs[found[1]], text) for name, text in step["env"].items()}
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        files = {"GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(summary)}
        code = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=project, env=os.environ | environment | files | {"PATH": path}, check=False, capture_output=True,
        ).returncode  # fmt: skip
    outputs = dict(line.split("=", 1) for line in output.read_text().splitlines())
    return code, outputs, summary.read_text() if summary.exists() else ""


def test_a_good_run_passes_and_a_worse_one_fails_the_job(project: Path):
    code, outputs, _ = run_action(project, task="task.yaml", predictions="good.jsonl", name="main", policy="")
    assert (code, outputs["verdict"]) == (3, "undecided")  # nothing to look back at yet
    code, outputs, _ = run_action(project, task="task.yaml", predictions="good.jsonl", against="main", name="same")
    assert (code, outputs) == (0, {"run": "runs/same", "verdict": "pass"})
    code, outputs, summary = run_action(project, task="task.yaml", predictions="bad.jsonl", against="main")
    assert (code, outputs["verdict"]) == (1, "fail")
    assert "## Steelyard: FAIL (1 of 2 gates)" in summary
    root = ElementTree.parse(project / "steelyard-gates.xml").getroot()
    assert root.get("failures") == "1"


def test_an_input_cannot_run_as_a_command(project: Path):
    code, _, _ = run_action(project, task='task.yaml"; touch stolen; "', predictions="good.jsonl")
    assert code != 0
    assert not (project / "stolen").exists()
    assert not any("inputs." in step.get("run", "") for step in ACTION["runs"]["steps"])


def test_every_input_and_output_is_described():
    described = [*ACTION["inputs"].values(), *ACTION["outputs"].values()]
    assert all(entry["description"] for entry in described)
