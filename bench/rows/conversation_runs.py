"""The whole of `steelyard evaluate` over stored traces: peak memory of a million turns against a tenth of them.

Conversations of two to six turns, one row a turn in the traces, with plans, tokens and validator logs. One turn in a
hundred has no row, so that from there on turns are looked up in the index on disk, which is the dearer way.
"""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

from measure import Cost, run_command
from setting import Result, Setting

_SCALES = (1, 1, 1, 1, 1.004, 100, -1, 1.3)
"""What an answer is multiplied by: right, rounded, in another scale, with the wrong sign, wrong."""


def measure(setting: Setting) -> list[Result]:
    many, few = setting.size(1_000_000, 100_000), setting.size(100_000, 10_000)
    large, small = _evaluated(setting, many), _evaluated(setting, few)
    each = 1000 * large.seconds / many
    work = f"`steelyard evaluate`, all files, peak memory of {many:,} turns against {few:,}, {each:.2g} ms CPU a turn"
    return [Result(work, "itself", 1.25, large, small, at_most=True, unit="memory")]


def _evaluated(setting: Setting, turns: int) -> Cost:
    workload = _workload(setting.folder, turns)
    runs = setting.folder / "conversation-runs"
    shutil.rmtree(runs, ignore_errors=True)
    given = ["--dataset", str(workload / "dataset.jsonl"), "--traces", str(workload / "traces.jsonl")]
    cost = run_command([setting.command, "evaluate", *given, "--runs-dir", str(runs)], folder=setting.folder)
    shutil.rmtree(runs)
    return cost


def _workload(folder: Path, turns: int) -> Path:
    """Write a dataset and its traces, once."""
    target = folder / f"conversations-{turns}"
    if (target / "complete").exists():
        return target
    target.mkdir(exist_ok=True)
    write_conversations(target, turns)
    (target / "complete").touch()
    return target


def write_conversations(folder: Path, turns: int, seed: int = 5) -> None:
    """Write `dataset.jsonl` and `traces.jsonl` with at least so many turns."""
    draws = random.Random(seed)
    done = number = 0
    with (folder / "dataset.jsonl").open("w") as dataset, (folder / "traces.jsonl").open("w") as traces:
        while done < turns:
            row, answers = _conversation(draws, f"conversation-{number:07d}")
            dataset.write(json.dumps(row) + "\n")
            traces.writelines(json.dumps(answer) + "\n" for answer in answers)
            done += len(row["dialogue"]["conv_questions"])
            number += 1


def _conversation(draws: random.Random, identity: str) -> tuple[dict, list[dict]]:
    dialogue: dict[str, list] = {
        name: [] for name in ("conv_questions", "conv_answers", "executed_answers", "turn_program", "qa_split")
    }
    type_two, size, answers = draws.random() < 0.3, draws.choice([2, 3, 4, 4, 5, 6]), []
    for turn in range(size):
        value, program, answer = _turn(draws, identity, turn)
        dialogue["conv_questions"].append(f"what was figure {turn} of {identity} in 20{draws.randint(10, 19)}?")
        dialogue["conv_answers"].append(f"{value * 100:.1f}%" if program.count("(") == 2 else f"{value:.1f}")
        dialogue["executed_answers"].append(round(value, 5))
        dialogue["turn_program"].append(program)
        dialogue["qa_split"].append(type_two and turn > size // 2)
        answers += [answer] if draws.random() < 0.99 else []
    figures = {name: draws.randint(1, 9999) / 10 for name in ("sales", "cost")}
    document = {"pre_text": "sales and cost of the year", "post_text": "see note", "table": {"2019": figures}}
    features = {"has_type2_question": type_two, "has_duplicate_columns": False, "has_non_numeric_values": False}
    return {"id": identity, "doc": document, "dialogue": dialogue, "features": features}, answers


def _turn(draws: random.Random, identity: str, turn: int) -> tuple[float, str, dict]:
    """Return a turn's value and program, and what a model answered."""
    new, old = draws.randint(100, 99_999) / 10, draws.randint(100, 99_999) / 10
    steps = [f"subtract({new}, {old})", f"divide(#0, {old})"][: draws.randint(0, 2)]
    value = (new, new - old, (new - old) / old)[len(steps)]
    plan = [{"step_id": "s1", "tool": "extract_value", "value": str(new)}]
    operands = {"subtract": [str(new), str(old)], "divide": ["#0", str(old)]}
    planned = list(operands)[: len(steps) - (len(steps) == 2 and draws.random() < 0.2)]
    plan += [{"tool": "compute", "operation": name, "operands": operands[name]} for name in planned]
    answer = {
        "conversation_id": identity,
        "turn_idx": turn,
        "actual_answer": f"{value * draws.choice(_SCALES):.4f}",
        "plan": {"steps": plan},
        "prompt_tokens": draws.randint(300, 900),
        "completion_tokens": draws.randint(20, 90),
        "latency_ms": draws.randint(100, 9000) / 10,
        "llm_calls": 1,
        "tool_calls": len(steps),
        "validator_logs": [{"retry_number": 0, "valid": True, "confidence": 0.9}] if draws.random() < 0.2 else [],
    }
    error = {"error": {"type": "ValueError", "message": "no such row"}} if draws.random() < 0.01 else {}
    return value, ", ".join(steps) or str(new), answer | error
