"""One run's items as columns: what comparison and gate read of a run, whatever keeps it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from steelyard.records.blocks import Counts, Floats, Labels

Rows = npt.NDArray[np.int64]
"""Places of items in a run, in dataset order."""

WEIGHT = ".weight"
"""After the name of a per-item ratio: its denominator, which makes the metric the ratio of two sums."""


class Tagged(Protocol):
    """Items in dataset order, as slices see them."""

    def __len__(self) -> int:
        """How many items there are."""

    @property
    def tag_keys(self) -> Sequence[str]:
        """The keys of all tags."""

    def tag(self, key: str) -> Labels:
        """Return a tag; code -1 where an item lacks it."""


class ItemColumns(Tagged, Protocol):
    """A run's items in dataset order. A column is read when it is asked for, and never as rows."""

    @property
    def number_names(self) -> Sequence[str]:
        """The names of all per-item numbers, the primary first; weights are no numbers of their own."""

    def ids(self) -> Any:
        """Return the item ids as an Arrow array."""

    def hashes(self) -> Any:
        """Return the content hashes as an Arrow array."""

    def key_batches(self) -> Iterator[tuple[Any, Any]]:
        """Yield ids and content hashes, as many at a time as every other run of the same length yields."""

    def inputs(self) -> Any:
        """Return the inputs as an Arrow array."""

    def number(self, name: str) -> Floats | None:
        """Return a per-item number, NaN where it is null; None where the run does not have it."""

    def counts(self, name: str) -> Counts | None:
        """Return the whole numbers of each item for a corpus metric, one row each; None where they are not stored."""

    @property
    def repeats(self) -> int:
        """How many answers of each item the run has; its numbers are their means."""

    def answers(self) -> Labels:
        """Return what was extracted from each output; code -1 where nothing could be."""

    def states(self) -> Labels:
        """Return the state of each item."""

    def passed(self) -> npt.NDArray[np.bool_]:
        """Return whether each item passed."""

    def clusters(self) -> Labels | None:
        """Return the conversation of each item; None where there are none."""

    def classes(self) -> tuple[Labels, Labels] | None:
        """Return the true and the guessed label of each item; None where the task is no classification."""

    def losses(self) -> tuple[Floats, Floats] | None:
        """Return the loss and the number of tokens of each item; None where there are none."""

    def error_tags(self) -> dict[str, int]:
        """Return how many items have each error tag."""

    def details(self, rows: Rows) -> list[dict[str, Any]]:
        """Return a few items whole: input, reference, output and scorecard."""
