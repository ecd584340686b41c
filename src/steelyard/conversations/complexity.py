"""Where accuracy falls with the number of operations, and how one wrong turn leads to the next."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.conversations.means import described, grouped
from steelyard.records.blocks import Floats
from steelyard.stats import holm
from steelyard.stats.distributions import normal_two_sided

LEVEL = 0.05
FEWEST_TURNS = 10
FEWEST_CONVERSATIONS = 5
"""Below these a normal approximation of clustered differences is not trusted, and no verdict is given."""

Integers = npt.NDArray[np.int64]


def complexity(right: Floats, operations: Integers, conversation: Integers) -> dict[str, Any]:
    """Return accuracy by number of operations, and the complexity ceiling.

    The ceiling is the smallest number of operations above 1 at which accuracy is significantly below that of
    single-operation turns: a two-sided z-test with variances clustered by conversation, Holm over all numbers tested.
    """
    entries = grouped(right, operations, conversation)
    tests = {
        count: test
        for count in sorted(set(operations[operations > 1].tolist()))
        if (test := _against_single(right, operations, conversation, count)) is not None
    }
    adjusted = holm([test["p_value"] for test in tests.values()])
    for test, p_value in zip(tests.values(), adjusted, strict=True):
        test["p_value_holm"] = p_value
        test["significantly_lower"] = p_value is not None and p_value <= LEVEL and test["difference"] < 0
    ceiling = next((count for count, test in tests.items() if test["significantly_lower"]), None)
    return {
        "accuracy": entries,
        "ceiling": ceiling,
        "tests": {str(count): test for count, test in tests.items()},
        "reading": _reading(ceiling, tests, entries),
    }


def _against_single(right: Floats, operations: Integers, conversation: Integers, count: int) -> dict[str, Any] | None:
    """Return the difference of `count`-operation turns from single-operation ones, or None where there are too few."""
    some, single = operations == count, operations == 1
    for group in (some, single):
        if group.sum() < FEWEST_TURNS or len(np.unique(conversation[group])) < FEWEST_CONVERSATIONS:
            return None
    difference = float(right[some].mean() - right[single].mean())
    error = clustered_error(right, some, single, conversation)
    p_value = (1.0 if difference == 0 else 0.0) if error == 0 else normal_two_sided(difference / error)
    return {"difference": difference, "standard_error": error, "p_value": p_value, "n": int(some.sum())}


def clustered_error(
    values: Floats, first: npt.NDArray[np.bool_], second: npt.NDArray[np.bool_], conversation: Integers
) -> float:
    """Return the standard error of a difference of means, with Liang and Zeger's sandwich over conversations."""
    influence = np.zeros(len(values))
    influence[first] += (values[first] - values[first].mean()) / first.sum()
    influence[second] -= (values[second] - values[second].mean()) / second.sum()
    used = first | second
    _, codes = np.unique(conversation[used], return_inverse=True)
    sums = np.bincount(codes, weights=influence[used])
    clusters = len(sums)
    return math.sqrt(clusters / (clusters - 1) * float(sums @ sums)) if clusters > 1 else 0.0


def _reading(ceiling: int | None, tests: dict[int, Any], entries: dict[str, dict[str, Any]]) -> str:
    if "1" not in entries:
        return "There are no single-operation turns to compare with."
    single = entries["1"]
    if ceiling is not None:
        found = entries[str(ceiling)]
        return (
            f"Turns of {ceiling} operations are right in {_percent(found)} of {found['n']} cases, single-operation "
            f"turns in {_percent(single)} of {single['n']}: the complexity ceiling is at {ceiling} operations."
        )
    if not tests:
        return f"No number of operations above 1 has the {FEWEST_TURNS} turns that a comparison needs."
    return "No number of operations is significantly less accurate than single-operation turns."


def _percent(entry: dict[str, Any]) -> str:
    return f"{100 * entry['mean']:.1f} %"


def propagation(right: npt.NDArray[np.bool_], turn: Integers, conversation: Integers) -> dict[str, Any]:
    """Return the first failing turns, and how often a wrong turn follows a wrong one and a right one."""
    follows = np.zeros(len(right), np.bool_)
    follows[1:] = conversation[1:] == conversation[:-1]
    wrong = (~right).astype(np.float64)
    before = np.zeros(len(right), np.bool_)
    before[1:] = ~right[:-1]
    after_wrong = described(wrong[follows & before], conversation[follows & before])
    after_right = described(wrong[follows & ~before], conversation[follows & ~before])
    first = _first_failing(right, turn, conversation)
    return {
        "first_failing_turn": {str(index): int(count) for index, count in enumerate(np.bincount(first))},
        "conversations_without_failure": len(np.unique(conversation)) - len(first),
        "wrong_after_wrong": after_wrong,
        "wrong_after_right": after_right,
        "reading": _propagation_reading(after_wrong, after_right),
    }


def _first_failing(right: npt.NDArray[np.bool_], turn: Integers, conversation: Integers) -> Integers:
    failing = np.flatnonzero(~right)
    _, firsts = np.unique(conversation[failing], return_index=True)
    found: Integers = turn[failing[firsts]].astype(np.int64)
    return found


def _propagation_reading(wrong: dict[str, Any], right: dict[str, Any]) -> str:
    if wrong["mean"] is None or right["mean"] is None:
        return "There are too few turns to say whether errors propagate."
    text = f"A wrong turn is followed by a wrong one in {_percent(wrong)} of {wrong['n']} cases, a right turn in "
    text += f"{_percent(right)} of {right['n']}"
    if wrong["ci_low"] is not None and right["ci_high"] is not None and wrong["ci_low"] > right["ci_high"]:
        return f"{text}: errors propagate."
    return f"{text}: the intervals overlap, so propagation is not shown."
