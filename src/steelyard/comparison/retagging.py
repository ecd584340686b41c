"""Items that have other tags than the baseline had them with.

Tags are no part of what an item is: a run over retagged items pairs with one over the same items before. What a rule
over a slice looks at is then decided by the baseline's tags, or else whoever tags the items that got worse anew takes
them out of the slice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from steelyard.comparison.pairing import Pairing
from steelyard.records.blocks import Labels
from steelyard.records.columns import Rows, Tagged


class StandingTags:
    """The tags of a run's items as its baseline had them; an item that only the run has keeps its own."""

    def __init__(self, baseline: Tagged, candidate: Tagged, pairing: Pairing) -> None:
        self._baseline, self._candidate, self._pairing = baseline, candidate, pairing
        self._known = frozenset(baseline.tag_keys)
        self._tags: dict[str, Labels] = {}

    def __len__(self) -> int:
        return len(self._candidate)

    @property
    def tag_keys(self) -> Sequence[str]:
        """The keys of all tags that the run's items have today."""
        return self._candidate.tag_keys

    def tag(self, key: str) -> Labels:
        """Return a tag as it stood; one that no item of the baseline had stands as the run has it."""
        if key not in self._tags:
            self._tags[key] = self._standing(key) if key in self._known else self._candidate.tag(key)
        return self._tags[key]

    def _standing(self, key: str) -> Labels:
        own = self._candidate.tag(key)
        before = self._baseline.tag(key)
        known = {name: code for code, name in enumerate(dict.fromkeys((*before.names, *own.names)))}
        codes = _recoded(own, known)
        codes[self._pairing.candidate_rows] = _recoded(before, known)[self._pairing.baseline_rows]
        return Labels(tuple(known), codes)

    @cached_property
    def changed(self) -> dict[str, Rows]:
        """The rows of the run's items whose value of a tag is not the baseline's, by key."""
        found = {}
        for key in sorted(self._known):
            own, stood = self._candidate.tag(key), self.tag(key)
            known = {name: code for code, name in enumerate(stood.names)}
            rows = np.flatnonzero(_recoded(own, known) != stood.codes)
            if len(rows):
                found[key] = rows
        return found

    def values(self, key: str) -> tuple[ValueAt, ValueAt]:
        """Return what a tag's value was in the baseline, and what it is in the run, each by row."""
        return ValueAt(self.tag(key)), ValueAt(self._candidate.tag(key))


@dataclass(frozen=True, slots=True)
class ValueAt:
    """A tag's value by row; null where the item lacks it."""

    labels: Labels

    def __getitem__(self, row: int) -> str | None:
        code = int(self.labels.codes[row])
        return None if code < 0 else self.labels.names[code]


def _recoded(labels: Labels, known: dict[str, int]) -> npt.NDArray[np.int32]:
    """Return codes into other names; -1 stays no value."""
    table = np.array([*(known[name] for name in labels.names), -1], np.int32)
    codes: npt.NDArray[np.int32] = table[labels.codes]
    return codes
