"""Which items are not independent: those of one conversation, or of one value of `cluster_by`, in either run."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from steelyard.comparison.pairing import Pairing
from steelyard.errors import InputError, Problem, quoted
from steelyard.records.blocks import Labels
from steelyard.records.columns import ItemColumns, Rows

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
