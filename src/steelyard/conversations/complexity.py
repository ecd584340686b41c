"""Where accuracy falls with the number of operations."""

from __future__ import annotations

from collections import Counter
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from steelyard.conversations.means import ConversationMean, NumberedMeans, group_rows
from steelyard.records.blocks import Floats
from steelyard.stats.bins import exact_sum
from steelyard.stats.flips import holm
from steelyard.stats.permutation import Population, lower_tails, smallest_gap

LEVEL, POWER = 0.05, 0.8
FEWEST_TURNS = 10
FEWEST_CONVERSATIONS = 5
"""Below these a design effect is not trusted, and no verdict is given."""

Integers: TypeAlias = npt.NDArray[np.int64]
Pair: TypeAlias = tuple[int, int]
"""Right turns and all turns of one conversation."""


class Complexity:
    """Accuracy by number of operations, from whole conversations as they come."""

    def __init__(self) -> None:
        self.accuracy = NumberedMeans("rate")
        self._single: Counter[Pair] = Counter()
        """Conversations by their single-operation turns."""
        self._beside: dict[int, Counter[tuple[Pair, Pair]]] = {}
        """By number of operations: conversations by their turns of that number, and by their single-operation ones."""

    def add(self, right: Floats, operations: Integers, conversation: Integers) -> None:
        """Add turns of whole conversations; those of one conversation stand side by side."""
        self.accuracy.add_numbered(right, operations, conversation)
        size = int(conversation[-1]) + 1 if len(conversation) else 0
        single = _pairs(right, operations == 1, conversation, size)
        self._single.update(pair for pair in single if pair[1])
        several = operations > 1
        for count, rows in group_rows(operations[several]):
            chosen = np.flatnonzero(several)[rows]
            found = _pairs(right[chosen], np.ones(len(chosen), np.bool_), conversation[chosen], size)
            known = self._beside.setdefault(count, Counter())
            known.update(both for both in zip(found, single, strict=True) if both[0][1])

    def described(self) -> dict[str, Any]:
        """Return accuracy by number of operations, and the complexity ceiling.

        The ceiling is the smallest number of operations above 1 at which accuracy is significantly below that of
        single-operation turns: a one-sided permutation test in which turns count by the design effect of their
        conversations, Holm over all numbers tested.
        """
        entries = self.accuracy.described()
        pooled = {count: found for count in sorted(self._beside) if (found := self._beside_single(count)) is not None}
        tests = {count: self._against_single(count, found) for count, found in pooled.items()}
        adjusted = holm([test["p_value"] for test in tests.values()])
        for (count, test), p_value in zip(tests.items(), adjusted, strict=True):
            test["p_value_holm"] = p_value
            test["significantly_lower"] = p_value is not None and p_value <= LEVEL and test["difference"] < 0
            test["could_show"] = smallest_gap(pooled[count], test["n"], level=LEVEL / len(tests), power=POWER)
        ceiling = next((count for count, test in tests.items() if test["significantly_lower"]), None)
        return {
            "accuracy": entries,
            "ceiling": ceiling,
            "tests": {str(count): test for count, test in tests.items()},
            "reading": _reading(ceiling, tests, entries),
        }

    def _beside_single(self, count: int) -> Population | None:
        """Return turns of `count` operations and of a single one as one population; None where there are too few."""
        some, single = self.accuracy.means[count], self.accuracy.means.get(1, ConversationMean("rate"))
        if min(some.n, single.n) < FEWEST_TURNS or min(some.n_conversations, single.n_conversations) < (
            FEWEST_CONVERSATIONS
        ):
            return None
        right, n = round(some.total + single.total), some.n + single.n
        return Population(np.array([0.0, 1.0]), np.array([n - right, right]), self.design_effect(count))

    def _against_single(self, count: int, pooled: Population) -> dict[str, Any]:
        """Return the difference of `count`-operation turns from single-operation ones, and how likely chance is."""
        some, single = self.accuracy.means[count], self.accuracy.means[1]
        return {
            "difference": some.total / some.n - single.total / single.n,
            "design_effect": pooled.design_effect,
            "p_value": float(lower_tails(pooled, np.array([float(some.n)]), np.array([some.total]))[0]),
            "test": "permutation" if pooled.design_effect == 1 else "permutation-design-effect",
            "sides": "less",
            "correction": "holm",
            "n": some.n,
        }

    def design_effect(self, count: int) -> float:
        """Return by how much conversations widen the variance of the difference, where both kinds are equally right.

        It is Liang and Zeger's sandwich over the variance of independent turns, both around the pooled accuracy. The
        groups' own accuracies say nothing of chance: a group without a right turn has no variance of its own.
        """
        some, single = self.accuracy.means[count], self.accuracy.means[1]
        mean = (some.total + single.total) / (some.n + single.n)
        alone = mean * (1 - mean) * (1 / some.n + 1 / single.n)
        units = self._conversations(count)
        (right, turns, right_single, single_turns), times = (
            np.array([*units], np.float64).T,
            np.array([*units.values()]),
        )
        clusters = int(times.sum())
        if (turns + single_turns).max() <= 1 or clusters <= 1 or alone <= 0:
            return 1.0
        moved = (right - turns * mean) / some.n - (right_single - single_turns * mean) / single.n
        return max(1.0, clusters / (clusters - 1) * exact_sum(moved * moved, times).value / alone)

    def _conversations(self, count: int) -> dict[tuple[int, int, int, int], int]:
        """Return how often conversations have so many turns, right and all, of this number and of one operation."""
        beside = self._beside[count]
        alone = self._single.copy()
        for (_, single), times in beside.items():
            alone[single] -= times
        both = {(*some, *single): times for (some, single), times in beside.items()}
        return both | {(0, 0, *single): times for single, times in alone.items() if times > 0}


def _pairs(right: Floats, chosen: npt.NDArray[np.bool_], conversation: Integers, size: int) -> list[Pair]:
    """Return how many of the chosen turns of each conversation are right, and how many there are."""
    rows = conversation[chosen]
    successes = np.bincount(rows, weights=right[chosen], minlength=size).astype(np.int64)
    return list(zip(successes.tolist(), np.bincount(rows, minlength=size).tolist(), strict=True))


def _reading(ceiling: int | None, tests: dict[int, Any], entries: dict[str, dict[str, Any]]) -> str:
    if "1" not in entries:
        return "There are no single-operation turns to compare with."
    single = entries["1"]
    if ceiling is not None:
        found = entries[str(ceiling)]
        return (
            f"Turns of {ceiling} operations are right in {percent(found)} of {found['n']} cases, single-operation "
            f"turns in {percent(single)} of {single['n']}: the complexity ceiling is at {ceiling} operations."
        )
    if not tests:
        return f"No number of operations above 1 has the {FEWEST_TURNS} turns that a comparison needs."
    shown = ", ".join(_could_show(count, test) for count, test in tests.items())
    return (
        "No number of operations is significantly less accurate than single-operation turns. "
        f"With {100 * POWER:.0f} % power {shown}."
    )


def _could_show(count: int, test: dict[str, Any]) -> str:
    gap = "no gap" if test["could_show"] is None else f"a gap of {100 * test['could_show']:.0f} points"
    return f"{test['n']} turns of {count} operations show {gap}"


def percent(entry: dict[str, Any]) -> str:
    """Return a mean as a percentage for a sentence."""
    return f"{100 * entry['mean']:.1f} %"
