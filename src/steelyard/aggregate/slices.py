"""Metrics per slice: the items whose tags hold given values (seed 001, page 20)."""

from __future__ import annotations

from typing import Any

from steelyard.aggregate.groups import Groups, TagGroups, Values, slice_name, untagged_last
from steelyard.aggregate.tally import Numbers, Tally
from steelyard.records.plans import ReportPlan
from steelyard.records.scores import ValueKind

MAX_SLICES = 1000
"""A key with more values than this is an id, not a segment; it is left out and named as left out."""

BY_CLASS = ("support", "precision_per_class", "recall_per_class", "f1_per_class")
"""Classification metrics that have one number for each class. The matrix itself is for the whole run only."""

INTERVAL_KEYS = ("n", "ci_low", "ci_high", "level", "method", "ci_reason")
ONE_ITEM = "a slice of one item has no interval"


class Slices:
    """All slices of all keys that were asked for; merges."""

    def __init__(self, plan: ReportPlan, kinds: dict[str, ValueKind]) -> None:
        self.plan = plan
        self.kinds = kinds
        self.found: dict[tuple[str, ...], dict[Values, Tally]] = {keys: {} for keys in plan.slice_by}
        self.left_out: set[tuple[str, ...]] = set()

    def update(self, tags: TagGroups, numbers: Numbers) -> None:
        """Add a block to every slice it has items in."""
        for keys, slices in self.found.items():
            if keys not in self.left_out:
                self._add(slices, tags.by(keys), numbers)
                self._limit(keys)

    def _add(self, slices: dict[Values, Tally], groups: Groups, numbers: Numbers) -> None:
        if numbers.is_countable_by(groups):
            for values, length, counted in zip(groups.values, groups.sizes, numbers.by(groups), strict=True):
                self._tally(slices, values).count(int(length), counted)
            return
        for values, rows in zip(groups.values, groups.rows(), strict=True):
            self._tally(slices, values).update(numbers.take(rows))

    def merge(self, other: Slices) -> None:
        """Add another part of the items."""
        self.left_out |= other.left_out
        for keys, slices in other.found.items():
            for values, part in slices.items():
                self._tally(self.found[keys], values).merge(part)
            self._limit(keys)

    def _tally(self, slices: dict[Values, Tally], values: Values) -> Tally:
        if values not in slices:
            slices[values] = Tally(self.plan, self.kinds)
        return slices[values]

    def _limit(self, keys: tuple[str, ...]) -> None:
        if keys in self.left_out or len(self.found[keys]) > MAX_SLICES:
            self.left_out.add(keys)
            self.found[keys].clear()

    def results(self) -> dict[str, dict[str, dict[str, Any]]]:
        """Return seed 001's shape: key, value, then n, the metrics and the primary's interval."""
        return {
            " & ".join(keys): {
                slice_name(keys, values): self._figures(slices[values]) for values in sorted(slices, key=untagged_last)
            }
            for keys, slices in self.found.items()
            if keys not in self.left_out
        }

    def reasons(self) -> dict[str, str]:
        """Return why a key that was asked for has no slices."""
        reason = f"has more than {MAX_SLICES} values: an id, not a segment"
        return {" & ".join(keys): reason for keys in sorted(self.left_out)}

    def _figures(self, part: Tally) -> dict[str, Any]:
        plan = self.plan
        details = {name: _several(entry) for name, entry in part.details(plan).items()}
        classes = {name: value for name, value in part.figures(plan).items() if name in BY_CLASS}
        intervals = {
            name: {key: entry[key] for key in INTERVAL_KEYS if key in entry} for name, entry in details.items()
        }
        primary = details[plan.primary]
        return {
            "n": part.n,
            **{name: entry["value"] for name, entry in details.items()},
            **classes,
            "ci_low": primary["ci_low"],
            "ci_high": primary["ci_high"],
            "intervals": intervals,
        }


def _several(entry: dict[str, Any]) -> dict[str, Any]:
    """Return a metric without its interval where a single item has a value (seed 001)."""
    if entry["n"] != 1:
        return entry
    return entry | {"ci_low": None, "ci_high": None, "ci_reason": ONE_ITEM}
