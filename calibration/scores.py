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
