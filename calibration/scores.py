"""Made scores whose truth is known: what the simulations draw from. Nothing here is the product's.

A population is a function of a generator and a shape that returns independent draws; its mean is known by formula. A
pair of runs is drawn from one population of items, so that the two runs' scores are as alike as two runs of one model.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Generator = np.random.Generator
Kind = Literal["rate", "bounded", "unbounded"]


@dataclass(frozen=True)
class Population:
    """One kind of score: how it is drawn, what it is expected to be, and what values it can have."""

    name: str
    kind: Kind
    mean: float
    draw: Callable[[Generator, tuple[int, ...]], Floats]


def rate(share: float) -> Population:
    """Return 0/1 scores with this share of ones."""
    return Population(f"0/1 at {share:g}", "rate", share, lambda g, shape: (g.random(shape) < share).astype(float))


def _f1_like(generator: Generator, shape: tuple[int, ...]) -> Floats:
    """Return scores with a lump at 0, a lump at 1, and the rest between, in steps as token F1 has them."""
    where, between = generator.random(shape), np.round(generator.beta(2.0, 2.0, shape) * 10) / 10
    return np.where(where < 0.15, 0.0, np.where(where < 0.45, 1.0, between))


F1_LIKE = Population("f1-like", "bounded", 0.30 + 0.55 * 0.5, _f1_like)
NEAR_ONE = Population(
    "near 1", "bounded", 0.95 + 0.05 * 0.5, lambda g, shape: np.where(g.random(shape) < 0.95, 1.0, g.random(shape))
)
RARE = Population(
    "rare values", "bounded", 0.05 * 0.5, lambda g, shape: np.where(g.random(shape) < 0.05, g.random(shape), 0.0)
)
SKEWED = Population("lognormal", "unbounded", float(np.exp(0.5)), lambda g, shape: g.lognormal(0.0, 1.0, shape))
EXPONENTIAL = Population("exponential", "unbounded", 1.0, lambda g, shape: g.exponential(1.0, shape))


@dataclass(frozen=True)
class Pairs:
    """Scores of a baseline and of a candidate, a row for each simulation, and the true difference of their means."""

    baseline: Floats
    candidate: Floats
    delta: float
    clusters: npt.NDArray[np.int64] | None = None


def rate_pairs(generator: Generator, shape: tuple[int, int], *, regress: float, fix: float) -> Pairs:
    """Return 0/1 pairs: a share of all items regresses, another is fixed, six in ten of the rest pass in both."""
    where = generator.random(shape)
    both = (generator.random(shape) < 0.6).astype(float)
    regressed, fixed = where < regress, (where >= regress) & (where < regress + fix)
    return Pairs(
        np.where(fixed, 0.0, np.maximum(both, regressed)),
        np.where(regressed, 0.0, np.maximum(both, fixed)),
        fix - regress,
    )


def score_pairs(
    generator: Generator, shape: tuple[int, int], population: Population, *, changed: float, drop: float = 0.0
) -> Pairs:
    """Return pairs in which a share of items is drawn anew, and a share of the candidate's falls to 0."""
    baseline = population.draw(generator, shape)
    candidate = np.where(generator.random(shape) < changed, population.draw(generator, shape), baseline)
    broken = generator.random(shape) < drop / population.mean
    return Pairs(baseline, np.where(broken, 0.0, candidate), -drop)


def clustered_rates(generator: Generator, clusters: int, size: int, share: float, spread: float) -> Floats:
    """Return 0/1 scores of clusters whose own rates vary: beta with this mean and this correlation inside a cluster."""
    total = 1 / spread - 1
    rates = generator.beta(share * total, (1 - share) * total, clusters)
    return (generator.random((clusters, size)) < rates[:, None]).astype(float)


def clustered_scores(generator: Generator, population: Population, clusters: int, size: int) -> Floats:
    """Return scores of clusters, half of which are the cluster's own and half drawn for the item alone."""
    own, alone = population.draw(generator, (clusters, 1)), population.draw(generator, (clusters, size))
    return np.where(generator.random(alone.shape) < 0.5, own, alone)


@dataclass(frozen=True)
class Classes:
    """A model over many classes: frequent and rare ones, easy and hard ones, with wrong answers unevenly spread.

    Class k of K has a share of items that falls by a factor of four from the first to the last, is answered rightly in
    50 to 95 % of cases (in turns, so that rare classes are neither the easy nor the hard ones), and a wrong answer is
    any other class, those before the middle twice as often.
    """

    count: int

    @property
    def chances(self) -> Floats:
        """How often each pair of true and answered class comes."""
        places = np.arange(self.count)
        shares = 4.0 ** (-places / (self.count - 1))
        right = 0.50 + 0.45 * ((places * 7) % self.count) / (self.count - 1)
        wrong = np.where(places < self.count / 2, 2.0, 1.0) * (1 - np.eye(self.count))
        answers = np.diag(right) + wrong * ((1 - right) / wrong.sum(axis=1))[:, None]
        return np.asarray(answers * (shares / shares.sum())[:, None])

    def truth(self, name: str) -> float:
        """Return the F1 of endlessly many items: of each class, and averaged evenly or by its share of items."""
        chances = self.chances
        support, f1 = chances.sum(axis=1), 2 * np.diag(chances) / (chances.sum(axis=0) + chances.sum(axis=1))
        return float(f1.mean() if name == "macro_f1" else f1 @ support)

    def draw(self, generator: Generator, n: int) -> tuple[npt.NDArray[np.int64], ...]:
        """Return items, right answers and answers of each class that comes among n items."""
        cells = generator.multinomial(n, self.chances.ravel()).reshape(self.count, self.count)
        support, guessed = cells.sum(axis=1), cells.sum(axis=0)
        there = support + guessed > 0
        return support[there], np.diag(cells)[there], guessed[there]
