"""Conversations: ladder and logic recall over 100,000 turns against plain loops, and memory over a million turns."""

from __future__ import annotations

import random
import re
import textwrap
from collections import Counter
from pathlib import Path

from measure import interleaved, run_command, run_function
from setting import Result, Setting

from steelyard.numbers.ladder import climb
from steelyard.numbers.ladder_blocks import climb_block
from steelyard.programs import logic_recall, logic_recall_block

TURNS = 100_000
_STEP = re.compile(r"([a-z_]+)\(")

STREAM = """
import sys
sys.path.insert(0, sys.argv[2])
from rows.conversations import turns
from steelyard.numbers.ladder_blocks import climb_block
from steelyard.programs import logic_recall_block
right = recalled = done = 0
while done < int(sys.argv[1]):
    actual, expected, plans, programs = turns(10_000, seed=done)
    right += int(climb_block(actual, expected)["numerical_match"].sum())
    recalled += float(logic_recall_block(plans, programs).sum())
    done += 10_000
print(done, right, recalled)
"""


def turns(count: int, seed: int = 0) -> tuple[list[str], list[str], list[str], list[str]]:
    """Return answers, references, plans and gold programs in ConvFinQA's mix of extractions, sums and percentages."""
    draws = random.Random(seed)
    answers, references, plans, programs = [], [], [], []
    for _ in range(count):
        new, old = draws.randint(100, 99_999) / 10, draws.randint(100, 99_999) / 10
        gold = draws.choice([f"{new}", f"subtract({new}, {old})", f"subtract({new}, {old}), divide(#0, {old})"])
        value = {0: new, 1: new - old, 2: (new - old) / old}[gold.count("(")]
        found = value * draws.choice([1, 1, 1, 1, 1.004, 100, -1, 1.3])
        references.append(f"{value * 100:.1f}%" if gold.count("(") == 2 else f"{value:.1f}")
        answers.append(f"{found:.4f}")
        plans.append(draws.choice([gold, f"subtract({new}, {old})", f"{new}"]))
        programs.append(gold)
    return answers, references, plans, programs


def measure(setting: Setting) -> list[Result]:
    columns = turns(TURNS)
    _check(*turns(2000, seed=1))
    work = "ladder and logic recall, 100k turns"
    rounds = 3
    ours = lambda: run_function(lambda: _ours(*columns))  # noqa: E731 - measured twice
    items = interleaved(ours, lambda: run_function(lambda: _items(*columns)), rounds)
    lean = interleaved(ours, lambda: run_function(lambda: _lean(*columns)), rounds)
    return [
        Result(work, "a Python loop over the item forms", 2, *items),
        Result(work, "a bare Python loop: floats, no number grammar", 2, *lean),
        _memory(setting),
    ]


def _ours(actual: list[str], expected: list[str], plans: list[str], programs: list[str]) -> object:
    return climb_block(actual, expected), logic_recall_block(plans, programs)


def _items(actual: list[str], expected: list[str], plans: list[str], programs: list[str]) -> object:
    ladders = [climb(*pair) for pair in zip(actual, expected, strict=True)]
    return ladders, [logic_recall(*pair) for pair in zip(plans, programs, strict=True)]


def _lean(actual: list[str], expected: list[str], plans: list[str], programs: list[str]) -> object:
    """Compute the formulas as one would write them in an afternoon: plain numbers only, rounded at the limits."""
    ladders = [_lean_ladder(*pair) for pair in zip(actual, expected, strict=True)]
    return ladders, [_lean_recall(*pair) for pair in zip(plans, programs, strict=True)]


def _lean_number(text: str) -> float:
    return float(text[:-1]) / 100 if text.endswith("%") else float(text.replace(",", "").replace("$", ""))


def _soft(actual: float, expected: float) -> bool:
    return abs(actual - expected) <= 0.01 * abs(expected)


def _lean_ladder(actual_text: str, expected_text: str) -> tuple[bool, ...]:
    actual, expected = _lean_number(actual_text), _lean_number(expected_text)
    soft = _soft(actual, expected)
    numerical = soft or abs(actual - expected) < 0.001
    percent = actual_text.endswith("%"), expected_text.endswith("%")
    written = actual * (100 if percent[0] else 1), expected * (100 if percent[1] else 1)
    return (
        abs(actual - expected) < 1e-5,
        soft,
        numerical,
        numerical or (percent[0] != percent[1] and _soft(*written)),
        numerical or _soft(actual * 100, expected) or _soft(actual / 100, expected),
        numerical or _soft(abs(actual), abs(expected)),
    )


def _lean_recall(plan: str, program: str) -> float:
    wanted, found = Counter(_STEP.findall(program)), Counter(_STEP.findall(plan))
    if not wanted:
        return 0.0 if found else 1.0
    return sum((wanted & found).values()) / sum(wanted.values())


def _check(actual: list[str], expected: list[str], plans: list[str], programs: list[str]) -> None:
    """Hold the bare loop to the same answers, so that equal work is compared; limits aside, where it rounds."""
    rungs, recalls = climb_block(actual, expected), logic_recall_block(plans, programs)
    ladders, bare = _lean(actual, expected, plans, programs)  # type: ignore[misc]
    differ = sum(tuple(bool(column[row]) for column in rungs.values()) != ladder for row, ladder in enumerate(ladders))
    assert differ <= 2, differ
    assert bare == recalls.tolist()


def _memory(setting: Setting) -> Result:
    """A million turns in blocks of 10,000 need no more memory than a tenth of them."""
    script = setting.folder / "stream_turns.py"
    script.write_text(textwrap.dedent(STREAM), encoding="utf-8")
    here = str(Path(__file__).resolve().parents[1])
    large, small = setting.size(1_000_000, 200_000), setting.size(100_000, 20_000)
    many = run_command([setting.python, str(script), str(large), here], folder=setting.folder)
    few = run_command([setting.python, str(script), str(small), here], folder=setting.folder)
    return Result(
        f"peak memory, {large:,} turns against {small:,} turns", "itself", 1.25, many, few, at_most=True, unit="memory"
    )
