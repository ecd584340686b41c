"""What the repeats of a run gave for each item, as metrics over repeats read it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from steelyard.records.blocks import Floats


@dataclass(frozen=True, slots=True)
class RepeatOutcomes:
    """One row for each item, one column for each of its repeats."""

    passed: npt.NDArray[np.bool_]
    scores: Floats
    """The primary score."""
    answers: npt.NDArray[np.int64]
    """Equal numbers are equal answers; -1 where nothing could be read."""

    @property
    def repeats(self) -> int:
        """How many repeats there are."""
        return int(self.passed.shape[1])
