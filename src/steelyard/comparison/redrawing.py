"""Imagined runs for calibrating a gate: equal ones, and ones that are worse by a known amount.

Equal: where a run was repeated, baseline and candidate are two different repeats, drawn item by item (cluster by
cluster where there are clusters), so they differ as two runs of one model do. Without repeats a share of items, chosen
so that a stated share of scores changes, takes the outcome of another item with the same true label, in the baseline
or in the candidate by a coin's choice. Worse: an equal run in which a share of items takes the outcome of one of the
worst-scored items, chosen so that the primary metric is expected to drop by the given amount.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from steelyard.comparison.outcomes import Outcomes
from steelyard.errors import Problem, UsageError
from steelyard.records.blocks import Floats
from steelyard.records.columns import Rows
from steelyard.records.items import SKIPPED

Codes = npt.NDArray[np.int64]


@dataclass
class Redrawing:
    """Draws pairs of imagined runs as donors for each item."""

    outcomes: Outcomes
    primary: str
    flip_rate: float | None
    """The share of items whose primary score changes between equal runs; None draws from repeats."""
    clusters: Codes | None

    def equal(self, generator: np.random.Generator) -> tuple[Rows, Rows]:
        """Return the donors of a baseline and of a candidate that is no better and no worse."""
        own = np.arange(len(self.outcomes.items))
        if self.flip_rate is not None:
            moved = generator.random(len(own)) < self._moving
            donors = own.copy()
            donors[moved] = self._like(own[moved], generator)
            # Which side has the new outcome is a coin's choice: were it always the candidate, half of the chance that
            # two runs share would be missing.
            turned = generator.random(len(own)) < 0.5
            return np.where(turned, donors, own), np.where(turned, own, donors)
        first, second = self._two_repeats(generator)
        return first * len(own) + own, second * len(own) + own

    def worse(self, drop: float, generator: np.random.Generator) -> tuple[Rows, Rows]:
        """Return the donors of a baseline and of a candidate whose primary metric is expected to drop so far."""
        baseline, candidate = self.equal(generator)
        broken = generator.random(len(candidate)) < self.share_broken(drop)
        candidate[broken] = self._bad(np.flatnonzero(broken), generator)
        return baseline, candidate

    def share_broken(self, drop: float) -> float:
        """Return which share of items has to break for an expected drop."""
        possible = float(self._scores.mean() - self._scores[self._worst].mean())
        if possible <= 0:
            message = f"{self.primary} of every answer is the lowest there is, so no run can be imagined to be worse"
            raise UsageError(Problem("usage", message, hint="calibrate on a baseline that has better answers, too"))
        if not 0 < drop <= possible:
            message = f"{self.primary} cannot drop by {drop:g} on these items, at most by {possible:.4g}"
            raise UsageError(Problem("usage", message, hint="give a --drop above 0 and within that"))
        return drop / possible

    @cached_property
    def _scores(self) -> Floats:
        scores = self.outcomes.number(self.primary)
        assert scores is not None
        return np.nan_to_num(scores)

    @cached_property
    def _worst(self) -> Rows:
        """The answers with the lowest score there is; silence is another fault than a wrong answer."""
        states = self.outcomes.states
        answered = np.array([name not in SKIPPED for name in states.names], np.bool_)[states.codes]
        among = answered if answered.any() else np.ones(len(answered), np.bool_)
        return np.flatnonzero(among & (self._scores == self._scores[among].min()))

    def _two_repeats(self, generator: np.random.Generator) -> tuple[Codes, Codes]:
        """Return two different repeats for each item; items of a cluster have the same two."""
        groups = np.arange(len(self.outcomes.items)) if self.clusters is None else self.clusters
        count, repeats = int(groups.max()) + 1, len(self.outcomes.repeats)
        first = generator.integers(0, repeats, count)
        second = (first + generator.integers(1, repeats, count)) % repeats
        return first[groups], second[groups]

    @cached_property
    def _moving(self) -> float:
        """The share of items that take another's outcome, so that `flip_rate` of the scores change."""
        assert self.flip_rate is not None
        _, values = np.unique(self._scores, return_inverse=True)
        _, kinds, counts = np.unique(self._strata * (values.max() + 1) + values, return_index=True, return_counts=True)
        sizes = np.bincount(self._strata)[self._strata[kinds]]
        attainable = float((counts * (1 - counts / sizes)).sum() / len(values))
        if self.flip_rate > attainable:
            message = f"{self.flip_rate:g} of the scores cannot change on these items, at most {attainable:.4g} can"
            raise UsageError(Problem("usage", message, hint="give a smaller --flip-rate, or repeat the baseline"))
        return self.flip_rate / attainable if attainable else 0.0

    def changed(self, pair: tuple[Rows, Rows]) -> float:
        """Return the share of items whose score is not the same in an imagined baseline and candidate."""
        return float((self._scores[pair[0]] != self._scores[pair[1]]).mean())

    @cached_property
    def _strata(self) -> Codes:
        """Outcomes that may stand for each other: of a classification those with the same true label."""
        truth = self.outcomes.truth
        count = len(self.outcomes.items)
        return np.zeros(count, np.int64) if truth is None else truth.codes.astype(np.int64) + 1

    def _like(self, rows: Rows, generator: np.random.Generator) -> Rows:
        """Return for each item another outcome of its stratum, at random."""
        order = np.argsort(self._strata, kind="stable")
        sizes = np.bincount(self._strata)
        starts = np.cumsum(sizes) - sizes
        strata = self._strata[rows]
        picked: Rows = order[starts[strata] + (generator.random(len(rows)) * sizes[strata]).astype(np.int64)]
        return picked

    def _bad(self, rows: Rows, generator: np.random.Generator) -> Rows:
        """Return for each item one of the worst outcomes; of a classification one whose guess is wrong for it."""
        donors = generator.choice(self._worst, len(rows))
        truth, guesses = self.outcomes.truth, self.outcomes.guesses
        if truth is None or guesses is None:
            return donors
        named = np.array([*truth.names, ""], object)[truth.codes[rows]]
        for _ in range(64):
            right = np.array([*guesses.names, None], object)[guesses.codes[donors]] == named
            if not right.any():
                return donors
            donors[right] = generator.integers(0, len(self.outcomes), int(right.sum()))
        return donors
