"""From a JSONL file to a finished run: summaries and short answers, against the script people write today.

Both sides are commands, measured from start to end. Means are compared: exact match and F1 to 1e-9; ROUGE to 1e-3,
because a text with a Han, kana or hangul character has tokens that rouge-score does not count.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from measure import Cost, interleaved, run_command
from setting import Result, Setting
from workloads import SHARED, workload

OWN_PEER = Path(__file__).resolve().parents[1] / "peer_script.py"
TASK = Path(__file__).resolve().parents[1] / "end_to_end.yaml"


def measure(setting: Setting) -> list[Result]:
    summaries = _row(setting, "sum", setting.size(100_000, 10_000))
    answers = _row(setting, "short", setting.size(1_000_000, 100_000))
    large, small = setting.size(1_000_000, 200_000), setting.size(100_000, 20_000)
    many, few = (
        _ours(setting, workload(setting.folder, "short", large)),
        _ours(setting, workload(setting.folder, "short", small)),
    )
    memory = Result(
        f"peak memory, {large:,} rows against {small:,} rows", "itself", 1.25, many, few, at_most=True, unit="memory"
    )
    return [
        Result(
            f"end to end, {_count(setting, 100_000, 10_000)} summaries", "the script people write today", 40, *summaries
        ),
        Result(f"end to end, {_count(setting, 1_000_000, 100_000)} short answers", "the same", 35, *answers),
        Result("the same, peak memory", "the same", 5, *answers, unit="memory"),
        memory,
    ]


def _count(setting: Setting, full: int, quick: int) -> str:
    return f"{setting.size(full, quick):,}"


def _row(setting: Setting, kind: str, count: int) -> tuple[Cost, Cost]:
    path = workload(setting.folder, kind, count)
    _ours(setting, path)  # compiles the loops where this machine has not done so yet
    costs = interleaved(lambda: _ours(setting, path), lambda: _peer(setting, path), 1)
    _compare(setting)
    return costs


def _ours(setting: Setting, path: Path) -> Cost:
    shutil.rmtree(setting.folder / "runs", ignore_errors=True)
    arguments = [setting.command, "eval", str(TASK), "--dataset", str(path), "--name", "bench", "--runs-dir", "runs"]
    return run_command(arguments, folder=setting.folder)


def _peer(setting: Setting, path: Path) -> Cost:
    script = SHARED / "peer_script.py"
    arguments = [setting.python, str(script if script.exists() else OWN_PEER), str(path), "peer.jsonl"]
    return run_command(arguments, folder=setting.folder)


def _compare(setting: Setting) -> None:
    theirs = json.loads((setting.folder / "output.txt").read_text().splitlines()[-1])["means"]
    ours = json.loads((setting.folder / "runs/bench/eval/eval_results.json").read_bytes())["metrics"]
    for name, bound in (("exact_match", 1e-9), ("f1", 1e-9), ("rouge1", 1e-3), ("rougeL", 1e-3)):
        assert abs(ours[name] - theirs[name]) < bound, (name, ours[name], theirs[name])
    assert abs(ours["format_compliance"] - theirs["format"]) < 1e-9
