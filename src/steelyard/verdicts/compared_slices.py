"""Candidates held against a baseline, slice by slice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from steelyard.comparison.measures import Measure
from steelyard.comparison.pairing import Pairing
from steelyard.comparison.slices import slice_deltas, with_holm
from steelyard.errors import Problem, UsageError, quoted
from steelyard.records.comparisons import Contract, Delta, Figure, ItemChanges, SliceRow
from steelyard.records.plans import SEPARATOR
from steelyard.runs.stored import StoredRun


@dataclass(slots=True)
class Side:
    """One candidate held against the baseline."""

    run: StoredRun
    contract: Contract
    pairing: Pairing
    measured: Measure | None
    metric: str
    """What the candidate calls the metric: runs that are compared by their primary scores may have two names for it."""
    changes: ItemChanges = field(default_factory=ItemChanges)


def compared_slices(keys: Sequence[str], baseline: StoredRun, sides: Sequence[Side]) -> dict[str, list[SliceRow]]:
    """Return the slices of every key, each with its p corrected over all of them."""
    for key in keys:
        for part in key.split(SEPARATOR):
            check_tag(part, [baseline, *(side.run for side in sides)])
    return with_holm({key: _slice_rows(key, baseline, sides) for key in keys})


def check_tag(key: str, runs: Sequence[StoredRun]) -> None:
    """Raise when no run has a tag."""
    known = sorted({tag for run in runs for tag in run.columns.tag_keys})
    if key in known:
        return
    close = get_close_matches(key, known, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"tags are {', '.join(known) or 'none'}"
    raise UsageError(Problem("unknown-name", f"no run has a tag {quoted(key)}", hint=hint))


def _slice_rows(key: str, baseline: StoredRun, sides: Sequence[Side]) -> list[SliceRow]:
    figures: dict[str, dict[str, Figure]] = {}
    deltas: dict[str, dict[str, Delta]] = {}
    for side in sides:
        if side.measured is None:
            continue
        found = slice_deltas(key, side.measured, side.pairing, baseline.columns, side.run.columns)
        for value, (first, second, delta) in found.items():
            own = figures.setdefault(value, {})
            own |= {baseline.label: first} if first is not None else {}
            own |= {side.run.label: second} if second is not None else {}
            deltas.setdefault(value, {})[side.run.label] = delta
    order = sorted(figures, key=lambda name: ("_untagged" in name, name))
    return [SliceRow(value, figures[value], deltas[value]) for value in order]
