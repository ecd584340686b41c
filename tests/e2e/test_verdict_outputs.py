"""Every verdict in every output of `steelyard gate`: exit code, last line, text, JSON, JUnit, summary."""

import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.made_runs import SIGNATURES, make_run

TAGS = {"source": ["human"] * 20 + ["synthetic"] * 20}
MODELS = """
import os, signal, time
def dies(item):
    os.kill(os.getpid(), signal.SIGKILL)
def fails(item):
    raise ValueError("no")
def sleeps(item):
    open("asked", "w").close()
    time.sleep(60)
"""
POLICIES = {
    "slices.yaml": "gates: [{metric: f1, slice_each: source, max_drop: 0.05}]",
    "margin.yaml": "gates: [{metric: f1, non_inferior: 0.02}]",
    "below.yaml": "gates: [{metric: f1, max_drop: 0.02, when_baseline_below: 0.2}]",
    "task.yaml": "gates: [{metric: f1, min: 0}, {metric: f1, max_drop: 0.02, task: maed}]",
    "tag.yaml": "gates: [{metric: f1, min: 0}, {metric: f1, slice_each: sorce, max_drop: 0.02}]",
    "advisory.yaml": "gates: [{metric: f1, max_drop: 0.02, level: advisory}]",
    "bad.yaml": "gates: [{metric: f1, max_drp: 0.02}]",
}
MAIN = ("--against", "main")


@dataclass(frozen=True)
class Case:
    arguments: tuple[str, ...]
    code: int
    line: str
    verdict: str | None
    failures: int = 0
    errors: int = 0


CASES = {
    "pass": Case(("same", *MAIN), 0, "PASS (no drop; 40 items show 0.162)", "pass"),  # binom.sf(4, 40, 0.162) is 0.80
    "fail": Case(("worse", *MAIN), 1, "FAIL (1 of 2 gates)", "fail", failures=1),
    "fail of a slice": Case(("worse", *MAIN, "--policy", "slices.yaml"), 1, "FAIL (1 of 2 gates)", "fail", failures=1),
    "undecided": Case(("same", *MAIN, "--policy", "margin.yaml"), 3, "UNDECIDED (1 of 1 gates)", "undecided", errors=1),
    "advisory alone": Case(
        ("same", *MAIN, "--policy", "advisory.yaml"), 3, "UNDECIDED (no gate that blocks)", "undecided", errors=1
    ),
    "incomparable": Case(("other", *MAIN), 3, "UNDECIDED (2 of 2 gates)", "undecided", errors=2),
    "no baseline": Case(("same",), 3, "UNDECIDED (2 of 2 gates)", "undecided", errors=2),
    "crashed": Case(("crashed", *MAIN), 1, "FAIL (1 of 1 gates)", "fail", failures=1),
    "crashed baseline": Case(("same", "--against", "crashed"), 3, "UNDECIDED (1 of 1 gates)", "undecided", errors=1),
    "over budget": Case(("broke", *MAIN), 3, "UNDECIDED (1 of 1 gates)", "undecided", errors=1),
    "running": Case(("running", *MAIN), 3, "UNDECIDED (1 of 1 gates)", "undecided", errors=1),
    "nothing answered": Case(("mute", *MAIN), 3, "UNDECIDED (2 of 2 gates)", "undecided", errors=2),
    "empty baseline": Case(("same", "--against", "mute"), 3, "UNDECIDED (2 of 2 gates)", "undecided", errors=2),
    "empty baseline by name": Case(("same", "--against", "hush"), 3, "UNDECIDED (2 of 2 gates)", "undecided", errors=2),
    "no rule applies": Case(
        ("worse", *MAIN, "--policy", "below.yaml"), 3, "UNDECIDED (no gate that blocks)", "undecided", errors=1
    ),
    "another task": Case(
        ("same", *MAIN, "--policy", "task.yaml"), 3, "UNDECIDED (1 of 2 gates)", "undecided", errors=1
    ),
    "a tag of no item": Case(("same", *MAIN, "--policy", "tag.yaml"), 2, "NO VERDICT (unknown-tag)", None, errors=1),
    "crashed, no baseline": Case(("crashed",), 1, "FAIL (1 of 1 gates)", "fail", failures=1),
    "latest": Case(("latest", *MAIN), 3, "UNDECIDED (1 of 1 gates)", "undecided", errors=1),
    "latest of a task": Case(("latest@made", *MAIN), 3, "UNDECIDED (2 of 2 gates)", "undecided", errors=2),
    "damaged": Case(("damaged", *MAIN), 3, "UNDECIDED (run-damaged)", "undecided", errors=1),
    "unknown": Case(("nowhere", *MAIN), 3, "UNDECIDED (run-not-found)", "undecided", errors=1),
    "clusters differ": Case(
        ("clustered", "--against", "mixed"), 3, "UNDECIDED (incomparable-runs)", "undecided", errors=1
    ),
    "itself": Case(("main", *MAIN), 2, "NO VERDICT (usage)", None, errors=1),
    "bad policy": Case(("same", *MAIN, "--policy", "bad.yaml"), 2, "NO VERDICT (unknown-key)", None, errors=1),
}


def steelyard(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "steelyard", *arguments],
        cwd=folder, capture_output=True, text=True, check=False, timeout=120,
        env={"PATH": "/usr/bin:/bin", "HOME": str(folder), "NO_COLOR": "1", **environment},
    )  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("verdicts")
    for name, scores in {"main": [1] * 36 + [0] * 4, "same": [1] * 36 + [0] * 4, "damaged": [1] * 40}.items():
        make_run(found / "runs", name, scores, tags=TAGS)
    make_run(found / "runs", "worse", [1] * 20 + [0] * 20, tags=TAGS)
    make_run(found / "runs", "other", [1] * 40, tags=TAGS, signatures=SIGNATURES | {"scorers": ["score@v2"]})
    make_run(found / "runs", "mixed", [1] * 40, clusters=["a", "b"] * 20)
    make_run(found / "runs", "clustered", [1] * 40, clusters=["a"] * 20 + ["b"] * 20)
    make_run(found / "runs", "mute", [0] * 40, tags=TAGS, states=["missing", "failed", "unparsed", "timeout"] * 10)
    steelyard(found, "baseline", "set", "hush", "mute", "--allow-empty")
    (found / "runs/damaged/eval/items.parquet").write_bytes(b"PAR1")
    (found / "models.py").write_text(MODELS)
    for name, text in POLICIES.items():
        (found / name).write_text(text)
    rows = [f'{{"id": "i{row}", "prompt": "q", "expected_answer": "a"}}\n' for row in range(3)]
    (found / "items.jsonl").write_text("".join(rows))
    asked = ("eval", "--dataset", "items.jsonl", "--answer-type", "text", "--model")
    steelyard(found, *asked, "python:models:dies", "--name", "crashed")
    steelyard(found, *asked, "python:models:fails", "--name", "broke")
    command = [sys.executable, "-m", "steelyard", *asked, "python:models:sleeps", "--name", "running"]
    with subprocess.Popen(command, cwd=found, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        while not (found / "asked").exists() and running.poll() is None:
            time.sleep(0.05)
        yield found
        running.kill()


@pytest.fixture(scope="module", params=CASES)
def told(request, folder):
    """The case, and what its gate said with every output asked for at once."""
    case, name = CASES[request.param], request.param.replace(" ", "-")
    files = {"junit": folder / f"{name}.xml", "summary": folder / f"{name}.md"}
    files["junit"].write_text("<testsuites/>")
    done = steelyard(
        folder, "gate", *case.arguments, "--json", "--junit", str(files["junit"]),
        GITHUB_STEP_SUMMARY=str(files["summary"]),
    )  # fmt: skip
    return case, done, files


def test_the_exit_code_and_the_last_line_are_the_verdict(told):
    case, done, _ = told
    assert done.returncode == case.code, done.stderr
    assert done.stderr.splitlines()[-1] == f"steelyard: {case.line}"


def test_json_says_the_verdict_and_its_line(told):
    case, done, _ = told
    found = json.loads(done.stdout)
    assert (found["verdict"], found["line"], found["exit_code"]) == (case.verdict, case.line, case.code)


def test_junit_counts_failures_and_errors_and_nothing_of_last_time_is_left(told):
    case, _, files = told
    root = ElementTree.parse(files["junit"]).getroot()
    assert (root.get("failures"), root.get("errors")) == (str(case.failures), str(case.errors))
    assert int(root.get("tests")) >= 1
    assert len(root.findall(".//failure")) == case.failures
    assert len(root.findall(".//error")) == case.errors


def test_the_summary_begins_with_the_verdict(told):
    case, _, files = told
    assert files["summary"].read_text().splitlines()[0] == f"## Steelyard: {case.line}"


def test_whatever_is_undecided_says_what_to_do(told):
    case, done, files = told
    if case.code == 0:
        return
    found = json.loads(done.stdout)
    told_to = [entry["hint"] for entry in found.get("gates", []) if entry["outcome"] == "undecided"]
    told_to += [entry["hint"] for entry in [*found.get("problems", []), found.get("lacking")] if entry]
    assert told_to or case.code == 1
    assert all(told_to)
    text = files["summary"].read_text().replace("\\", "")
    assert all(hint in text for hint in told_to)


def test_text_is_a_verdict_for_people(folder):
    said = steelyard(folder, "gate", "worse", *MAIN, "--policy", "slices.yaml")
    assert "FAIL       f1 [source=synthetic] max_drop 0.05" in said.stdout
    assert "item-20" in said.stdout
    assert "item-1 " not in said.stdout


def test_a_failing_slice_lists_its_own_items_for_machines(folder):
    given = ("gate", "worse", *MAIN, "--policy", "slices.yaml", "--json", "--junit", "slices.xml", "--top", "3")
    found = json.loads(steelyard(folder, *given).stdout)
    (failed,) = [entry for entry in found["gates"] if entry["outcome"] == "fail"]
    assert failed["failing"] == ["item-20", "item-21", "item-22"]
    (failure,) = ElementTree.parse(folder / "slices.xml").getroot().findall(".//failure")
    assert failure.text.splitlines()[-3:] == ["item-20", "item-21", "item-22"]
