"""Judged blocks for tests of what comes after judging, made from the columns that a test is about."""

import numpy as np

from steelyard.records.blocks import ErrorTags, Labels, ScoredBlock
from steelyard.records.plans import ReportPlan


def scored_block(primary, *, start=0, tags=None, states=None, error_tags=None, classes=None, clusters=None, **more):
    """Return a block with these scores; `tags` has a list of values for each key, `classes` is (truth, guess)."""
    size = len(primary)
    names = [f"item-{start + row}" for row in range(size)]
    truth, guess = classes or (None, None)
    columns = {
        "ids": names,
        "lines": list(range(start + 1, start + size + 1)),
        "inputs": [f"input of {name}" for name in names],
        "item_hashes": [f"hash of {name}" for name in names],
        "expected": [f"reference of {name}" for name in names],
        "predicted": [f"prediction of {name}" for name in names],
        "outputs": [f"prediction of {name}" for name in names],
        "scores": {},
        "explain": [""] * size,
    }
    return ScoredBlock(
        start=start,
        primary=np.array(primary, np.float64),
        passed=np.array(primary, np.float64) >= 0.5,
        states=Labels.of(states or ["scored"] * size),
        error_tags=ErrorTags.of(error_tags or [()] * size),
        tags={key: Labels.of(values) for key, values in (tags or {}).items()},
        truth=None if truth is None else Labels.of(truth),
        guess=None if guess is None else Labels.of(guess),
        clusters=None if clusters is None else Labels.of(clusters),
        **(columns | more),
    )


def plan(**given):
    """Return a plan whose primary score is `score`."""
    return ReportPlan(**({"primary": "score", "metrics": (), "directions": {}} | given))
