"""Process start: `--help`, and 100 items scored from start to end, against inspect and lm_eval."""

from __future__ import annotations

import json
import shutil

from measure import Cost, interleaved, run_command
from setting import Result, Setting
from workloads import workload

INSPECT_TASK = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import match
from inspect_ai.solver import generate
import json

@task
def hundred():
    rows = [json.loads(line) for line in open("hundred.jsonl")]
    samples = [Sample(id=row["id"], input=row["input"], target=row["reference"]) for row in rows]
    return Task(dataset=samples, solver=generate(), scorer=match())
"""


def measure(setting: Setting) -> list[Result]:
    results = []
    inspect, harness = setting.peer("inspect"), setting.peer("lm_eval")
    if inspect is not None:
        results.append(_help(setting, inspect, "inspect --help", 10))
    if harness is not None:
        results.append(_help(setting, harness, "lm_eval --help", 1, note="for comparison; page 20 sets no target"))
    if inspect is not None:
        results.append(_hundred_items(setting, inspect))
    return results


def _help(setting: Setting, command: str, name: str, target: float, note: str = "") -> Result:
    costs = interleaved(
        lambda: run_command([setting.command, "--help"], folder=setting.folder),
        lambda: run_command([command, "--help"], folder=setting.folder),
        3,
    )
    return Result("`steelyard --help`", f"`{name}`", target, *costs, note=note)


def _hundred_items(setting: Setting, inspect: str) -> Result:
    rows = workload(setting.folder, "short", 1000).read_text(encoding="utf-8").splitlines()[:100]
    (setting.folder / "hundred.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (setting.folder / "hundred.py").write_text(INSPECT_TASK)
    assert len({json.loads(row)["id"] for row in rows}) == 100
    costs = interleaved(lambda: _ours(setting), lambda: _theirs(setting, inspect), 3)
    return Result("100 items scored, process start to end", "`inspect eval`, mock model", 5, *costs)


def _ours(setting: Setting) -> Cost:
    shutil.rmtree(setting.folder / "runs", ignore_errors=True)
    arguments = ["eval", "--dataset", "hundred.jsonl", "--answer-type", "text", "--name", "bench", "--runs-dir", "runs"]
    return run_command([setting.command, *arguments], folder=setting.folder)


def _theirs(setting: Setting, inspect: str) -> Cost:
    arguments = ["eval", "hundred.py", "--model", "mockllm/model", "--display", "none"]
    return run_command([inspect, *arguments], folder=setting.folder)
