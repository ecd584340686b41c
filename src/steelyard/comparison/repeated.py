"""The repeats of one run as one run of the same items: each item is what its repeats gave on average.

Items stay the units: three repeats of ten items are ten items. What a repeat has no value for, because the model gave
no answer, leaves the item without one, so that silence in one repeat is not hidden by the others. An item passes, and
counts as answered, where every repeat does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.comparison.pairing import pair_items
from steelyard.errors import InputError, Problem
from steelyard.records.blocks import Counts, Floats, Labels
from steelyard.records.columns import WEIGHT, ItemColumns, Rows
from steelyard.records.runs import RepeatOutcomes

ANSWERED = "scored"


class RepeatedColumns:
    """The items of several repeats, in the order of the first: what `ItemColumns` asks for."""

    def __init__(self, members: Sequence[ItemColumns]) -> None:
        self.members = tuple(members)
        self._rows = [same_items(member, members[0]) for member in members]

    def __len__(self) -> int:
        return len(self.members[0])

    @property
    def repeats(self) -> int:
        """How many repeats there are."""
        return len(self.members)

    @property
    def number_names(self) -> Sequence[str]:
        """The names of all per-item numbers."""
        return self.members[0].number_names

    @property
    def tag_keys(self) -> Sequence[str]:
        """The keys of all tags."""
        return self.members[0].tag_keys

    def ids(self) -> Any:
        """Return the item ids."""
        return self.members[0].ids()

    def hashes(self) -> Any:
        """Return the content hashes."""
        return self.members[0].hashes()

    def key_batches(self) -> Iterator[tuple[Any, Any]]:
        """Yield ids and content hashes."""
        return self.members[0].key_batches()

    def inputs(self) -> Any:
        """Return the inputs."""
        return self.members[0].inputs()

    def tag(self, key: str) -> Labels:
        """Return a tag."""
        return self.members[0].tag(key)

    def clusters(self) -> Labels | None:
        """Return the conversation of each item."""
        return self.members[0].clusters()

    def each(self, name: str) -> list[Floats] | None:
        """Return a number of every repeat; None where a repeat does not have it."""
        found = [member.number(name) for member in self.members]
        known = [values[rows] for values, rows in zip(found, self._rows, strict=True) if values is not None]
        return known if len(known) == len(found) else None

    def number(self, name: str) -> Floats | None:
        """Return the mean of a number over repeats; a ratio is one of sums, and its weight their mean."""
        values = self.each(name)
        if values is None:
            return None
        if name.endswith(WEIGHT):
            return _mean(values, None)
        weights = self.each(name + WEIGHT)
        if weights is not None:
            return _mean(values, weights)
        found = _mean(values, None)
        silent = [np.isnan(own) & ~answered for own, answered in zip(values, self._answered, strict=True)]
        return np.where(np.logical_or.reduce(silent), np.nan, found)

    def counts(self, name: str) -> Counts | None:
        """Return the whole numbers of each item, summed over repeats."""
        total: Counts | None = None
        for member, rows in zip(self.members, self._rows, strict=True):
            found = member.counts(name)
            if found is None or (total is not None and found.shape[1] != total.shape[1]):
                return None
            total = found[rows] if total is None else total + found[rows]
        return total

    def states(self) -> Labels:
        """Return the state of each item: that of its first repeat without an answer, where it has one."""
        names: list[str] = []
        codes = np.full(len(self), -1, np.int32)
        for member, rows, answered in reversed(list(zip(self.members, self._rows, self._answered, strict=True))):
            labels = member.states()
            names += [name for name in labels.names if name not in names]
            own = np.array([names.index(name) for name in labels.names], np.int32)[labels.codes[rows]]
            codes = np.where(~answered | (codes < 0), own, codes)
        return Labels(names, codes)

    @cached_property
    def _answered(self) -> list[npt.NDArray[np.bool_]]:
        found = []
        for member, rows in zip(self.members, self._rows, strict=True):
            labels = member.states()
            known = np.array([name == ANSWERED for name in labels.names], np.bool_)
            found.append(known[labels.codes[rows]])
        return found

    def passed(self) -> npt.NDArray[np.bool_]:
        """Return whether each item passed in every repeat."""
        found: npt.NDArray[np.bool_] = np.logical_and.reduce(self._passed())
        return found

    def _passed(self) -> list[npt.NDArray[np.bool_]]:
        return [member.passed()[rows] for member, rows in zip(self.members, self._rows, strict=True)]

    def classes(self) -> tuple[Labels, Labels] | None:
        """Return true and guessed labels of every repeat, one repeat after the other."""
        sides = [member.classes() for member in self.members]
        known = [pair for pair in sides if pair is not None]
        if len(known) < len(sides):
            return None
        return self._joined([pair[0] for pair in known]), self._joined([pair[1] for pair in known])

    def answers(self) -> Labels:
        """Return what was extracted from the output of every repeat, one repeat after the other."""
        return self._joined([member.answers() for member in self.members])

    def _joined(self, columns: Sequence[Labels]) -> Labels:
        """Return a categorical column of each repeat as one, under common names."""
        place = {name: code for code, name in enumerate(dict.fromkeys(name for own in columns for name in own.names))}
        tables = [np.array([*(place[name] for name in own.names), -1], np.int32) for own in columns]
        parts = [table[own.codes[rows]] for table, own, rows in zip(tables, columns, self._rows, strict=True)]
        return Labels(list(place), np.concatenate(parts))

    def losses(self) -> tuple[Floats, Floats] | None:
        """Return the loss of each item over all its tokens, and the mean of their number."""
        found = [member.losses() for member in self.members]
        known = [
            (pair[0][rows], pair[1][rows]) for pair, rows in zip(found, self._rows, strict=True) if pair is not None
        ]
        if len(known) < len(found):
            return None
        tokens = [pair[1] for pair in known]
        return _mean([pair[0] for pair in known], tokens), _mean(tokens, None)

    def outcomes(self) -> RepeatOutcomes:
        """Return what the repeats gave for each item, for metrics over repeats."""
        scores = self.each(self.number_names[0])
        assert scores is not None
        found = self.answers()
        codes = np.append(_votes(found.names), -1)[found.codes].reshape(self.repeats, len(self)).T
        return RepeatOutcomes(
            np.stack(self._passed(), axis=1),
            np.nan_to_num(np.stack(scores, axis=1)),
            np.where(np.stack(self._answered, axis=1), codes, -1),
        )

    def error_tags(self) -> dict[str, int]:
        """Return how many items have each error tag, on average over repeats."""
        found: dict[str, int] = {}
        for member in self.members:
            for tag, count in member.error_tags().items():
                found[tag] = found.get(tag, 0) + count
        return {tag: round(count / self.repeats) for tag, count in found.items()}

    def details(self, rows: Rows) -> list[dict[str, Any]]:
        """Return a few items whole, as the repeat with the lowest score has them, with what each repeat gave."""
        each = [member.details(own[rows]) for member, own in zip(self.members, self._rows, strict=True)]
        return [
            min(whole, key=_primary_score)
            | {"repeats": [{"predicted": one["predicted"], "primary_score": _primary_score(one)} for one in whole]}
            for whole in zip(*each, strict=True)
        ]


def _primary_score(item: Mapping[str, Any]) -> float:
    return float(item["scorecard"]["primary_score"])


def _votes(answers: Sequence[str]) -> npt.NDArray[np.int64]:
    """Return a number for each answer; those that differ in case and spacing alone have the same."""
    place: dict[str, int] = {}
    return np.array([place.setdefault(" ".join(name.split()).casefold(), len(place)) for name in answers], np.int64)


def same_items(member: ItemColumns, first: ItemColumns) -> Rows:
    """Return the rows that put a repeat into the order of the first, which must have the same items."""
    pairing = pair_items(member, first)
    if not pairing.whole:
        message = "the repeats do not have the same items"
        raise InputError(Problem("run-damaged", message, hint="repeat the evaluation of one dataset"))
    return pairing.baseline_rows


def _mean(values: Sequence[Floats], weights: Sequence[Floats] | None) -> Floats:
    """Return the mean over repeats that have a value, NaN where none has."""
    table = np.stack(values)
    heavy = np.ones(table.shape) if weights is None else np.nan_to_num(np.stack(weights))
    heavy = np.where(np.isnan(table), 0.0, heavy)
    total = heavy.sum(axis=0)
    sums = (np.nan_to_num(table) * heavy).sum(axis=0)
    found: Floats = np.divide(sums, total, out=np.full(len(total), np.nan), where=total > 0)
    return found
