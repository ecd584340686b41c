"""Metrics per slice: the items whose tags hold given values (seed 001, page 20)."""

from __future__ import annotations

from typing import Any

import numpy as np

from steelyard.aggregate.classification import ConfusionTally, figures
from steelyard.aggregate.means import Mean, ends
from steelyard.aggregate.tallies import crossed
from steelyard.records.blocks import Floats, Labels, ScoredBlock
from steelyard.records.items import UNTAGGED
from steelyard.records.plans import ReportPlan


class Slice:
    """One slice: its size, its means, its confusion matrix."""

    def __init__(self) -> None:
        self.n = 0
        self.means: dict[str, Mean] = {}
        self.confusion = ConfusionTally()

    def update(self, numbers: dict[str, Floats], bounded: dict[str, bool]) -> None:
        """Add the items of a block that are in the slice."""
        for name, values in numbers.items():
            self.means.setdefault(name, Mean(bounded=bounded[name])).update(values)

    def merge(self, other: Slice) -> None:
        """Add another part of the same slice."""
        self.n += other.n
        self.confusion.merge(other.confusion)
        for name, mean in other.means.items():
            if name in self.means:
                self.means[name].merge(mean)
            else:
                self.means[name] = mean


class Slices:
    """All slices of all keys that were asked for; merges."""

    def __init__(self, plan: ReportPlan, bounded: dict[str, bool]) -> None:
        self.plan = plan
        self.bounded = bounded
        self.found: dict[tuple[str, ...], dict[str, Slice]] = {keys: {} for keys in plan.slice_by}

    def update(self, block: ScoredBlock, numbers: dict[str, Floats]) -> None:
        """Add a block to every slice it has items in."""
        for keys, slices in self.found.items():
            names, codes = crossed([_labels(block, key) for key in keys], keys)
            for code in np.unique(codes).tolist():
                rows = codes == code
                part = slices.setdefault(names[code], Slice())
                part.n += int(rows.sum())
                part.update({name: values[rows] for name, values in numbers.items()}, self.bounded)
                if block.truth is not None and block.guess is not None and self.plan.classification:
                    part.confusion.update(block.truth, block.guess, rows)

    def merge(self, other: Slices) -> None:
        """Add another part of the items."""
        for keys, slices in other.found.items():
            for name, part in slices.items():
                self.found[keys].setdefault(name, Slice()).merge(part)

    def results(self) -> dict[str, dict[str, dict[str, Any]]]:
        """Return seed 001's shape: key, value, then n, the metrics and the primary's interval."""
        return {
            " & ".join(keys): {name: self._figures(slices[name]) for name in sorted(slices, key=_untagged_last)}
            for keys, slices in self.found.items()
        }

    def _figures(self, part: Slice) -> dict[str, Any]:
        plan = self.plan
        found: dict[str, Any] = {"n": part.n}
        intervals: dict[str, Any] = {}
        if plan.classification:
            names = [name for name in plan.classification if name != "confusion_matrix"]
            found |= figures(part.confusion.confusion(plan.choices), names)
        for name, mean in part.means.items():
            if mean.values.n:
                found[name] = mean.values.mean
                intervals[name] = ends(mean.interval(rounds=plan.rounds, seed=plan.seed))
        primary = intervals[plan.primary]
        return found | {"ci_low": primary["ci_low"], "ci_high": primary["ci_high"], "intervals": intervals}


def _labels(block: ScoredBlock, key: str) -> Labels:
    return block.tags.get(key) or Labels((), np.full(len(block), -1, np.int32))


def _untagged_last(name: str) -> tuple[bool, str]:
    return UNTAGGED in name, name
