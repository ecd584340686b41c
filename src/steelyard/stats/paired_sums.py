"""Figures of sums over items (BLEU, chrF, an F1 over classes), paired: random exchanges, and items drawn again.

As sacrebleu and multeval do it (Riezler and Maxwell 2005; Koehn 2004): in approximate randomisation each item's numbers
change sides at random and both figures are computed again; in the paired bootstrap the same items are drawn for both
runs. Where items form clusters, whole clusters change sides and are drawn.

Draws are made over units in an order that does not depend on which run is which, so exchanging the runs negates every
drawn difference. Beyond 4,096 units random handfuls of them are drawn, so time and memory stay bounded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from steelyard.stats.grid import Floats
from steelyard.stats.paired_rates import unseen
from steelyard.stats.resampling import percentile_ends

RANDOMISATION = "approximate-randomisation"
RANDOMISATION_CLUSTERED = "approximate-randomisation-clustered"
PAIRED_BOOTSTRAP = "paired-bootstrap"
PAIRED_BOOTSTRAP_CLUSTERED = "paired-bootstrap-clustered"

Figures: TypeAlias = Callable[[Floats], Floats]
"""From rows of sums to one value each."""

_UNITS = 4096
_CELLS = 4_000_000
_TIE = 1e-12


@dataclass(frozen=True, slots=True)
class PairedSums:
    """The numbers of each unit in both runs, one row a unit, in an order that both runs share."""

    baseline: Floats
    candidate: Floats
    n_units: int
    """How many independent units there are; the rows are handfuls of them where they are many."""
    clustered: bool = False
    """Whether a unit holds several items."""

    @classmethod
    def of(
        cls, baseline: npt.NDArray[np.int64], candidate: npt.NDArray[np.int64], *, clustered: bool = False
    ) -> PairedSums:
        """Return the units of two runs, from the whole numbers of each in one order."""
        order = np.lexsort((*np.abs(baseline - candidate).T, *(baseline + candidate).T))
        first, second, units = baseline[order], candidate[order], len(baseline)
        most = max(64, min(_UNITS, _CELLS // max(1, first.shape[1])))
        if units > most:
            handful = np.random.Generator(np.random.PCG64(0)).integers(0, most, units)
            first, second = summed(first, handful), summed(second, handful)
        return cls(first.astype(np.float64), second.astype(np.float64), units, clustered)

    def delta(self, figures: Figures) -> float:
        """Return the difference of the figures of all units."""
        totals = np.stack([self.baseline.sum(axis=0), self.candidate.sum(axis=0)])
        first, second = figures(totals)
        return float(second - first)

    def exchanged(self, figures: Figures, rounds: int, seed: int) -> Floats:
        """Return the difference in each of `rounds` random exchanges of the runs' units."""
        generator = np.random.Generator(np.random.PCG64(seed))
        total = (self.baseline + self.candidate).sum(axis=0)
        found = []
        for size in self._portions(rounds):
            kept = generator.integers(0, 2, size=(size, len(self.baseline))).astype(np.float64)
            # Whole numbers: the products have no rounding, so the order in which BLAS adds does not show.
            one = kept @ self.candidate + (1 - kept) @ self.baseline
            found.append(figures(one) - figures(total - one))
        return np.concatenate(found)

    def drawn(self, figures: Figures, rounds: int, seed: int) -> Floats:
        """Return the difference in each of `rounds` bootstrap samples of units."""
        generator = np.random.Generator(np.random.PCG64(seed))
        units = len(self.baseline)
        found = []
        for size in self._portions(rounds):
            weights = generator.multinomial(units, np.full(units, 1 / units), size=size).astype(np.float64)
            found.append(figures(weights @ self.candidate) - figures(weights @ self.baseline))
        return np.concatenate(found)

    def _portions(self, rounds: int) -> list[int]:
        at_once = max(1, _CELLS // len(self.baseline))
        return [min(at_once, rounds - start) for start in range(0, rounds, at_once)]


def summed(rows: npt.NDArray[np.int64], codes: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the sums of the rows that have one code, in the order of codes."""
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    return np.asarray(np.add.reduceat(rows[order], starts, axis=0))


def randomisation_p(differences: Floats, delta: float) -> float:
    """Return the two-sided p of a difference among those of random exchanges; a tie counts as extreme."""
    return (1 + int(np.count_nonzero(np.abs(differences) >= abs(delta) - _TIE))) / (1 + len(differences))


def bootstrap_p(draws: Floats, delta: float) -> float:
    """Return sacrebleu's p of the paired bootstrap: how often absolute differences, centred, exceed the one seen."""
    if delta == 0:
        return 1.0
    sizes = np.abs(draws)
    return (1 + int(np.count_nonzero(sizes - sizes.mean() > abs(delta)))) / (1 + len(draws))


def drawn_ends(draws: Floats, delta: float, n_units: int, reach: float, level: float) -> tuple[float, float]:
    """Return the ends of the bootstrap interval; it holds the value, and what so many units cannot show."""
    low, high = percentile_ends(draws, level)
    floor = reach * unseen(n_units, level)
    # BLEU's best is 100 and a rounding error: the bounds must not cut off the difference itself.
    return min(delta, max(-reach, min(low, delta - floor))), max(delta, min(reach, max(high, delta + floor)))
