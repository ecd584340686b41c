"""Accuracy by value of every feature of the dataset, and by whether a turn asks the second question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from steelyard.conversations.columns import TurnColumns
from steelyard.conversations.means import ConversationMean, GroupedMeans
from steelyard.records.blocks import Floats

MOST_VALUES = 50
"""A feature with more values than this is no breakdown."""

_SECOND_QUESTION = "from_second_question"


class Breakdowns:
    """Takes up blocks of turns; a feature with too many values is given up as soon as it has them."""

    def __init__(self) -> None:
        self._all = ConversationMean("rate")
        self._features: dict[str, GroupedMeans[str] | None] = {}
        self._second: GroupedMeans[str] = GroupedMeans("rate")

    def add(self, columns: TurnColumns, accuracy: Floats) -> None:
        """Add turns with whether each is right."""
        for name in {name for features in columns.features for name in features}:
            if name not in self._features:
                self._features[name] = self._without()
        for name, groups in self._features.items():
            if groups is not None and not self._fits(name, groups, columns, accuracy):
                self._features[name] = None
        second = columns.numbers["second_question"]
        self._second.add(accuracy, second, ("false", "true"), columns.conversation)
        self._all.add(accuracy, columns.conversation)

    def _without(self) -> GroupedMeans[str]:
        """Return the groups of a feature that shows up first: every conversation so far lacks it."""
        groups: GroupedMeans[str] = GroupedMeans("rate")
        if self._all.n:
            groups.means["null"] = ConversationMean("rate")
            groups.means["null"].merge(self._all)
        return groups

    def _fits(self, name: str, groups: GroupedMeans[str], columns: TurnColumns, accuracy: Floats) -> bool:
        """Add the turns to their groups, as long as there are few."""
        keys, codes = _coded([text(features.get(name)) for features in columns.features])
        if len({*groups.means, *keys}) > MOST_VALUES:
            return False
        groups.add(accuracy, codes[columns.conversation], keys, columns.conversation)
        return True

    def described(self) -> dict[str, dict[str, Any]]:
        """Return the breakdowns by name, numbers before words."""
        found = dict(sorted(self._features.items())) | {_SECOND_QUESTION: self._second}
        return {name: _described(groups) for name, groups in found.items() if groups is not None}


def _coded(values: Sequence[str]) -> tuple[list[str], Any]:
    known: dict[str, int] = {}
    codes = np.fromiter((known.setdefault(value, len(known)) for value in values), np.int64, len(values))
    return list(known), codes


def text(value: Any) -> str:
    """Return a feature's value as a key of a JSON object.

    >>> text(True), text(4), text(None)
    ('true', '4', 'null')
    """
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return str(value)


def _described(groups: GroupedMeans[str]) -> dict[str, Any]:
    entries = {key: _accuracy(entry) for key, entry in groups.described().items()}
    return dict(sorted(entries.items(), key=_numeric_first))


def _accuracy(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {"numerical_accuracy": entry["mean"], **{name: value for name, value in entry.items() if name != "mean"}}


def _numeric_first(pair: tuple[str, Any]) -> tuple[float, str]:
    try:
        return float(pair[0]), ""
    except ValueError:
        return float("inf"), pair[0]
