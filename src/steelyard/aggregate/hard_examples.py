"""Hard examples: the items with the lowest primary metric, ties in dataset order (seed 001)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from steelyard.records.blocks import Floats, ScoredBlock

INPUT_LENGTH = 500


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
    """Keeps the `limit` lowest items seen so far; merges."""

    def __init__(self, limit: int, metric_name: str) -> None:
        self.limit = limit
        self.metric_name = metric_name
        self.kept: list[HardExample] = []

    def update(self, block: ScoredBlock, values: Floats) -> None:
        """Take up the items of a block that are among the lowest."""
        if not self.limit:
            return
        ranks = np.where(np.isnan(values), np.inf, values)
        bound = self.kept[-1].value if len(self.kept) == self.limit else np.inf
        candidates = np.flatnonzero(ranks < bound) if bound != np.inf else np.arange(len(ranks))
        if len(candidates) > self.limit:
            order = np.argsort(ranks[candidates], kind="stable")
            candidates = candidates[order[: self.limit]]
        self._keep([self._example(block, int(row), float(ranks[row])) for row in candidates])

    def merge(self, other: HardExamples) -> None:
        """Take up another list's items."""
        self._keep(other.kept)

    def _keep(self, examples: list[HardExample]) -> None:
        self.kept = sorted([*self.kept, *examples], key=lambda example: example.key)[: self.limit]

    def _example(self, block: ScoredBlock, row: int, value: float) -> HardExample:
        text = block.inputs[row]
        entry = {
            "primary_metric": None if np.isinf(value) else value,
            "primary_metric_name": self.metric_name,
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


def tags_of(block: ScoredBlock, row: int) -> dict[str, str]:
    """Return the tags of one item of a block."""
    found = {key: labels.value(row) for key, labels in block.tags.items()}
    return {key: value for key, value in found.items() if value is not None}
