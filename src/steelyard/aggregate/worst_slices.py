"""The search for weak slices: tags and pairs of tags ranked by how far below the rest they are (page 20).

Each slice has the p-value of a permutation test: how often items dealt out at random would score so low. Holm's
correction counts every slice that was searched, so at most one of twenty data sets without a weak slice shows one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.aggregate.groups import Values, full_name
from steelyard.aggregate.tallies import Moments, TagTallies
from steelyard.records.blocks import Floats
from steelyard.records.items import UNTAGGED
from steelyard.records.scores import ValueKind
from steelyard.stats import slices as contrasts
from steelyard.stats.binning import ValueCounts
from steelyard.stats.flips import holm
from steelyard.stats.permutation import Population, lower_tails, smallest_gap
from steelyard.stats.slices import two_sample

LISTED = 10
MIN_ITEMS = 5
"""A slice of fewer items says nothing; it is not tested, so it does not cost the others power either."""

TESTED = 256
"""So many slices, those lowest for their size, have their p computed; the others count in the correction as 1."""

_NOISE = 1e-12
"""A difference below this is what rounding leaves of equal means."""

LEVEL, POWER = 0.05, 0.8
TEST, TEST_CLUSTERED = "permutation", "permutation-design-effect"


@dataclass(frozen=True, slots=True)
class Slice:
    """A slice that can be tested."""

    keys: tuple[str, ...]
    values: Values
    moments: Moments


class WeakSlices:
    """The slices of all items that are searched, and what was found."""

    def __init__(
        self, tallies: TagTallies, scores: ValueCounts, kind: ValueKind = "bounded", *, design_effect: float = 1.0
    ) -> None:
        self.kind = kind
        self.total = tallies.total
        self.design_effect = design_effect
        self.population = Population(*scores.to_values_and_counts(), design_effect)
        self.searched = [
            Slice(keys, values, moments)
            for keys, groups in tallies.searched().items()
            for values, moments in groups.items()
            if UNTAGGED not in values and MIN_ITEMS <= moments.n <= self.total.n - MIN_ITEMS
        ]

    def worst(self) -> list[dict[str, Any]]:
        """Return the slices that are below the rest, worst first, each with n, interval and Holm-corrected p."""
        sizes = np.array([part.moments.n for part in self.searched], np.float64)
        sums = np.array([float(part.moments.total) for part in self.searched])
        differences = (sums / sizes - self.population.mean) * self.total.n / (self.total.n - sizes)
        lowest = self._lowest(sizes, sums)
        p_values = np.ones(len(self.searched))
        p_values[lowest] = lower_tails(self.population, sizes[lowest], sums[lowest])
        corrected = holm(p_values.tolist())
        below = [place for place in lowest.tolist() if differences[place] < -_NOISE]
        found = [(corrected[place], differences[place], place) for place in below]
        return [self._entry(self.searched[place], p_value) for p_value, _, place in sorted(found)[:LISTED]]

    def _lowest(self, sizes: Floats, sums: Floats) -> npt.NDArray[np.intp]:
        """Return the places of the slices whose sums are furthest below what their sizes let expect."""
        spread = np.sqrt(sizes * (1 - sizes / max(1, self.total.n)))
        below = (sums - sizes * self.population.mean) / np.where(spread > 0, spread, 1.0)
        return np.argsort(below, kind="stable")[:TESTED]

    def _entry(self, part: Slice, p_value: float | None) -> dict[str, Any]:
        rest = self.total - part.moments
        contrast = two_sample(_summary(part.moments), _summary(rest), self.kind, design_effect=self.design_effect)
        return {
            "slice": full_name(part.keys, part.values),
            "keys": list(part.keys),
            "n": part.moments.n,
            "value": part.moments.mean,
            "rest_n": rest.n,
            "rest_value": rest.mean,
            "difference": contrast.difference,
            "ci_low": contrast.ci_low,
            "ci_high": contrast.ci_high,
            "method": contrast.method,
            "p_value": p_value,
            "test": TEST if self.design_effect == 1 else TEST_CLUSTERED,
            "sides": "less",
            "correction": "holm",
        }

    def search(self) -> dict[str, Any]:
        """Return how many slices were searched, and what could have been found in the smallest and the largest."""
        sizes = [part.moments.n for part in self.searched]
        found: dict[str, Any] = {"n_slices": len(sizes), "min_items": MIN_ITEMS, "level": LEVEL, "power": POWER}
        if sizes:
            largest = max(sizes, key=lambda n: min(n, self.total.n - n))
            found["smallest"] = self._could_show(min(sizes))
            found["largest"] = self._could_show(largest)
        return found

    def _could_show(self, n: int) -> dict[str, Any]:
        level = LEVEL / len(self.searched)
        return {"n": n, "gap": smallest_gap(self.population, n, level=level, power=POWER)}


def _summary(moments: Moments) -> contrasts.Moments:
    return contrasts.Moments(moments.n, float(moments.total), moments.squares)
