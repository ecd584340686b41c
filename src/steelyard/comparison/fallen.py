"""Slices that fell: where a candidate is worse on a value of a tag by more than chance explains."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from steelyard.comparison.changes import MAX_VALUES
from steelyard.comparison.measures import Measure
from steelyard.comparison.pairing import Pairing, shared_clusters
from steelyard.comparison.slices import grouping, shared_groups
from steelyard.records.columns import ItemColumns, Rows
from steelyard.records.comparisons import Paired
from steelyard.stats.flips import holm

LEVEL = 0.05
_HARDLY = 1.2
"""A drop of fewer standard errors than this has no p under the level, however few slices there are."""


@dataclass(frozen=True, slots=True)
class FallenSlice:
    """A value of a tag on which the candidate is worse, as a one-sided test over all slices shows."""

    key: str
    value: str
    paired: Paired
    p_drop: float
    """One-sided."""
    p_corrected: float
    slices: int
    """How many slices were looked at."""


def fallen_slices(
    measured: Measure,
    pairing: Pairing,
    sides: tuple[ItemColumns, ItemColumns],
    *,
    leave_out: Sequence[tuple[str, str]] = (),
    lower: bool = False,
) -> list[FallenSlice]:
    """Return the slices that fell, by Holm over all values of all tags; a value that every item has is no slice."""
    clusters = shared_clusters(sides[0], sides[1], pairing)
    found: list[tuple[str, str, Paired | None]] = []
    for key in tag_keys(sides[1]):
        groups = shared_groups(pairing, grouping(sides[0], key), grouping(sides[1], key))
        for value, rows in groups.items():
            if len(rows[0]) == len(pairing.baseline_rows) or (key, value) in leave_out:
                continue
            own = None if clusters is None else clusters[rows[0]]
            fell = _may_have_fallen(measured, rows, lower=lower)
            found.append((key, value, measured.paired(*rows, clusters=own) if fell else None))
    alone = [_p_drop(paired, lower=lower) for _, _, paired in found]
    return [
        FallenSlice(key, value, paired, p, corrected, len(found))
        for (key, value, paired), p, corrected in zip(found, alone, holm(alone), strict=True)
        if paired is not None and corrected is not None and corrected < LEVEL
    ]


def tag_keys(columns: ItemColumns) -> list[str]:
    """Return the tags by which items can be sliced: one with very many values is an id."""
    return [key for key in columns.tag_keys if len(columns.tag(key).names) <= MAX_VALUES]


def _may_have_fallen(measured: Measure, rows: tuple[Rows, Rows], *, lower: bool) -> bool:
    """Return whether a test is worth its time: most slices of most runs did not fall at all."""
    before, after = measured.scores(0, rows[0]), measured.scores(1, rows[1])
    if before is None or after is None:
        return True
    worse = np.nan_to_num(before - after) * (-1.0 if lower else 1.0)
    return float(worse.sum()) > _HARDLY * math.sqrt(float(worse @ worse)) > 0


def _p_drop(paired: Paired | None, *, lower: bool) -> float:
    """Return the one-sided p of a drop; the null distributions of the paired tests are symmetric."""
    if paired is None or paired.p_value is None or paired.delta is None:
        return 1.0
    worse = paired.delta if lower else -paired.delta
    return paired.p_value / 2 if worse > 0 else 1.0
