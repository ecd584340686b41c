"""What repeats of one run tell: how often items flip, and how far two runs of the same model are apart by chance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from steelyard.comparison.repeated import same_items
from steelyard.comparison.slices import grouping
from steelyard.records.blocks import Floats
from steelyard.records.columns import ItemColumns, Rows
from steelyard.records.items import UNTAGGED

LISTED_FLAKY = 50
_QUANTILE = 1.959963984540054
"""The normal quantile of 97.5 %."""


def repeat_report(repeats: Sequence[ItemColumns], slices: Sequence[str] = ()) -> dict[str, Any]:
    """Return per-item flip rates, the noise floor of every number and slice, and the items that are flaky."""
    rows = [same_items(other, repeats[0]) for other in repeats]
    passed = np.stack([columns.passed()[order] for columns, order in zip(repeats, rows, strict=True)], axis=1)
    flips = flip_rates(passed)
    return {
        "repeats": len(repeats),
        "n_items": len(flips),
        "flip_rate": float(flips.mean()),
        "n_flaky": int((flips > 0).sum()),
        "metrics": {
            name: noise(np.stack(numbers, axis=1))
            for name in repeats[0].number_names
            if (numbers := _numbers(name, repeats, rows)) is not None
        },
        "slices": {key: _by_slice(key, repeats, rows, flips) for key in slices},
        "flaky": _flaky(repeats[0], passed, flips),
    }


def _by_slice(key: str, repeats: Sequence[ItemColumns], rows: Sequence[Rows], flips: Floats) -> dict[str, Any]:
    """Return how far repeats differ within each slice: its own flip rate and noise floor of the primary score."""
    scores = _numbers(repeats[0].number_names[0], repeats, rows) or []
    return {
        value: {
            "n": len(inside),
            "flip_rate": float(flips[inside].mean()),
            "noise_floor": noise_floor([own[inside] for own in scores], 1, 1),
        }
        for value, inside in sorted(
            grouping(repeats[0], key).rows().items(), key=lambda pair: (UNTAGGED in pair[0], pair[0])
        )
    }


def _numbers(name: str, repeats: Sequence[ItemColumns], rows: Sequence[Any]) -> list[Floats] | None:
    found = []
    for columns, order in zip(repeats, rows, strict=True):
        values = columns.number(name)
        if values is None:
            return None
        found.append(values[order])
    return found


def flip_rates(passed: npt.NDArray[np.bool_]) -> Floats:
    """Return for each item the share of pairs of repeats that disagree.

    >>> flip_rates(np.array([[True, True, False], [True, True, True]])).round(4).tolist()
    [0.6667, 0.0]
    """
    repeats = passed.shape[1]
    passes = passed.sum(axis=1)
    rates: Floats = 2.0 * passes * (repeats - passes) / (repeats * (repeats - 1))
    return rates


def noise_floor(repeats: Sequence[Floats], baseline: int, candidate: int) -> float | None:
    """Return how far two equal runs of so many repeats are apart in one of twenty pairs, from a run's repeats."""
    scores = np.stack(repeats, axis=1)
    known = scores[~np.isnan(scores).any(axis=1)]
    if not len(known):
        return None
    within = float(known.var(axis=1, ddof=1).mean())
    return _QUANTILE * math.sqrt(within * (1 / baseline + 1 / candidate) / len(known))


def noise(scores: Floats) -> dict[str, Any]:
    """Return what chance alone does to a mean, from scores by item (rows) and repeat (columns).

    The noise floor is the difference that two runs of the same model exceed in one of twenty pairs.
    """
    known = scores[~np.isnan(scores).any(axis=1)]
    if not len(known):
        return {"values": None, "within_variance": None, "total_variance": None, "agreement": None, "noise_floor": None}
    within = float(known.var(axis=1, ddof=1).mean())
    total = float(known.var())
    return {
        "values": [float(value) for value in known.mean(axis=0)],
        "within_variance": within,
        "total_variance": total,
        "agreement": max(0.0, 1 - within / total) if total > 0 else None,
        "noise_floor": noise_floor(list(known.T), 1, 1),
    }


def _flaky(first: ItemColumns, passed: npt.NDArray[np.bool_], flips: Floats) -> list[dict[str, Any]]:
    """Return the items that flip most, ties in dataset order."""
    order = np.argsort(-flips, kind="stable")
    chosen = order[flips[order] > 0][:LISTED_FLAKY]
    ids = first.ids()
    return [
        {"item_id": ids[int(row)].as_py(), "flip_rate": float(flips[row]), "pass_rate": float(passed[row].mean())}
        for row in chosen
    ]
