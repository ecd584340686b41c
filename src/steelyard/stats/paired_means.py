"""Paired scores that are no rates: an interval of the mean difference that knows what it has not seen.

Bounded scores: Gaffke's bound (2005). Each unit and one more, the worst that the bounds allow, get random weights that
add up to 1 (exponential ones over their sum); an end is a quantile of the weighted means. For 0/1 values it is
Clopper and Pearson's exact end, where all differences are equal it is the exact bound of an event that was not seen,
and with many units it is the bootstrap's. No distribution is known that it fails for.

Unbounded scores: bootstrap-t, which follows the skew of the differences, or Student's t over few units. Nothing says
how far an unseen difference may reach but the largest one that was seen, or where no item differs the range of the
values; the interval is never narrower than Gaffke's with the mean that far on either side as the bounds.

A lower end of the differences is computed, and an upper one as that of their negatives with the same seed: exchanging
the runs exchanges the ends exactly.

Beside them: sums and ratios, linearised.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from steelyard.stats.bounded import GAFFKE, GAFFKE_CLUSTERED
from steelyard.stats.distributions import student_quantile
from steelyard.stats.intervals import Interval
from steelyard.stats.paired_rates import unseen
from steelyard.stats.pairs import Pairs
from steelyard.stats.resampling import Floats, Units, grouped, percentile_ends, totals_of
from steelyard.stats.unbounded import (
    FEW_UNITS,
    STUDENT,
    STUDENT_CLUSTERED,
    STUDENTISED,
    STUDENTISED_CLUSTERED,
    studentised,
)

ONE_UNIT = "a single item, or a single cluster, shows no spread"
SPREADLESS = "neither run's values differ from each other, so nothing says how far an unseen difference may reach"

_DISTINCT = 256
"""Above this many distinct units neighbours are weighted together."""

_CELLS_AT_ONCE = 4_000_000


def bounded_interval(pairs: Pairs, reach: float, *, rounds: int, seed: int, level: float) -> Interval:
    """Return the interval of a mean difference where no item's difference is beyond `reach`."""
    method = GAFFKE_CLUSTERED if pairs.clustered else GAFFKE
    low = _gaffke_low(Units.of(pairs.sums, pairs.sizes), reach, rounds, seed, level)
    high = -_gaffke_low(Units.of(-pairs.sums, pairs.sizes), reach, rounds, seed, level)
    return Interval(min(low, pairs.delta), max(high, pairs.delta), method, level)


def unbounded_interval(pairs: Pairs, *, rounds: int, seed: int, level: float) -> Interval:
    """Return the interval of a mean difference of values without bounds; None where nothing says how they spread."""
    reach, method = pairs.widest, _method(pairs)
    if pairs.units < 2 or reach == 0:
        return Interval(None, None, method, level, ONE_UNIT if pairs.units < 2 else SPREADLESS)
    below = _gaffke_low(Units.of(pairs.residuals, pairs.sizes), reach, rounds, seed, level)
    above = _gaffke_low(Units.of(-pairs.residuals, pairs.sizes), reach, rounds, seed, level)
    if pairs.squares:
        lower, upper = _studentised(pairs, rounds, seed, level)
        below, above = min(below, lower), min(above, upper)
    return Interval(pairs.delta + min(0.0, below), pairs.delta - min(0.0, above), method, level)


def _gaffke_low(units: Units, reach: float, rounds: int, seed: int, level: float) -> float:
    units = units if len(units.sums) <= _DISTINCT else grouped(units)
    size = float((units.sizes * units.counts).sum() / units.n)
    generator = np.random.Generator(np.random.PCG64(seed))
    at_once = max(1, _CELLS_AT_ONCE // (len(units.sums) + 1))
    draws = [
        _weighted_means(units, size, reach, min(at_once, rounds - start), generator)
        for start in range(0, rounds, at_once)
    ]
    return percentile_ends(np.concatenate(draws), level)[0]


def _weighted_means(units: Units, size: float, reach: float, rounds: int, generator: np.random.Generator) -> Floats:
    weights = generator.standard_gamma(np.repeat(units.counts[:, None].astype(np.float64), rounds, axis=1))
    unseen = generator.standard_exponential(rounds) * size
    sums = totals_of(weights, units.sums) - unseen * reach
    if units.variances.any():
        sums += np.sqrt(totals_of(weights, units.variances)) * generator.standard_normal(rounds)
    means: Floats = sums / (totals_of(weights, units.sizes) + unseen)
    return means


def _method(pairs: Pairs) -> str:
    """Return the method by the number of units alone; what values do inside it is part of it."""
    if pairs.units < FEW_UNITS:
        return STUDENT_CLUSTERED if pairs.clustered else STUDENT
    return STUDENTISED_CLUSTERED if pairs.clustered else STUDENTISED


def _studentised(pairs: Pairs, rounds: int, seed: int, level: float) -> tuple[float, float]:
    """Return how far the ends lie from the delta, both downwards as for negated differences.

    Student's t where units are few, or where so many resamples have no spread that a quantile is without end.
    """
    error = pairs.standard_error
    assert error is not None
    if pairs.units >= FEW_UNITS:
        half = (rounds + 1) // 2
        mirrored = -studentised(Units.of(-pairs.residuals), half, seed)
        ratios = np.concatenate((studentised(Units.of(pairs.residuals), half, seed), mirrored))
        lowest, highest = percentile_ends(ratios, level)
        if math.isfinite(lowest) and math.isfinite(highest):
            return -highest * error, lowest * error
    margin = student_quantile((1 + level) / 2, pairs.units - 1) * error
    return -margin, -margin


# Figures of sums over items (BLEU, chrF, an F1 over classes), paired: random exchanges, and items drawn again.
#
# As sacrebleu and multeval do it (Riezler and Maxwell 2005; Koehn 2004): in approximate randomisation each item's
# numbers change sides at random and both figures are computed again; in the paired bootstrap the same items are
# drawn for both runs. Where items form clusters, whole clusters change sides and are drawn.
#
# Draws are made over units in an order that does not depend on which run is which, so exchanging the runs negates
# every drawn difference. Beyond 4,096 units random handfuls of them are drawn, so time and memory stay bounded.


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
