"""What a reader must know before the verdict: hardly any answers, a slice that fell and that no rule looks at.

Beside them the slices of a comparison.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from steelyard.comparison.fallen import FallenSlice, fallen_slices, tag_keys
from steelyard.comparison.measures import Measure
from steelyard.comparison.pairing import Pairing
from steelyard.comparison.slices import slice_deltas, with_holm
from steelyard.errors import Problem, UsageError, excerpt, quoted
from steelyard.gates.wording import number, short
from steelyard.records.comparisons import Contract, Delta, Figure, ItemChanges, SliceRow
from steelyard.records.gates import MetricRule, Rule
from steelyard.records.plans import SEPARATOR
from steelyard.runs.stored import StoredRun
from steelyard.show import unanswered
from steelyard.verdicts.attributing import answered
from steelyard.verdicts.evidence import Case

LIMITED = "limited"
LISTED = 5
"""How many fallen slices are named."""


def cautions(case: Case, rules: Sequence[Rule]) -> list[str]:
    """Return what stands above the verdict on one run."""
    runs = [run for run in (case.run, case.baseline) if run is not None]
    told = [line for run in runs for line in (hardly_answered(run), _limited(run)) if line]
    return [*told, *_fallen(case, rules)]


def _limited(run: StoredRun) -> str:
    """Return the line of a run over a part of its dataset, which a forgotten `--limit` makes."""
    if LIMITED not in run.record.flags:
        return ""
    part = f"{len(run.columns):,} items of its dataset"
    return f"{excerpt(run.label)} is over {part}: --limit or --sample-size was given"


def hardly_answered(run: StoredRun) -> str:
    """Return the line of a run of which more than half has no answer; empty for any other."""
    return unanswered.hardly_answered(run.label, len(run.columns), int(answered(run.columns).sum()))


def _fallen(case: Case, rules: Sequence[Rule]) -> list[str]:
    """Return a line for each slice that fell significantly while no rule looks at it."""
    primary = case.run.primary
    measured = case.measured(primary)
    if case.baseline is None or case.pairing is None or measured is None or case.obstacle(primary) is not None:
        return []
    sides = case.baseline.columns, case.run.columns
    found = fallen_slices(
        measured, case.pairing, sides, leave_out=_watched(case, rules), lower=case.run.direction(primary) == "lower"
    )
    found.sort(key=lambda entry: entry.p_corrected)
    lines = [_line(entry, primary) for entry in found[:LISTED]]
    more = len(found) - len(lines)
    if not more:
        return lines
    many = (
        "1 more slice fell, and no rule looks at it" if more == 1 else f"{more} more slices fell, with no rule for them"
    )
    return [*lines, many]


def _watched(case: Case, rules: Sequence[Rule]) -> list[tuple[str, str]]:
    """Return the values of tags that a rule looks at."""
    found: list[tuple[str, str]] = []
    for rule in rules:
        if isinstance(rule, MetricRule) and len(rule.slice) == 1:
            found += rule.slice
        if isinstance(rule, MetricRule) and rule.slice_each in tag_keys(case.run.columns):
            found += [place[0] for place in case.slices(rule) if SEPARATOR not in place[0][0]]
    return found


def _line(entry: FallenSlice, primary: str) -> str:
    paired = entry.paired
    assert paired.delta is not None
    corrected = f", {number(entry.p_corrected)} by Holm over {entry.slices} slices" if entry.slices > 1 else ""
    return (
        f"{excerpt(entry.key)}={excerpt(entry.value)} fell by {short(abs(paired.delta))} in {excerpt(primary)} "
        f"on {paired.n:,} items (p {number(entry.p_drop)}{corrected}; one-sided, {paired.test}), "
        "and no rule looks at this slice"
    )


# Candidates held against a baseline, slice by slice.


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
