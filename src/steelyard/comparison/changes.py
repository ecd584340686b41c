"""Items that got worse or better, with both sides whole, and the tags that regressions have more often."""

from __future__ import annotations

from typing import Any

import numpy as np

from steelyard.comparison.measures import Measure
from steelyard.comparison.pairing import Pairing, listed_ids
from steelyard.records.columns import ItemColumns, Rows
from steelyard.records.comparisons import ChangedItem, ItemChanges
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
