"""Hard examples: the items with the lowest primary metric, ties in dataset order (seed 001)."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from steelyard.aggregate.groups import Values, full_name
from steelyard.aggregate.tallies import TagTallies
from steelyard.records.blocks import Floats, Labels, ScoredBlock
from steelyard.records.items import UNTAGGED
from steelyard.records.plans import NOTICE, ReportPlan

INPUT_LENGTH = 500
LISTED_TAGS = 20
_MOST = 0.5
"""A pair of tags is named where it holds most hard examples: fewer would list every combination."""


@dataclass(frozen=True, slots=True)
class HardExample:
    """One candidate for the list; ordered by value, then by place in the dataset."""

    value: float
    index: int
    entry: dict[str, Any] = field(compare=False)

    @property
    def key(self) -> tuple[float, int]:
        """What the list is sorted by."""
        return self.value, self.index


class HardExamples:
    """Keeps the lowest items seen so far, as many as the plan asks for; merges."""

    def __init__(self, plan: ReportPlan) -> None:
        self.plan = plan
        self.limit = plan.hard_examples
        self.kept: list[HardExample] = []
        self.tied = TagTallies()
        """Items that are as low as the last one kept, and come later in the dataset."""
        self.bound = math.inf
        self.names: Counter[str] = Counter()

    def update(self, block: ScoredBlock) -> None:
        """Take up the items of a block that are among the lowest."""
        names, values = hardness(block, self.plan)
        counts = np.bincount(names.codes, minlength=len(names.names)).tolist()
        self.names.update(dict(zip(names.names, counts, strict=True)))
        if not self.limit:
            return
        ranks = np.where(np.isnan(values), np.inf, values)
        candidates = self._candidates(ranks, block.start)
        self._keep(
            [self._example(block, int(row), float(ranks[row]), names.names[names.codes[row]]) for row in candidates]
        )
        passed_over = ranks == self.bound
        passed_over[candidates] = False
        rows = np.flatnonzero(passed_over)
        if len(rows):
            tags = {key: Labels(labels.names, labels.codes[rows]) for key, labels in block.tags.items()}
            self.tied.update(np.zeros(len(rows)), tags)

    def _candidates(self, ranks: Floats, start: int) -> Any:
        rows = np.arange(len(ranks))
        if len(self.kept) == self.limit:
            value, index = self.kept[-1].key
            rows = np.flatnonzero((ranks < value) | ((ranks == value) & (rows + start < index)))
        if len(rows) > self.limit:
            rows = rows[np.argsort(ranks[rows], kind="stable")[: self.limit]]
        return rows

    def merge(self, other: HardExamples) -> None:
        """Take up another list's items."""
        self.names.update(other.names)
        self._keep(other.kept)
        if other.bound == self.bound:
            self.tied.merge(other.tied)

    def _keep(self, examples: list[HardExample]) -> None:
        ordered = sorted([*self.kept, *examples], key=lambda example: example.key)
        self.kept = ordered[: self.limit]
        bound = self.kept[-1].value if len(self.kept) == self.limit else math.inf
        if bound < self.bound:
            self.bound, self.tied = bound, TagTallies()
        pushed_out = [example.entry["tags"] for example in ordered[self.limit :] if example.value == bound]
        if pushed_out:
            keys = {key for tags in pushed_out for key in tags}
            columns = {key: Labels.of([tags.get(key) for tags in pushed_out]) for key in keys}
            self.tied.update(np.zeros(len(pushed_out)), columns)

    def _example(self, block: ScoredBlock, row: int, value: float, name: str) -> HardExample:
        text = block.inputs[row]
        entry = {
            "primary_metric": None if np.isinf(value) else value,
            "primary_metric_name": name,
            "prediction": block.outputs[row],
            "reference": block.expected[row],
            "input": text[:INPUT_LENGTH],
            "tags": tags_of(block, row),
            "input_hash": "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
            "item_id": block.ids[row],
            "state": block.states.value(row),
            "error_tags": list(block.error_tags[row]),
        }
        return HardExample(value, block.start + row, entry)

    def entries(self) -> list[dict[str, Any]]:
        """Return the lines of `hard_examples.jsonl`, ranked from 1."""
        return [{"rank": rank, **example.entry} for rank, example in enumerate(self.kept, start=1)]

    @property
    def metric_name(self) -> str:
        """What the list is ranked by: the name that most items have."""
        return min(self.names, key=lambda name: (-self.names[name], name)) if self.names else self.plan.primary

    def _over_represented(self, tallies: TagTallies) -> list[dict[str, Any]]:
        """Return the tags, and pairs of tags, whose share among hard examples is above their share among all items.

        Where the list cuts through items of one value, a share that only the order of the dataset makes is left out: it
        must be above also when the places that those items have in the list are shared out among all of them.
        """
        found: list[dict[str, Any]] = []
        for keys, groups in tallies.searched().items():
            hard = Counter(tuple(example.entry["tags"].get(key, UNTAGGED) for key in keys) for example in self.kept)
            for values, count in hard.items():
                if values not in groups or UNTAGGED in values or (len(keys) > 1 and count < _MOST * len(self.kept)):
                    continue
                shares = {"hard_share": count / len(self.kept), "tied_share": self._tied_share(keys, values)}
                overall = groups[values].n / tallies.total.n
                if overall < min(shares.values()):
                    entry = {"tag": full_name(keys, values), "n_hard": count, **shares, "item_share": overall}
                    found.append(entry | {"lift": shares["hard_share"] / overall})
        found.sort(key=lambda entry: (-entry["lift"], entry["tag"]))
        return found[:LISTED_TAGS]

    def _tied_share(self, keys: tuple[str, ...], values: Values) -> float:
        """Return the share of a tag among hard examples, with the places of tied items shared out among all of them."""
        below = [example for example in self.kept if example.value < self.bound]
        level = [example for example in self.kept if example.value == self.bound]
        further = self.tied.groups.get(keys, {}).get(values)
        tied = sum(_holds(example, keys, values) for example in level) + (further.n if further else 0)
        places = len(level) * tied / (len(level) + self.tied.total.n) if level else 0.0
        return (sum(_holds(example, keys, values) for example in below) + places) / len(self.kept)

    def summary(self, tallies: TagTallies) -> dict[str, Any]:
        """Return which tags are over-represented among hard examples, with shares and lift."""
        return {
            "n": len(self.kept),
            "n_tied": self.tied.total.n,
            "primary_metric_name": self.metric_name,
            "over_represented": self._over_represented(tallies),
            "notice": NOTICE,
        }


def _holds(example: HardExample, keys: tuple[str, ...], values: Values) -> bool:
    tags = example.entry["tags"]
    return all(tags.get(key) == value for key, value in zip(keys, values, strict=True))


def hardness(block: ScoredBlock, plan: ReportPlan) -> tuple[Labels, Floats]:
    """Return the name of what ranks each item of a block, and its value.

    For a classification that is the probability of the true label, as far as it is known; else whether the answer is
    right.
    """
    if plan.hard_by != "confidence":
        wanted = plan.hard_by if plan.hard_by in block.scores else ""
        return _same(wanted or plan.primary, block), block.scores[wanted] if wanted else block.primary
    known, kinds = block.confidence, block.confidence_kind
    if known is None:
        return _same("accuracy", block), block.primary
    if kinds is None:
        kinds = Labels((), np.full(len(block), -1, np.int32))
    names = Labels([*kinds.names, "accuracy"], np.where(kinds.codes < 0, len(kinds.names), kinds.codes))
    return names, np.where(np.isnan(known), block.primary, known)


def _same(name: str, block: ScoredBlock) -> Labels:
    return Labels([name], np.zeros(len(block), np.int32))


def tags_of(block: ScoredBlock, row: int) -> dict[str, str]:
    """Return the tags of one item of a block."""
    found = {key: labels.value(row) for key, labels in block.tags.items()}
    return {key: value for key, value in found.items() if value is not None}
