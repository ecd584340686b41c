"""Where accuracy falls with the number of operations."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from steelyard.conversations.means import ConversationMean, NumberedMeans, group_rows
from steelyard.records.blocks import Floats
from steelyard.stats import exact_sum, holm
from steelyard.stats.distributions import normal_two_sided

LEVEL = 0.05
FEWEST_TURNS = 10
FEWEST_CONVERSATIONS = 5
"""Below these a normal approximation of clustered differences is not trusted, and no verdict is given."""

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
        single-operation turns: a two-sided z-test with variances clustered by conversation, Holm over all numbers
        tested.
        """
        entries = self.accuracy.described()
        tests = {count: test for count in sorted(self._beside) if (test := self._against_single(count)) is not None}
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

    def _against_single(self, count: int) -> dict[str, Any] | None:
        """Return the difference of `count`-operation turns from single-operation ones; None where there are too few."""
        some, single = self.accuracy.means[count], self.accuracy.means.get(1, ConversationMean("rate"))
        if min(some.n, single.n) < FEWEST_TURNS or min(some.n_conversations, single.n_conversations) < (
            FEWEST_CONVERSATIONS
        ):
            return None
        difference = some.total / some.n - single.total / single.n
        error = self.standard_error(count)
        p_value = (1.0 if difference == 0 else 0.0) if error == 0 else normal_two_sided(difference / error)
        return {"difference": difference, "standard_error": error, "p_value": p_value, "n": some.n}

    def standard_error(self, count: int) -> float:
        """Return the standard error of the difference, with Liang and Zeger's sandwich over conversations."""
        beside = self._beside[count]
        alone = self._single.copy()
        for (_, single), times in beside.items():
            alone[single] -= times
        units = dict(beside) | {((0, 0), single): times for single, times in alone.items() if times > 0}
        table = np.array([(*some, *single) for some, single in units], np.float64).T
        means = self.accuracy.means
        influence = _influence(table[0], table[1], means[count]) - _influence(table[2], table[3], means[1])
        clusters = sum(units.values())
        squares = exact_sum(influence * influence, np.array(list(units.values()), np.int64)).value
        return math.sqrt(clusters / (clusters - 1) * squares) if clusters > 1 else 0.0


def _pairs(right: Floats, chosen: npt.NDArray[np.bool_], conversation: Integers, size: int) -> list[Pair]:
    """Return how many of the chosen turns of each conversation are right, and how many there are."""
    rows = conversation[chosen]
    successes = np.bincount(rows, weights=right[chosen], minlength=size).astype(np.int64)
    return list(zip(successes.tolist(), np.bincount(rows, minlength=size).tolist(), strict=True))


def _influence(right: Floats, turns: Floats, mean: ConversationMean) -> Floats:
    """Return by how much each conversation moves a mean."""
    found: Floats = (right - turns * (mean.total / mean.n)) / mean.n
    return found


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
    return "No number of operations is significantly less accurate than single-operation turns."


def percent(entry: dict[str, Any]) -> str:
    """Return a mean as a percentage for a sentence."""
    return f"{100 * entry['mean']:.1f} %"
