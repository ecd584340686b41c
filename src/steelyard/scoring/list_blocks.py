"""The block form of `list@v1`: many lists of texts, equal to the item form row by row.

Lists of one dataset share most of their items, so each distinct item is normalised and quoted once, and a row costs a
few look-ups. A row with an order, or one whose lists are multisets, is judged by the item form.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from math import nan
from typing import TypeAlias, cast

import numpy as np

from steelyard.records.answers import ListAnswer, Profile
from steelyard.records.blocks import ErrorTags
from steelyard.registry import Scorer
from steelyard.scoring.blocks import BlockScores
from steelyard.scoring.choice import LISTED_ENTRIES, quoted
from steelyard.text.tokens import normalise

_KEPT_ITEMS = 1 << 17
"""Distinct items that are remembered from block to block, so that memory stays bounded."""
_PARTS = ("precision", "recall", "f1", "order_score")


def list_form(scorer: Scorer) -> ListBlocks | None:
    """Return the block form of `list@v1` with its parameters."""
    return ListBlocks(scorer) if list_block_fits(scorer) else None


def list_block_fits(scorer: Scorer) -> bool:
    """Return whether a scorer of lists has a weight that it takes, and no synonyms."""
    weight = cast("float", scorer.parameters.get("order_weight") or 0.0)
    return 0.0 <= weight <= 1.0 and not scorer.parameters.get("aliases")


_Row: TypeAlias = tuple[float, float, float, float, float, tuple[str, ...], str]
"""Primary score, precision, recall, F1, order score, error tags, explanation; no order score is NaN."""


class ListBlocks:
    """Judges blocks of lists under a scorer that `list_block_fits`, and remembers the items that it has met."""

    def __init__(self, scorer: Scorer) -> None:
        self._scorer = scorer
        profile = scorer.parameters.get("normalize") or "basic"
        self._normalised = _Remembered(partial(normalise, profile=cast("Profile", profile)))
        self._quoted = _Remembered(quoted)

    def judge(self, predicted: Sequence[Sequence[str]], expected: Sequence[ListAnswer]) -> BlockScores:
        """Return the scores of many rows."""
        if len(self._normalised) > _KEPT_ITEMS:
            self._normalised.clear()
            self._quoted.clear()
        rows = [self._row(items, reference) for items, reference in zip(predicted, expected, strict=True)]
        *numbers, tags, explain = zip(*rows, strict=True) if rows else ((),) * 7
        primary, *parts = (np.array(column, np.float64) for column in numbers)
        return BlockScores(
            primary,
            primary >= self._scorer.pass_threshold,
            dict(zip(_PARTS, parts, strict=True)),
            ErrorTags.of(tags),
            explain,
        )

    def _row(self, items: Sequence[str], expected: ListAnswer) -> _Row:
        if expected.ordered or not expected.unique:
            card = self._scorer(ListAnswer(tuple(items)), expected)
            known = [card.sub_scores[name] for name in _PARTS]
            precision, recall, f1, order = (nan if value is None else value for value in known)
            return card.primary_score, precision, recall, f1, order, card.error_tags, card.explain
        given, asked = self._normal(items), self._normal(expected.items)
        found, wanted = dict.fromkeys(given), dict.fromkeys(asked)
        missing = [item for item in wanted if item not in found]
        extra = [item for item in found if item not in wanted]
        doubled = [] if len(found) == len(given) else _repeated(given, found, asked)
        counted = f"Expected {len(wanted)} items, found {len(found)}"
        if not (missing or extra or doubled):
            return 1.0, 1.0, 1.0, 1.0, nan, (), f"{counted}."
        precision, recall, f1 = _overlap(len(wanted) - len(missing), len(found), len(wanted))
        tags, told = [], [counted]
        for tag, words, entries in (
            ("missing_item", "missing", missing),
            ("extra_item", "not expected", extra),
            ("duplicate_item", "repeated", doubled),
        ):
            if entries:
                tags.append(tag)
                told.append(f"{words} {self._named(entries)}")
        return f1, precision, recall, f1, nan, tuple(tags), "; ".join(told) + "."

    def _normal(self, items: Iterable[str]) -> list[str]:
        return list(map(self._normalised.__getitem__, items))

    def _named(self, entries: Sequence[str]) -> str:
        shown = ", ".join(map(self._quoted.__getitem__, entries[:LISTED_ENTRIES]))
        return f"{shown} and {len(entries) - LISTED_ENTRIES} more" if len(entries) > LISTED_ENTRIES else shown


class _Remembered(dict[str, str]):
    """What a function makes of texts, each asked for once."""

    def __init__(self, make: Callable[[str], str]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, text: str) -> str:
        made = self._make(text)
        self[text] = made
        return made


def _repeated(given: Sequence[str], found: Iterable[str], asked: Sequence[str]) -> list[str]:
    counts, wanted = Counter(given), Counter(asked)
    return [item for item in found if counts[item] > max(1, wanted[item])]


def _overlap(shared: int, found: int, wanted: int) -> tuple[float, float, float]:
    """Return precision, recall and F1 of two sets by their sizes, in the order of operations of the item form."""
    if not found or not wanted:
        both = float(found == wanted)
        return both, both, both
    if not shared:
        return 0.0, 0.0, 0.0
    precision, recall = shared / found, shared / wanted
    return precision, recall, 2 * precision * recall / (precision + recall)
