"""Items that got worse or better, with both sides whole, and the tags that regressions have more often.

Beside them: how far confidence and error have drifted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from steelyard.comparison.means import WeightedMeasure
from steelyard.comparison.measures import Measure
from steelyard.comparison.pairing import Pairing, listed_ids
from steelyard.comparison.slices import grouping, shared_groups
from steelyard.records.columns import ItemColumns, Rows, Tagged
from steelyard.records.comparisons import ChangedItem, ItemChanges
from steelyard.records.items import UNTAGGED
from steelyard.records.scores import Direction

LISTED_TAGS = 10
MAX_VALUES = 200
"""A tag with more values than this is an id, not a segment."""


def item_changes(
    measured: Measure,
    direction: Direction | None,
    pairing: Pairing,
    baseline: ItemColumns,
    candidate: ItemColumns,
    *,
    top: int = 10,
) -> ItemChanges:
    """Return what became of the items; the `top` largest regressions and fixes come whole."""
    first = measured.scores(0, pairing.baseline_rows)
    second = measured.scores(1, pairing.candidate_rows)
    regressed: tuple[ChangedItem, ...] = ()
    fixed: tuple[ChangedItem, ...] = ()
    over: tuple[dict[str, Any], ...] = ()
    if first is not None and second is not None:
        gain = np.nan_to_num(second - first) * (-1.0 if direction == "lower" else 1.0)
        worse, better = _largest(-gain, top), _largest(gain, top)
        regressed = _whole(worse, pairing, baseline, candidate, (first, second))
        fixed = _whole(better, pairing, baseline, candidate, (first, second))
        over = over_represented(candidate, pairing.candidate_rows, np.flatnonzero(gain < 0))
    return ItemChanges(
        edited=listed_ids(candidate, pairing.edited_candidate),
        added=listed_ids(candidate, pairing.added),
        removed=listed_ids(baseline, pairing.removed),
        n_edited=len(pairing.edited_candidate),
        n_added=len(pairing.added),
        n_removed=len(pairing.removed),
        regressed=regressed,
        fixed=fixed,
        over_represented=over,
    )


def _largest(amount: Any, top: int) -> Rows:
    """Return the places of the largest positive amounts, ties in order."""
    places = np.flatnonzero(amount > 0)
    order = np.argsort(-amount[places], kind="stable")[:top]
    return np.asarray(places[order], np.int64)


def _whole(
    places: Rows, pairing: Pairing, baseline: ItemColumns, candidate: ItemColumns, scores: tuple[Any, Any]
) -> tuple[ChangedItem, ...]:
    if not len(places):
        return ()
    before = baseline.details(pairing.baseline_rows[places])
    after = candidate.details(pairing.candidate_rows[places])
    return tuple(
        ChangedItem(str(old["item_id"]), float(scores[0][place]), float(scores[1][place]), old, new)
        for place, old, new in zip(places.tolist(), before, after, strict=True)
    )


def over_represented(columns: ItemColumns, rows: Rows, chosen: Rows) -> tuple[dict[str, Any], ...]:
    """Return tags that the chosen rows have more often than all rows, by lift."""
    if not len(chosen):
        return ()
    found: list[dict[str, Any]] = []
    for key in columns.tag_keys:
        labels = columns.tag(key)
        if len(labels.names) > MAX_VALUES:
            continue
        width = len(labels.names) + 1
        everywhere = np.bincount(labels.codes[rows] + 1, minlength=width)
        among = np.bincount(labels.codes[rows[chosen]] + 1, minlength=width)
        for code, name in enumerate(labels.names, start=1):
            share, overall = among[code] / len(chosen), everywhere[code] / len(rows)
            if share > overall:
                found.append(
                    {
                        "tag": f"{key}={name}",
                        "n": int(among[code]),
                        "share": float(share),
                        "item_share": float(overall),
                        "lift": float(share / overall),
                    }
                )
    found.sort(key=lambda entry: (-entry["lift"], entry["tag"]))
    return tuple(found[:LISTED_TAGS])


# The drift report: per metric, per tag and per slice, how far the candidate moved from the baseline (seed 003).


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
