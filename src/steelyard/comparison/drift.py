"""The drift report: per metric, per tag and per slice, how far the candidate moved from the baseline (seed 003)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from steelyard.comparison.changes import MAX_VALUES
from steelyard.comparison.measures import Measure
from steelyard.comparison.pairing import Pairing
from steelyard.comparison.ratios import WeightedMeasure
from steelyard.comparison.slices import grouping, shared_groups
from steelyard.records.columns import Rows, Tagged
from steelyard.records.items import UNTAGGED
from steelyard.records.scores import Direction


def drift_row(
    measured: Measure, direction: Direction | None, baseline_rows: Rows, candidate_rows: Rows
) -> dict[str, Any]:
    """Return both values, the delta and how many items moved, over shared items that have a value in both runs.

    An item without one in either would move the figure of the other alone: who leaves out what is hard would gain.
    """
    baseline_rows, candidate_rows = _both(measured, baseline_rows, candidate_rows)
    before, after = measured.figure(0, baseline_rows).value, measured.figure(1, candidate_rows).value
    first, second = measured.scores(0, baseline_rows), measured.scores(1, candidate_rows)
    counts: dict[str, int | None] = {"improved": None, "regressed": None, "unchanged": None}
    if first is not None and second is not None:
        gain = np.nan_to_num(second - first) * (-1.0 if direction == "lower" else 1.0)
        improved, regressed = int((gain > 0).sum()), int((gain < 0).sum())
        counts = {"improved": improved, "regressed": regressed, "unchanged": len(gain) - improved - regressed}
    delta = None if before is None or after is None else after - before
    found = {"baseline": before, "current": after, "delta": delta, "n": len(candidate_rows), **counts}
    return found | {"direction": direction}


def _both(measured: Measure, baseline_rows: Rows, candidate_rows: Rows) -> tuple[Rows, Rows]:
    """Return the pairs with a value in both runs; in a pooled rate what counts nothing weighs nothing, and stays."""
    if isinstance(measured, WeightedMeasure) and measured.weightless:
        return baseline_rows, candidate_rows
    first, second = measured.scores(0, baseline_rows), measured.scores(1, candidate_rows)
    if first is None or second is None:
        return baseline_rows, candidate_rows
    known = ~(np.isnan(first) | np.isnan(second))
    return baseline_rows[known], candidate_rows[known]


def drift_report(
    measures: Mapping[str, tuple[Measure, Direction | None]],
    primary: str,
    slice_keys: Sequence[str],
    pairing: Pairing,
    sides: tuple[Tagged, Tagged],
) -> dict[str, Any]:
    """Return the drift of every metric over shared items, and of the primary one by tag and by slice."""
    rows = pairing.baseline_rows, pairing.candidate_rows
    found: dict[str, Any] = {
        "metrics": {name: drift_row(measured, way, *rows) for name, (measured, way) in measures.items()}
    }
    if primary not in measures:
        # The two runs call their primary scores differently.
        return found | {"tags": {}, "slices": {}}
    measured, way = measures[primary]
    tags = [key for key in sides[1].tag_keys if len(sides[1].tag(key).names) <= MAX_VALUES]
    for title, keys in (("tags", tags), ("slices", slice_keys)):
        found[title] = {key: _by_value(key, measured, way, pairing, sides) for key in keys}
    return found


def _by_value(
    key: str, measured: Measure, way: Direction | None, pairing: Pairing, sides: tuple[Tagged, Tagged]
) -> dict[str, Any]:
    groups = shared_groups(pairing, grouping(sides[0], key), grouping(sides[1], key))
    return {
        value: drift_row(measured, way, *groups[value])
        for value in sorted(groups, key=lambda name: (UNTAGGED in name, name))
    }


def error_tag_changes(baseline: Mapping[str, int] | None, candidate: Mapping[str, int]) -> list[dict[str, Any]]:
    """Return how often each error tag occurs and how that changed, the largest rise first."""
    before = baseline or {}
    found: list[dict[str, Any]] = [
        {
            "tag": tag,
            "baseline": before.get(tag, 0) if baseline is not None else None,
            "current": candidate.get(tag, 0),
            "change": candidate.get(tag, 0) - before.get(tag, 0) if baseline is not None else None,
        }
        for tag in {*before, *candidate}
    ]
    found.sort(key=lambda entry: (-(entry["change"] or 0), -entry["current"], entry["tag"]))
    return found
