"""Items of two runs paired by id and by content hash, with hash joins over whole columns.

An item whose input or reference was edited is listed as edited and not paired; what only one run has is listed as
added or removed. So a deleted failing item cannot raise a score in silence.

Beside them the clusters of both runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from steelyard.errors import InputError, Problem, quoted
from steelyard.records.blocks import Labels
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


# Which items are not independent: those of one conversation, or of one value of `cluster_by`, in either run.


Codes = npt.NDArray[np.int64]


def own_clusters(columns: ItemColumns) -> Codes | None:
    """Return a cluster number for each row of a run: conversations, or an item alone; None without any."""
    labels = columns.clusters()
    return None if labels is None else _alone(labels.codes.astype(np.int64), len(labels.names))


def shared_clusters(baseline: ItemColumns, candidate: ItemColumns, pairing: Pairing) -> Codes | None:
    """Return a cluster number for each row of the baseline, over the clusters of both runs; None without any.

    Where only one run clusters an item, that run's cluster counts. Where both do, they must agree on which items belong
    together, under whatever names; rows that are not paired have no number that means anything.
    """
    labels = baseline.clusters(), candidate.clusters()
    if labels[0] is None and labels[1] is None:
        return None
    first, second = (_codes(side, columns) for side, columns in zip(labels, (baseline, candidate), strict=True))
    rows = pairing.baseline_rows, pairing.candidate_rows
    mine, theirs = first[rows[0]], second[rows[1]]
    both = np.flatnonzero((mine >= 0) & (theirs >= 0))
    _check_same(mine[both], theirs[both], baseline, rows[0][both])
    # Numbers of the baseline's clusters, then of those that only the candidate has.
    table = np.arange(int(second.max(initial=-1)) + 1, dtype=np.int64) + int(first.max(initial=-1)) + 1
    table[theirs[both]] = mine[both]
    joined = np.where(mine >= 0, mine, np.where(theirs >= 0, table[theirs] if len(table) else -1, -1))
    found = np.full(len(baseline), -1, np.int64)
    found[rows[0]] = joined
    return _alone(found, int(found.max(initial=-1)) + 1)


def _codes(labels: Labels | None, columns: ItemColumns) -> Codes:
    return np.full(len(columns), -1, np.int64) if labels is None else labels.codes.astype(np.int64)


def _alone(codes: Codes, first: int) -> Codes:
    """Return codes in which every item without a cluster is one of its own."""
    alone = codes < 0
    return np.where(alone, first + np.cumsum(alone) - 1, codes)


def _check_same(mine: Codes, theirs: Codes, baseline: ItemColumns, rows: Rows) -> None:
    """Raise where the two runs do not put the same items together."""
    for one, other in ((mine, theirs), (theirs, mine)):
        order = np.argsort(one, kind="stable")
        differs = (np.diff(one[order]) == 0) & (np.diff(other[order]) != 0)
        if differs.any():
            place = rows[order[int(np.flatnonzero(differs)[0]) + 1]]
            item = baseline.ids().take(pa.array([place]))[0].as_py()
            message = f"the runs do not cluster the same items together; the first to differ is {quoted(str(item))}"
            hint = "evaluate both with the same cluster_by"
            raise InputError(Problem("incomparable-runs", message, hint=hint))
