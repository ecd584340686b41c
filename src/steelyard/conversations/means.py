"""Means over turns with n and interval. Turns of one conversation are not independent, so conversations are drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.records.blocks import Floats
from steelyard.stats import exact_sum, mean_interval

ROUNDS = 1000
SEED = 0


def described(values: npt.ArrayLike, conversation: npt.NDArray[np.int64]) -> dict[str, Any]:
    """Return mean, n and interval of values, NaN left out; null with a reason where there are none.

    >>> described([1.0, 0.0, 1.0, 1.0], np.array([0, 1, 2, 3]))["mean"]
    0.75
    """
    array: Floats = np.asarray(values, np.float64)
    known = ~np.isnan(array)
    array, clusters = array[known], conversation[known]
    if not len(array):
        return {"mean": None, "n": 0, "ci_low": None, "ci_high": None, "reason": "no turn has a value for it"}
    binary = bool(((array == 0) | (array == 1)).all())
    interval = mean_interval(array, binary=binary, clusters=clusters, rounds=ROUNDS, seed=SEED)
    return {
        "mean": exact_sum(array).value / len(array),
        "n": len(array),
        "n_conversations": len(np.unique(clusters)),
        "ci_low": interval.low,
        "ci_high": interval.high,
        "level": interval.level,
        "method": interval.method,
    }


def grouped(
    values: npt.ArrayLike, groups: npt.NDArray[np.int64], conversation: npt.NDArray[np.int64]
) -> dict[str, dict[str, Any]]:
    """Return `described` for every group number from 0, in numeric order; negative groups are unknown and left out."""
    array = np.asarray(values, np.float64)
    found = {}
    for group in sorted(set(groups[groups >= 0].tolist())):
        chosen = groups == group
        found[str(group)] = described(array[chosen], conversation[chosen])
    return found


def split(entries: dict[str, dict[str, Any]]) -> tuple[dict[str, float | None], dict[str, dict[str, Any]]]:
    """Return the means by key, as the seed has them, and beside them n and interval by the same keys."""
    means = {key: entry["mean"] for key, entry in entries.items()}
    details = {key: {name: value for name, value in entry.items() if name != "mean"} for key, entry in entries.items()}
    return means, details
