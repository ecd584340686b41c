"""What a model did with each item, apart from the item itself, so that it can be drawn again.

The outcome of an item is everything that depends on its answer: scores, pass, state, guess, losses. A run drawn again
keeps its items (ids, tags, clusters, true labels) and takes each outcome from a donor: another repeat of the same item,
or another item. All columns of an outcome move together, so every metric of a policy sees the same imagined run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.comparison.repeated import same_items
from steelyard.records.blocks import Counts, Floats, Labels
from steelyard.records.columns import WEIGHT, ItemColumns, Rows

Flags = npt.NDArray[np.bool_]


@dataclass
class Outcomes:
    """The outcomes of one run's items, or of its repeats one after the other: outcome `k * n + i` is of item `i`."""

    items: ItemColumns
    """The items, as the first repeat has them."""
    repeats: Sequence[tuple[ItemColumns, Rows]]
    """Each repeat with the rows that put it into the order of the first."""
    _numbers: dict[str, Floats | None] = field(default_factory=dict)
    _counts: dict[str, Counts | None] = field(default_factory=dict)

    @classmethod
    def of(cls, repeats: Sequence[ItemColumns]) -> Outcomes:
        """Return the outcomes of repeats of one evaluation; a run alone is one repeat."""
        return cls(repeats[0], [(columns, same_items(columns, repeats[0])) for columns in repeats])

    def __len__(self) -> int:
        return len(self.items) * len(self.repeats)

    def number(self, name: str) -> Floats | None:
        """Return a number of every outcome; None where a repeat does not have it."""
        if name not in self._numbers:
            parts = [columns.number(name) for columns, _ in self.repeats]
            self._numbers[name] = self._joined(parts) if all(part is not None for part in parts) else None
        return self._numbers[name]

    def counts(self, name: str) -> Counts | None:
        """Return the whole numbers of every outcome for a corpus metric; None where a repeat does not have them."""
        if name not in self._counts:
            parts = [columns.counts(name) for columns, _ in self.repeats]
            self._counts[name] = self._joined(parts) if all(part is not None for part in parts) else None
        return self._counts[name]

    def _joined(self, parts: Sequence[Any]) -> Any:
        return np.concatenate([part[rows] for part, (_, rows) in zip(parts, self.repeats, strict=True)])

    @cached_property
    def passed(self) -> Flags:
        """Which outcomes pass."""
        found: Flags = self._joined([columns.passed() for columns, _ in self.repeats])
        return found

    def labels(self, columns: Sequence[Labels]) -> Labels:
        """Return a categorical column of each repeat as one, under common names."""
        names = list(dict.fromkeys(name for labels in columns for name in labels.names))
        place = {name: code for code, name in enumerate(names)}
        tables = [np.array([*(place[name] for name in labels.names), -1], np.int32) for labels in columns]
        parts = [table[labels.codes] for table, labels in zip(tables, columns, strict=True)]
        return Labels(names, self._joined(parts))

    @cached_property
    def states(self) -> Labels:
        """The state of every outcome."""
        return self.labels([columns.states() for columns, _ in self.repeats])

    @cached_property
    def answers(self) -> Labels:
        """What was extracted from the output of every outcome."""
        return self.labels([columns.answers() for columns, _ in self.repeats])

    @cached_property
    def truth(self) -> Labels | None:
        """The true label of every item; None where the task is no classification."""
        classes = self.items.classes()
        return None if classes is None else classes[0]

    @cached_property
    def guesses(self) -> Labels | None:
        """The guessed label of every outcome."""
        classes = [columns.classes() for columns, _ in self.repeats]
        known = [pair[1] for pair in classes if pair is not None]
        return self.labels(known) if len(known) == len(classes) else None

    @cached_property
    def losses(self) -> tuple[Floats, Floats] | None:
        """The loss and the number of tokens of every outcome."""
        found = [columns.losses() for columns, _ in self.repeats]
        known = [pair for pair in found if pair is not None]
        if len(known) < len(found):
            return None
        return self._joined([pair[0] for pair in known]), self._joined([pair[1] for pair in known])


class RedrawnColumns:
    """A run's items with the outcomes of donors: what `ItemColumns` asks for, for measures and gates."""

    def __init__(self, outcomes: Outcomes, donors: Rows) -> None:
        self.outcomes = outcomes
        self.donors = donors

    def __len__(self) -> int:
        return len(self.donors)

    @property
    def repeats(self) -> int:
        """How many answers of each item an imagined run has."""
        return 1

    def answers(self) -> Labels:
        """Return what was extracted from the output of each donor."""
        found = self.outcomes.answers
        return Labels(found.names, found.codes[self.donors])

    @property
    def number_names(self) -> Sequence[str]:
        """The names of all per-item numbers."""
        return self.outcomes.items.number_names

    @property
    def tag_keys(self) -> Sequence[str]:
        """The keys of all tags."""
        return self.outcomes.items.tag_keys

    def ids(self) -> Any:
        """Return the item ids."""
        return self.outcomes.items.ids()

    def hashes(self) -> Any:
        """Return the content hashes."""
        return self.outcomes.items.hashes()

    def key_batches(self) -> Iterator[tuple[Any, Any]]:
        """Yield ids and content hashes."""
        return self.outcomes.items.key_batches()

    def inputs(self) -> Any:
        """Return the inputs."""
        return self.outcomes.items.inputs()

    def tag(self, key: str) -> Labels:
        """Return a tag."""
        return self.outcomes.items.tag(key)

    def clusters(self) -> Labels | None:
        """Return the conversation of each item."""
        return self.outcomes.items.clusters()

    def number(self, name: str) -> Floats | None:
        """Return a number as the donors have it; a weight is one of them."""
        found = self.outcomes.number(name)
        if found is None and name.endswith(WEIGHT):
            return None
        return None if found is None else found[self.donors]

    def counts(self, name: str) -> Counts | None:
        """Return the whole numbers of a corpus metric as the donors have them."""
        found = self.outcomes.counts(name)
        return None if found is None else found[self.donors]

    def states(self) -> Labels:
        """Return the state that each donor has."""
        found = self.outcomes.states
        return Labels(found.names, found.codes[self.donors])

    def passed(self) -> Flags:
        """Return whether each donor passed."""
        return self.outcomes.passed[self.donors]

    def classes(self) -> tuple[Labels, Labels] | None:
        """Return the items' true labels and the donors' guesses."""
        truth, guesses = self.outcomes.truth, self.outcomes.guesses
        if truth is None or guesses is None:
            return None
        return truth, Labels(guesses.names, guesses.codes[self.donors])

    def losses(self) -> tuple[Floats, Floats] | None:
        """Return loss and tokens as the donors have them."""
        found = self.outcomes.losses
        return None if found is None else (found[0][self.donors], found[1][self.donors])

    def error_tags(self) -> dict[str, int]:
        """Return none: an imagined run has no list of mistakes to show."""
        return {}

    def details(self, rows: Rows) -> list[dict[str, Any]]:
        """Return none: an imagined item has no text to show."""
        del rows
        return []
