"""Items of two runs paired by id and by content hash, with hash joins over whole columns.

An item whose input or reference was edited is listed as edited and not paired; what only one run has is listed as
added or removed. So a deleted failing item cannot raise a score in silence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from steelyard.errors import InputError, Problem, quoted
from steelyard.records.columns import ItemColumns, Rows

LISTED_ITEMS = 10_000
"""How many ids of each kind are listed; the counts are of all."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """Which row of the candidate goes with which row of the baseline."""

    baseline_rows: Rows
    candidate_rows: Rows
    edited_baseline: Rows
    """Rows of the baseline whose item was edited, beside `edited_candidate`."""
    edited_candidate: Rows
    added: Rows
    """Rows that only the candidate has."""
    removed: Rows
    """Rows that only the baseline has."""

    @property
    def whole(self) -> bool:
        """Whether both runs have exactly the same items."""
        return not (len(self.edited_candidate) or len(self.added) or len(self.removed))


def pair_items(baseline: ItemColumns, candidate: ItemColumns) -> Pairing:
    """Return the pairing of two runs; pairs are in the candidate's order."""
    aligned = _aligned(baseline, candidate)
    if aligned is not None:
        return _side_by_side(aligned)
    places = _places(baseline.ids(), candidate.ids())
    known = places >= 0
    baseline_rows, candidate_rows = places[known], np.flatnonzero(known)
    _refuse_repeated(baseline, baseline_rows)
    same = _same(baseline.hashes(), candidate.hashes(), baseline_rows, candidate_rows)
    removed = np.ones(len(baseline), np.bool_)
    removed[baseline_rows] = False
    return Pairing(
        baseline_rows[same],
        candidate_rows[same],
        baseline_rows[~same],
        candidate_rows[~same],
        np.flatnonzero(~known),
        np.flatnonzero(removed),
    )


def _refuse_repeated(baseline: ItemColumns, rows: Rows) -> None:
    """Refuse items of which two have the id of one of the baseline's: it would count twice."""
    twice = np.flatnonzero(np.bincount(rows) > 1)
    if len(twice):
        message = f"the id {quoted(listed_ids(baseline, twice[:1])[0])} stands twice in items.parquet of the run"
        raise InputError(Problem("run-damaged", message, hint="`steelyard rescore RUN` derives the items anew"))


def _aligned(baseline: ItemColumns, candidate: ItemColumns) -> npt.NDArray[np.bool_] | None:
    """Return for each row whether its content is the same, where both runs have the same ids in the same order.

    This is the common case, and it needs no more memory than one batch of keys.
    """
    if len(baseline) != len(candidate):
        return None
    same = [np.zeros(0, np.bool_)]
    for first, second in zip(baseline.key_batches(), candidate.key_batches(), strict=True):
        if not first[0].equals(second[0]):
            return None
        same.append(_equal(first[1], second[1]))
    return np.concatenate(same)


def _side_by_side(same: npt.NDArray[np.bool_]) -> Pairing:
    rows, edited = np.flatnonzero(same), np.flatnonzero(~same)
    nothing = np.zeros(0, np.int64)
    return Pairing(rows, rows, edited, edited, nothing, nothing)


def _places(baseline_ids: Any, candidate_ids: Any) -> Rows:
    """Return where each id of the candidate stands in the baseline, or -1."""
    found = pc.index_in(candidate_ids, value_set=baseline_ids)
    places: Rows = pc.fill_null(found, -1).to_numpy(zero_copy_only=False).astype(np.int64)
    return places


def _same(first: Any, second: Any, first_rows: Rows, second_rows: Rows) -> npt.NDArray[np.bool_]:
    """Return for each pair whether both hashes are there and equal."""
    return _equal(first.take(pa.array(first_rows)), second.take(pa.array(second_rows)))


def _equal(first: Any, second: Any) -> npt.NDArray[np.bool_]:
    equal = pc.fill_null(pc.equal(first, second), False)  # noqa: FBT003 - Arrow's own
    found: npt.NDArray[np.bool_] = equal.to_numpy(zero_copy_only=False)
    return found


def listed_ids(columns: ItemColumns, rows: Rows) -> tuple[str, ...]:
    """Return the ids of some rows, as many as are listed."""
    return tuple(columns.ids().take(pa.array(rows[:LISTED_ITEMS])).to_pylist())
