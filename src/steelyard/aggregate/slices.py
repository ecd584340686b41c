"""Metrics per slice: the items whose tags hold given values (seed 001, page 20)."""

from __future__ import annotations

from typing import Any

from steelyard.aggregate.groups import Groups, TagGroups, Values, slice_name, untagged_last
from steelyard.aggregate.tally import Numbers, Tally
from steelyard.records.plans import ReportPlan

MAX_SLICES = 1000
"""A key with more values than this is an id, not a segment; it is left out and named as left out."""

BY_CLASS = ("support", "precision_per_class", "recall_per_class", "f1_per_class")
"""Classification metrics that have one number for each class. The matrix itself is for the whole run only."""


class Slices:
    """All slices of all keys that were asked for; merges."""

    def __init__(self, plan: ReportPlan, bounded: dict[str, bool]) -> None:
        self.plan = plan
        self.bounded = bounded
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
            slices[values] = Tally(self.plan, self.bounded)
        return slices[values]

    def _limit(self, keys: tuple[str, ...]) -> None:
        if keys in self.left_out or len(self.found[keys]) > MAX_SLICES:
            self.left_out.add(keys)
            self.found[keys].clear()

    def results(self, design_effect: float = 1.0) -> dict[str, dict[str, dict[str, Any]]]:
        """Return seed 001's shape: key, value, then n, the metrics and the primary's interval."""
        return {
            " & ".join(keys): {
                slice_name(keys, values): self._figures(slices[values], design_effect)
                for values in sorted(slices, key=untagged_last)
            }
            for keys, slices in self.found.items()
            if keys not in self.left_out
        }

    def reasons(self) -> dict[str, str]:
        """Return why a key that was asked for has no slices."""
        reason = f"has more than {MAX_SLICES} values: an id, not a segment"
        return {" & ".join(keys): reason for keys in sorted(self.left_out)}

    def _figures(self, part: Tally, design_effect: float) -> dict[str, Any]:
        plan = self.plan
        details = part.details(plan, design_effect)
        classes = {name: value for name, value in part.figures(plan).items() if name in BY_CLASS}
        intervals = {
            name: {key: entry[key] for key in ("n", "ci_low", "ci_high", "level", "method")}
            for name, entry in details.items()
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
