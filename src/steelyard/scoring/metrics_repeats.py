"""Metrics over the repeats of an item: one of k attempts that passes, and the answer that most repeats give."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from steelyard.records.blocks import Floats
from steelyard.records.runs import RepeatOutcomes
from steelyard.registry import metric


@metric("pass_at_k", kind="repeats", spelled="pass@{k}")
def pass_at_k(outcomes: RepeatOutcomes, *, k: int = 1) -> Floats:
    """Chance that at least one of k attempts passes: 1 - C(n-c, k) / C(n, k) for c of n repeats that pass, unbiased."""
    n = outcomes.repeats
    if not 1 <= k <= n:
        raise ValueError(f"k is {k}, and there are {n} repeats")
    ways = math.comb(n, k)
    chances = [float(1 - Fraction(math.comb(n - right, k), ways)) for right in range(n + 1)]
    return np.asarray(np.array(chances)[outcomes.passed.sum(axis=1)])


@metric("majority", kind="repeats")
def majority(outcomes: RepeatOutcomes) -> Floats:
    """Score of the answer that most repeats give; where several have most, the mean of theirs; 0 without any answer."""
    voted = most_voted(outcomes)
    return np.asarray((outcomes.scores * voted).sum(axis=1) / voted.sum(axis=1).clip(min=1))


def most_voted(outcomes: RepeatOutcomes) -> npt.NDArray[np.bool_]:
    """Return which repeats of an item gave an answer that no other answer has more votes than."""
    answers = outcomes.answers
    votes = np.stack([(answers == answers[:, [place]]).sum(axis=1) for place in range(outcomes.repeats)], axis=1)
    votes[answers < 0] = 0
    found: npt.NDArray[np.bool_] = (votes > 0) & (votes == votes.max(axis=1, keepdims=True))
    return found


def tied(outcomes: RepeatOutcomes) -> npt.NDArray[np.bool_]:
    """Return which items have several answers with most votes."""
    voted = most_voted(outcomes)
    most = np.where(voted, outcomes.answers, -1).max(axis=1)
    least = np.where(voted, outcomes.answers, np.iinfo(np.int64).max).min(axis=1)
    several: npt.NDArray[np.bool_] = voted.any(axis=1) & (most != least)
    return several
