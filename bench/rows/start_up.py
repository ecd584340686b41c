"""Process start: `--help`, and 100 items scored from start to end, against inspect and lm_eval."""

from __future__ import annotations

import json
import shutil

from measure import Cost, interleaved, run_command
from setting import Result, Setting
from workloads import workload

from rows.generation import INSPECT_CHECK, INSPECT_TASK


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
    (setting.folder / "hundred.py").write_text(INSPECT_TASK.replace("asked.jsonl", "hundred.jsonl"))
    assert len({json.loads(row)["id"] for row in rows}) == 100
    costs = interleaved(lambda: _ours(setting), lambda: _theirs(setting, inspect), 3)
    return Result("100 items scored, process start to end", "`inspect eval`, mock model", 5, *costs)


def _ours(setting: Setting) -> Cost:
    shutil.rmtree(setting.folder / "runs", ignore_errors=True)
    arguments = ["eval", "--dataset", "hundred.jsonl", "--answer-type", "text", "--name", "bench", "--runs-dir", "runs"]
    return run_command([setting.command, *arguments], folder=setting.folder)


def _theirs(setting: Setting, inspect: str) -> Cost:
    shutil.rmtree(setting.folder / "logs", ignore_errors=True)
    arguments = ["eval", "hundred.py", "--display", "none", "--log-dir", "logs"]
    cost = run_command([inspect, *arguments], folder=setting.folder)
    # It exits with 0 where every sample has failed, and a peer that did nothing is no measure.
    run_command([str(setting.peers / "python"), "-c", INSPECT_CHECK, "100"], folder=setting.folder)
    return cost
