"""How one wrong turn leads to the next."""

from __future__ import annotations

from collections import Counter
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from steelyard.conversations.complexity import percent
from steelyard.conversations.means import ConversationMean

Integers: TypeAlias = npt.NDArray[np.int64]
Mask: TypeAlias = npt.NDArray[np.bool_]


class Propagation:
    """The first failing turns, and how often a wrong turn follows a wrong one and a right one."""

    def __init__(self) -> None:
        self._first: Counter[int] = Counter()
        self._conversations = 0
        self._after_wrong = ConversationMean("rate")
        self._after_right = ConversationMean("rate")

    def add(self, right: Mask, turn: Integers, conversation: Integers) -> None:
        """Add turns of whole conversations; those of one conversation stand side by side, in order."""
        starts = np.append(True, conversation[1:] != conversation[:-1])[: len(right)]
        after_wrong, after_right = np.zeros(len(right), np.bool_), np.zeros(len(right), np.bool_)
        after_wrong[1:], after_right[1:] = ~right[:-1], right[:-1]
        wrong = (~right).astype(np.float64)
        for mean, follows in ((self._after_wrong, after_wrong & ~starts), (self._after_right, after_right & ~starts)):
            mean.add(wrong[follows], conversation[follows])
        failing = np.flatnonzero(~right)
        _, firsts = np.unique(conversation[failing], return_index=True)
        self._first.update(turn[failing[firsts]].tolist())
        self._conversations += int(starts.sum())

    def described(self) -> dict[str, Any]:
        """Return all of it, with a reading."""
        after_wrong, after_right = self._after_wrong.described(), self._after_right.described()
        last = max(self._first, default=-1)
        return {
            "first_failing_turn": {str(index): self._first[index] for index in range(last + 1)},
            "conversations_without_failure": self._conversations - self._first.total(),
            "wrong_after_wrong": after_wrong,
            "wrong_after_right": after_right,
            "reading": _reading(after_wrong, after_right),
        }


def _reading(wrong: dict[str, Any], right: dict[str, Any]) -> str:
    if wrong["mean"] is None or right["mean"] is None:
        return "There are too few turns to say whether errors propagate."
    text = f"A wrong turn is followed by a wrong one in {percent(wrong)} of {wrong['n']} cases, a right turn in "
    text += f"{percent(right)} of {right['n']}"
    if wrong["ci_low"] is not None and right["ci_high"] is not None and wrong["ci_low"] > right["ci_high"]:
        return f"{text}: errors propagate."
    return f"{text}: the intervals overlap, so propagation is not shown."
