"""Classification over pairs: figures from label counts, and a paired test in which guesses change sides.

Items with the same truth and the same two guesses are interchangeable, so everything is drawn over counts of such
triples: a round costs one binomial (or multinomial) per triple, whatever the number of items.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from steelyard.comparison.means import ROUNDS, SEED, Clusters, MeanMeasure, directed
from steelyard.records.blocks import Floats, Labels
from steelyard.records.columns import Rows
from steelyard.records.comparisons import Figure, Paired
from steelyard.stats.detectable import Spread, minimum_detectable
from steelyard.stats.matrices import f1_figures
from steelyard.stats.paired import compare_sums
from steelyard.stats.paired_means import PairedSums, drawn_ends

SWAP = "guess-swap-permutation"
PAIRED_BOOTSTRAP = "paired-bootstrap"
LEVEL = 0.95
_CELLS = 8_000_000
_ROUNDS_AT_ONCE = 500
_TIE = 1e-12

Codes = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class LabelPairs:
    """True and guessed labels of two runs as codes into one list of names; a guess of -1 is no answer."""

    names: tuple[str, ...]
    truth: tuple[Codes, Codes]
    guess: tuple[Codes, Codes]

    @classmethod
    def of(cls, baseline: tuple[Labels, Labels], candidate: tuple[Labels, Labels]) -> LabelPairs:
        """Return two runs' labels under common codes."""
        names = tuple(sorted({name for labels in (*baseline, *candidate) for name in labels.names}))
        place = {name: code for code, name in enumerate(names)}

        def codes(labels: Labels) -> Codes:
            table = np.array([*(place[name] for name in labels.names), -1], np.int64)
            return table[labels.codes]

        return cls(names, (codes(baseline[0]), codes(candidate[0])), (codes(baseline[1]), codes(candidate[1])))

    def right(self, side: int, rows: Rows | None) -> Floats:
        """Return 1 where the guess is right, else 0."""
        values: Floats = (self.truth[side] == self.guess[side]).astype(np.float64)
        return values if rows is None else values[rows]

    def figure(self, name: str, side: int, rows: Rows | None) -> Figure:
        """Return a figure over rows of one side."""
        truth, guess = self.truth[side], self.guess[side]
        if rows is not None:
            truth, guess = truth[rows], guess[rows]
        if not len(truth):
            return Figure(0, None)
        width = len(self.names) + 1
        counts = np.bincount(truth * width + guess + 1)
        cells = np.flatnonzero(counts)
        weights = counts[None, cells].astype(np.float64)
        return Figure(len(truth), float(_scores(name, cells // width, cells % width - 1, weights, width - 1)[0]))

    def changes(self, baseline_rows: Rows, candidate_rows: Rows) -> tuple[int, int, int]:
        """Return how many pairs there are, and how many became right and wrong."""
        right = self.right(0, baseline_rows), self.right(1, candidate_rows)
        return len(baseline_rows), int((right[1] > right[0]).sum()), int((right[1] < right[0]).sum())

    def paired(self, name: str, baseline_rows: Rows, candidate_rows: Rows, *, rounds: int, seed: int) -> Paired:
        """Return the difference of a figure over independent pairs, with a permutation p and a bootstrap interval."""
        n, improved, regressed = self.changes(baseline_rows, candidate_rows)
        figures = self.figure(name, 0, baseline_rows).value, self.figure(name, 1, candidate_rows).value
        if figures[0] is None or figures[1] is None:
            return Paired(None, None, None, None, SWAP, 0, 0, 0, 0, None, reason="no items are in both runs")
        triples = _Triples.of(
            self.truth[1][candidate_rows], self.guess[0][baseline_rows], self.guess[1][candidate_rows]
        )
        delta = figures[1] - figures[0]
        draws = _draws(triples, name, len(self.names), rounds, seed)
        low, high = drawn_ends(draws, delta, n, 1.0, LEVEL)
        error = float(draws.std()) if n > 1 else None
        shown, unknown = minimum_detectable(Spread.of(error, n, n, moved=(improved + regressed) / n, reach=1.0))
        return Paired(
            delta, low, high, triples.swap_p_value(name, len(self.names), delta, rounds, seed), SWAP,
            n, improved, regressed, n - improved - regressed, shown,
            method=PAIRED_BOOTSTRAP, reason=unknown, baseline=figures[0], candidate=figures[1],
            units=n, standard_error=error,
        )  # fmt: skip

    def counts(self, rows: tuple[Rows, Rows], units: Codes, repeats: tuple[int, int]) -> tuple[Codes, Codes]:
        """Return the label counts of each unit in both runs: of true, guessed and rightly guessed labels.

        `units` says for each pair of items which unit it belongs to; a run with more repeats of each item has rows for
        one repeat after the other. The counts of both runs are of as many repeats.
        """
        _, codes = np.unique(units, return_inverse=True)
        width = len(self.names)
        most = max(64, _CELLS // (3 * width))
        if int(codes.max()) >= most:
            # Handfuls of whole units: the counts of each unit alone would not fit.
            codes = np.random.Generator(np.random.PCG64(0)).integers(0, most, int(codes.max()) + 1)[codes]
        common = math.lcm(*repeats)
        first, second = (
            _counts(self.truth[side][rows[side]], self.guess[side][rows[side]], np.tile(codes, repeats[side]), width)
            * (common // repeats[side])
            for side in (0, 1)
        )
        return first, second


@dataclass(frozen=True, slots=True)
class MatrixMeasure:
    """Accuracy or an F1 over classes, from counts of true and guessed labels."""

    name: str
    pairs: LabelPairs

    def figure(self, side: int, rows: Rows | None = None) -> Figure:
        """Return the figure over rows."""
        return self.pairs.figure(self.name, side, rows)

    def scores(self, side: int, rows: Rows) -> Floats:
        """Return 1 where the guess is right."""
        return self.pairs.right(side, rows)

    def paired(self, baseline_rows: Rows, candidate_rows: Rows, clusters: Clusters = None) -> Paired:
        """Return the paired difference; for accuracy it is McNemar's, for an F1 guesses change sides at random."""
        if self.name == "accuracy":
            everything = MeanMeasure(self.pairs.right(0, None), self.pairs.right(1, None))
            return everything.paired(baseline_rows, candidate_rows, clusters)
        if clusters is None or len(np.unique(clusters)) == len(baseline_rows):
            return self.pairs.paired(self.name, baseline_rows, candidate_rows, rounds=ROUNDS, seed=SEED)
        result = compare_sums(
            PairedSums.of(*self.pairs.counts((baseline_rows, candidate_rows), clusters, (1, 1)), clustered=True),
            partial(f1_of_counts, self.name),
            self.pairs.changes(baseline_rows, candidate_rows),
            rounds=ROUNDS,
            seed=SEED,
        )
        values = self.figure(0, baseline_rows).value, self.figure(1, candidate_rows).value
        return directed(result, "higher", *values)


def _counts(truth: Codes, guess: Codes, codes: Codes, width: int) -> Codes:
    """Return for each cluster how often each label is true, guessed, and both."""
    units = int(codes.max()) + 1
    parts = [(truth, np.ones(len(truth), np.bool_)), (guess, guess >= 0), (truth, truth == guess)]
    found = [
        np.bincount(codes[kept] * width + labels[kept], minlength=units * width).reshape(units, width)
        for labels, kept in parts
    ]
    return np.concatenate(found, axis=1).astype(np.int64)


def f1_of_counts(name: str, sums: Floats) -> Floats:
    """Return a figure for each row of label counts; a class that does not occur is left out."""
    support, guessed, hits = np.split(sums, 3, axis=1)
    return f1_figures(name, support, guessed, hits)


@dataclass(frozen=True, slots=True)
class _Triples:
    """Distinct (truth, first guess, second guess) with how many items have them."""

    truth: Codes
    first: Codes
    second: Codes
    counts: Codes

    @classmethod
    def of(cls, truth: Codes, first: Codes, second: Codes) -> _Triples:
        width = int(max(truth.max(), first.max(), second.max())) + 2
        codes, counts = np.unique((truth * width + first + 1) * width + second + 1, return_counts=True)
        return cls(codes // (width * width), codes // width % width - 1, codes % width - 1, counts)

    @property
    def discordant(self) -> npt.NDArray[np.bool_]:
        return np.not_equal(self.first, self.second)

    @property
    def mirrored(self) -> _Triples:
        """The same items with the two runs exchanged, in order again."""
        order = np.lexsort((self.first, self.second, self.truth))
        return _Triples(self.truth[order], self.second[order], self.first[order], self.counts[order])

    def deltas(self, name: str, classes: int, kept: Floats, swapped: Floats) -> Floats:
        """Return second minus first, where `kept` items have their guesses as they are and `swapped` exchanged."""
        truth = np.concatenate((self.truth, self.truth))
        weights = np.concatenate((kept, swapped), axis=1)
        forward = _scores(name, truth, np.concatenate((self.second, self.first)), weights, classes)
        return forward - _scores(name, truth, np.concatenate((self.first, self.second)), weights, classes)

    def swap_p_value(self, name: str, classes: int, delta: float, rounds: int, seed: int) -> float:
        """Return the two-sided p under random exchange of the two guesses of each item."""
        unordered = _Triples.of(
            np.repeat(self.truth, self.counts),
            np.repeat(np.minimum(self.first, self.second), self.counts),
            np.repeat(np.maximum(self.first, self.second), self.counts),
        )
        generator = np.random.Generator(np.random.PCG64(seed))
        extreme = 0
        for start in range(0, rounds, _ROUNDS_AT_ONCE):
            shape = (min(_ROUNDS_AT_ONCE, rounds - start), len(unordered.counts))
            swapped = generator.binomial(unordered.counts, 0.5, size=shape).astype(np.float64) * unordered.discordant
            deltas = unordered.deltas(name, classes, unordered.counts - swapped, swapped)
            extreme += int((np.abs(deltas) >= abs(delta) - _TIE).sum())
        return (1 + extreme) / (1 + rounds)

    def draws(self, name: str, classes: int, rounds: int, seed: int) -> Floats:
        """Return bootstrap draws of second minus first."""
        generator = np.random.Generator(np.random.PCG64(seed))
        total = int(self.counts.sum())
        found = []
        for start in range(0, rounds, _ROUNDS_AT_ONCE):
            size = min(_ROUNDS_AT_ONCE, rounds - start)
            kept = generator.multinomial(total, self.counts / total, size=size).astype(np.float64)
            found.append(self.deltas(name, classes, kept, np.zeros_like(kept)))
        return np.concatenate(found)


def _draws(triples: _Triples, name: str, classes: int, rounds: int, seed: int) -> Floats:
    """Return bootstrap draws of the difference, half of them made with the runs exchanged.

    Exchanging the runs then negates every draw.
    """
    half = rounds // 2
    forward, backward = triples.draws(name, classes, half, seed), triples.mirrored.draws(name, classes, half, seed)
    return np.concatenate((forward, -backward))


def _scores(name: str, truth: Codes, guess: Codes, weights: Floats, classes: int) -> Floats:
    """Return a figure for each row of weights over (truth, guess) pairs; a class that does not occur is left out."""
    if name == "accuracy":
        return np.asarray(weights @ (truth == guess) / weights.sum(axis=1))
    support = weights @ np.eye(classes)[truth]
    guessed = weights @ np.vstack((np.eye(classes), np.zeros(classes)))[guess]
    hits = weights @ (np.eye(classes)[truth] * (truth == guess)[:, None])
    return f1_figures(name, support, guessed, hits)
