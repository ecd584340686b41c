"""The order of a comparison: open, contract, pair, measure, slice, explain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import msgspec

from steelyard.comparison.changes import item_changes
from steelyard.comparison.contract import MEANING, contract, refuse_blocking, refuse_mock, settings_difference
from steelyard.comparison.means import MeanMeasure
from steelyard.comparison.measures import Measure
from steelyard.comparison.pairing import pair_items, shared_clusters
from steelyard.comparison.slices import holm_over, minus
from steelyard.errors import ConfigurationError, Problem, UsageError, excerpt, quoted
from steelyard.records.comparisons import (
    Attribution,
    Comparison,
    Contract,
    Delta,
    Figure,
    Paired,
)
from steelyard.records.encoded import UNREADABLE
from steelyard.registry import metric_definition
from steelyard.runs.repeated import with_repeats, without_repeats
from steelyard.runs.stored import StoredRun, measured, open_runs
from steelyard.store.checking import damage_told, damaged
from steelyard.verdicts.attributing import attribute_change, unanswered_states
from steelyard.verdicts.cautions import Side, compared_slices, hardly_answered

TRAIN_LOG = "train_log.jsonl"
NOT_PAIRED = "the items of a run do not decide this metric, so there is nothing to pair"


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareOptions:
    """The command line of `steelyard compare` as a record."""

    runs: tuple[str | Path, ...]
    """The baseline first."""
    runs_dir: Path = Path("runs")
    metric: str | None = None
    """None is the baseline's primary metric."""
    slice_by: tuple[str, ...] = ()
    """Tag keys; `a & b` crosses two."""
    attribute: bool = False
    allow: tuple[str, ...] = ()
    top: int = 10
    """How many regressed and fixed items come whole."""


def compare(options: CompareOptions) -> Comparison:
    """Compare candidates with a baseline, or refuse where their numbers do not mean the same."""
    if len(options.runs) < 2:
        raise UsageError(Problem("usage", "a comparison needs two runs or more", hint="--runs BASELINE,CANDIDATE"))
    _check_allowed(options.allow)
    runs = [with_repeats(run) for run in open_runs(options.runs_dir, options.runs)]
    refuse_mock((run.label, run.record) for run in runs)
    with damage_told(*(run.path for run in runs)):
        return _compared(runs, options)


def _compared(runs: Sequence[StoredRun], options: CompareOptions) -> Comparison:
    baseline, *candidates = runs
    metric = _metric(options.metric, baseline, candidates)
    for run in (baseline, *candidates):
        for member in run.members:
            member.verify([metric])
    sides = [_side(baseline, run, metric, options) for run in candidates]
    return Comparison(
        baseline=baseline.label,
        candidates=tuple(run.label for run in candidates),
        metric=metric,
        direction=baseline.direction(metric),
        contract=_joined([side.contract for side in sides]),
        overall=_overall(metric, baseline, sides),
        deltas=_deltas(metric, baseline, sides),
        slices=compared_slices(options.slice_by, baseline, sides),
        items={side.run.label: side.changes for side in sides},
        attribution=_attributions(metric, baseline, sides) if options.attribute else {},
        config_diff=settings_difference({run.label: run.config for run in (baseline, *candidates)}),
        loss_curves=_loss_curves([baseline, *candidates]),
        n_items={run.label: len(run.columns) for run in (baseline, *candidates)},
        unanswered={run.label: unanswered_states(run.columns) for run in (baseline, *candidates)},
        warnings=_warnings(metric, baseline, sides),
        repeats={run.label: len(run.members) for run in (baseline, *candidates)},
    )


def _warnings(metric: str, baseline: StoredRun, sides: Sequence[Side]) -> tuple[str, ...]:
    """Return what stands above the figures: runs that hardly answered, and primary scores of different names."""
    silent = [line for run in (baseline, *(side.run for side in sides)) if (line := hardly_answered(run))]
    renamed = [
        f"the primary score of {excerpt(baseline.label)} is {metric} and that of {excerpt(side.run.label)} is "
        f"{side.metric}: one is held against the other"
        for side in sides
        if side.metric != metric
    ]
    return (*silent, *renamed)


def _check_allowed(allow: Sequence[str]) -> None:
    for name in allow:
        if name not in MEANING:
            close = get_close_matches(name, MEANING, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"fields are {', '.join(MEANING)}"
            raise UsageError(Problem("usage", f"--allow {quoted(name)} names no field", hint=hint))


def _metric(asked: str | None, baseline: StoredRun, candidates: Sequence[StoredRun]) -> str:
    if asked is None:
        return baseline.primary
    lacking = without_repeats(asked, (baseline, *candidates))
    if lacking:
        raise UsageError(Problem("usage", lacking, hint="`steelyard eval TASK --repeats N` makes them"))
    definition = metric_definition(asked)
    if definition is not None and definition.kind == "repeats":
        return asked
    known = list(dict.fromkeys(name for run in (baseline, *candidates) for name in known_metrics(run)))
    if asked in known:
        return asked
    close = get_close_matches(asked, known, n=1)
    raise ConfigurationError(
        Problem(
            code="unknown-name",
            message=f"no run has a metric {quoted(asked)}; there are {', '.join(known)}",
            hint=f"did you mean {close[0]!r}?" if close else "evaluate with --metrics to add one",
        )
    )


def known_metrics(run: StoredRun) -> list[str]:
    """Return every metric that a run can be asked for."""
    return list(dict.fromkeys([*run.metric_names, *run.columns.number_names]))


def _side(baseline: StoredRun, run: StoredRun, metric: str, options: CompareOptions) -> Side:
    allow = {*options.allow, *(("scorer", "canonical") if options.attribute else ())}
    found = contract(baseline.record, run.record, metric, allow=allow)
    refuse_blocking(found, baseline.label, run.label)
    pairing = pair_items(baseline.columns, run.columns)
    own = run.primary if options.metric is None and metric not in known_metrics(run) else metric
    paired = measured(metric, baseline, run) if own == metric else _primaries(baseline, run)
    side = Side(run, found, pairing, paired, own)
    if paired is not None:
        direction = baseline.direction(metric)
        side.changes = item_changes(paired, direction, pairing, baseline.columns, run.columns, top=options.top)
    return side


def _primaries(baseline: StoredRun, run: StoredRun) -> Measure:
    """Return the primary score of each run, whatever its name."""
    before, after = (side.columns.number(side.primary) for side in (baseline, run))
    assert before is not None
    assert after is not None
    return MeanMeasure(before, after, "higher", "bounded")


def _joined(contracts: Sequence[Contract]) -> Contract:
    """Return one contract over all candidates; each difference is named once."""
    differences = list(dict.fromkeys(_Hashable(entry) for found in contracts for entry in found.differences))
    return Contract(all(found.comparable for found in contracts), tuple(entry.difference for entry in differences))


class _Hashable:
    """A difference as a dictionary key: its values may be lists."""

    def __init__(self, difference: Any) -> None:
        self.difference = difference
        self._key = repr(difference)

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Hashable) and other._key == self._key


def _overall(metric: str, baseline: StoredRun, sides: Sequence[Side]) -> dict[str, Figure]:
    named = [(baseline, metric), *((side.run, side.metric) for side in sides)]
    return {run.label: run.figure(name) or Figure(0, None) for run, name in named}


def _deltas(metric: str, baseline: StoredRun, sides: Sequence[Side]) -> dict[str, Delta]:
    """Return the delta of each candidate; where there are several, their p-values are one family."""
    found = [_delta(metric, baseline, side) for side in sides]
    return dict(zip([side.run.label for side in sides], holm_over(found) if len(found) > 1 else found, strict=True))


def _delta(metric: str, baseline: StoredRun, side: Side) -> Delta:
    delta = minus(side.run.figure(side.metric), baseline.figure(metric))
    if side.measured is None:
        return Delta(delta, Paired(None, None, None, None, "", 0, 0, 0, 0, None, reason=NOT_PAIRED))
    numbers = shared_clusters(baseline.columns, side.run.columns, side.pairing)
    rows = side.pairing.baseline_rows
    clusters = None if numbers is None else numbers[rows]
    return Delta(delta, side.measured.paired(rows, side.pairing.candidate_rows, clusters))


def _attributions(metric: str, baseline: StoredRun, sides: Sequence[Side]) -> dict[str, Attribution]:
    return {side.run.label: _attribution(metric, baseline, side) for side in sides}


def _attribution(metric: str, baseline: StoredRun, side: Side) -> Attribution:
    """Return a change split by cause, or say why it cannot be."""
    if side.measured is None:
        lacking = [run.label for run in (baseline, side.run) if metric not in known_metrics(run)]
        why = f"{' and '.join(lacking)} {'has' if len(lacking) == 1 else 'have'} it not" if lacking else NOT_PAIRED
        hint = "without --metric the primary score of each run is split, whatever its name"
        raise UsageError(Problem("usage", f"a change of {metric} cannot be split by cause: {why}", hint=hint))
    return attribute_change(side.measured, side.metric, (baseline, side.run), side.pairing)


def _loss_curves(runs: Sequence[StoredRun]) -> dict[str, list[dict[str, Any]]]:
    """Return the training logs of runs that were trained."""
    found = {}
    for run in runs:
        file = run.path / TRAIN_LOG
        if file.is_file():
            try:
                found[run.label] = [msgspec.json.decode(line) for line in file.read_bytes().splitlines() if line]
            except UNREADABLE as error:
                raise damaged(file, f"the training log cannot be read: {error}") from None
    return found
