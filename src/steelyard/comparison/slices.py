"""The same metric over slices of two or more runs, each with its delta, Holm-corrected over all slices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from steelyard.comparison.measures import Measure
from steelyard.comparison.pairing import Pairing, shared_clusters
from steelyard.records.columns import ItemColumns, Rows, Tagged
from steelyard.records.comparisons import Delta, Figure, SliceRow
from steelyard.records.items import UNTAGGED
from steelyard.records.plans import SEPARATOR
from steelyard.stats.flips import holm


@dataclass(frozen=True, slots=True)
class Grouping:
    """The items of one run by the value of a slice key."""

    names: tuple[str, ...]
    codes: npt.NDArray[np.int64]

    def rows(self) -> dict[str, Rows]:
        """Return the rows of each value that occurs."""
        order = np.argsort(self.codes, kind="stable")
        present, starts = np.unique(self.codes[order], return_index=True)
        # No item at all is one part to NumPy, and no value to us.
        parts = np.split(order, starts[1:]) if len(starts) else []
        return {self.names[code]: part for code, part in zip(present.tolist(), parts, strict=True)}


def grouping(columns: Tagged, key: str) -> Grouping:
    """Return a run's items by a slice key: a tag, or several joined with ` & ` for a cross-slice."""
    keys = key.split(SEPARATOR)
    names, codes = _values(columns, keys[0])
    if len(keys) == 1:
        return Grouping(tuple(names), codes)
    names = [f"{keys[0]}={name}" for name in names]
    for further in keys[1:]:
        more, other = _values(columns, further)
        names = [f"{name}{SEPARATOR}{further}={value}" for name in names for value in more]
        codes = codes * len(more) + other
    return Grouping(tuple(names), codes)


def _values(columns: Tagged, key: str) -> tuple[list[str], npt.NDArray[np.int64]]:
    labels = columns.tag(key)
    codes = np.where(labels.codes < 0, len(labels.names), labels.codes).astype(np.int64)
    return [*labels.names, UNTAGGED], codes


def shared_groups(pairing: Pairing, baseline: Grouping, candidate: Grouping) -> dict[str, tuple[Rows, Rows]]:
    """Return the pairs of each value on which both runs agree; a retagged item is in no common slice."""
    common = {name: code for code, name in enumerate(dict.fromkeys((*baseline.names, *candidate.names)))}
    first = np.array([common[name] for name in baseline.names], np.int64)[baseline.codes[pairing.baseline_rows]]
    second = np.array([common[name] for name in candidate.names], np.int64)[candidate.codes[pairing.candidate_rows]]
    agreed = np.flatnonzero(first == second)
    found = Grouping(tuple(common), second[agreed]).rows()
    return {
        name: (pairing.baseline_rows[agreed[rows]], pairing.candidate_rows[agreed[rows]])
        for name, rows in found.items()
    }


def slice_deltas(
    key: str, measured: Measure, pairing: Pairing, baseline: ItemColumns, candidate: ItemColumns
) -> dict[str, tuple[Figure | None, Figure | None, Delta]]:
    """Return for each value of a key both figures and the delta; a side without such items has no figure."""
    groups = grouping(baseline, key), grouping(candidate, key)
    rows = groups[0].rows(), groups[1].rows()
    shared = shared_groups(pairing, *groups)
    clusters = shared_clusters(baseline, candidate, pairing)
    empty = np.zeros(0, np.int64)
    found = {}
    for value in sorted({*rows[0], *rows[1]}, key=lambda name: (UNTAGGED in name, name)):
        figures = [measured.figure(side, rows[side][value]) if value in rows[side] else None for side in (0, 1)]
        pairs = shared.get(value, (empty, empty))
        paired = measured.paired(*pairs, clusters=None if clusters is None else clusters[pairs[0]])
        found[value] = (figures[0], figures[1], Delta(minus(figures[1], figures[0]), paired))
    return found


def minus(candidate: Figure | None, baseline: Figure | None) -> float | None:
    """Return candidate minus baseline, or None where a side is missing."""
    if candidate is None or baseline is None or candidate.value is None or baseline.value is None:
        return None
    return candidate.value - baseline.value


def with_holm(slices: Mapping[str, Sequence[SliceRow]]) -> dict[str, list[SliceRow]]:
    """Return slices whose p-values are corrected over all slices that were looked at, of all candidates together."""
    corrected = iter(holm_over([delta for rows in slices.values() for row in rows for delta in row.deltas.values()]))
    return {
        key: [replace(row, deltas={run: next(corrected) for run in row.deltas}) for row in rows]
        for key, rows in slices.items()
    }


def holm_over(deltas: Sequence[Delta]) -> list[Delta]:
    """Return deltas with their p-values corrected as one family."""
    raw = [delta.paired.p_value for delta in deltas]
    tests = max(1, sum(p is not None for p in raw))
    return [
        replace(delta, paired=replace(delta.paired, p_holm=p, tests=tests))
        for delta, p in zip(deltas, holm(raw), strict=True)
    ]
