"""Beginnings that many prompts share, computed once: a document, and what stands before it in every prompt.

A reused state must not change an answer, or a resumed run could differ from an uninterrupted one. The last bits of a
state depend on how its tokens were cut into batches, so each beginning is reached in one way only: from the beginning
before it, in a batch of its own. Its bits are then the same whichever prompt needed it first.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from steelyard.models.llama import Llama

KEPT = 2
"""How many states are kept: that of the document under way, and of what stands before every document."""


class Beginnings:
    """The states that are kept, the least recently used first."""

    def __init__(self, llama: Llama) -> None:
        self._llama = llama
        self._kept: OrderedDict[str, None] = OrderedDict()

    def reach(self, tokens: Sequence[int], lengths: Sequence[int]) -> dict[str, Any] | None:
        """Bring the slot behind the last of these beginnings of a prompt; return llama.cpp's error where it has one."""
        start = next((length for length in reversed(lengths) if self._restored(_name(tokens[:length]))), 0)
        for before, length in pairwise([start, *(length for length in lengths if length > start)]):
            body = {"prompt": list(tokens[:length]), "n_predict": 0, "temperature": 0, "cache_prompt": before > 0}
            found = self._llama.complete(body)
            if "error" in found:
                return found
            self._keep(_name(tokens[:length]))
        return None

    def _restored(self, name: str) -> bool:
        if name not in self._kept:
            return False
        if not self._llama.restore_state(name):
            del self._kept[name]
            return False
        self._kept.move_to_end(name)
        return True

    def _keep(self, name: str) -> None:
        # Where the state cannot be written, the slot holds it all the same, and this prompt can go on.
        if not self._llama.save_state(name):
            return
        self._kept[name] = None
        if len(self._kept) > KEPT:
            self._llama.forget_state(self._kept.popitem(last=False)[0])


def lengths_of(tokens: Sequence[int], beginnings: Sequence[Sequence[int]]) -> list[int]:
    """Return how many tokens of a prompt the beginnings cover, each number once, in ascending order.

    The last token of a beginning may be another one inside the prompt, where what follows belongs to the same word.

    >>> lengths_of([5, 6, 7, 8], [[5, 6], [5, 6, 9]]), lengths_of([5, 6, 7, 8], [[5], [5, 6, 7]])
    ([2], [1, 3])
    """
    return sorted({_agreeing(tokens, beginning) for beginning in beginnings} - {0})


def _agreeing(tokens: Sequence[int], beginning: Sequence[int]) -> int:
    # One token has to be left to go on from.
    differing = (place for place, pair in enumerate(zip(tokens[:-1], beginning, strict=False)) if pair[0] != pair[1])
    return next(differing, min(len(tokens) - 1, len(beginning)))


def _name(tokens: Sequence[int]) -> str:
    return hashlib.sha256(",".join(map(str, tokens)).encode()).hexdigest()
