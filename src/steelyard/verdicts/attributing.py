"""What caused a change: the baseline's stored outputs judged again by the candidate's scorers and references.

Nothing is asked of a model. Both judgements are made aside, and neither run is touched.

Before it: what became of single answers.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from steelyard.comparison.attribution import SharedRows, Stages, attribute, shared_rows
from steelyard.comparison.means import MeanMeasure, WeightedMeasure
from steelyard.comparison.measures import Measure
from steelyard.comparison.pairing import Pairing, own_clusters
from steelyard.comparison.planning import design_effect
from steelyard.comparison.repeated import RepeatedColumns
from steelyard.errors import InputError, Problem
from steelyard.kinds.rejudging import judged_again
from steelyard.records.blocks import Floats
from steelyard.records.columns import ItemColumns, Rows
from steelyard.records.comparisons import Attribution, Figure
from steelyard.records.gates import Obstacle
from steelyard.records.items import SKIPPED
from steelyard.records.runs import RepeatOutcomes
from steelyard.runs.stored import StoredRun, measured
from steelyard.store.checking import damaged

# What a run has no answer for, and what that does to a figure: a model must not gain by silence.


Mask = npt.NDArray[np.bool_]


def in_states(columns: ItemColumns, states: Collection[str]) -> Mask:
    """Return which items ended in one of some states."""
    labels = columns.states()
    codes = [code for code, name in enumerate(labels.names) if name in states]
    return np.isin(labels.codes, codes)


def answered(columns: ItemColumns) -> Mask:
    """Return which items have an answer that could be read."""
    return in_states(columns, ("scored",))


def unanswered_states(columns: ItemColumns) -> dict[str, int]:
    """Return how many items ended in each state that is no answer."""
    labels = columns.states()
    counts = np.bincount(labels.codes, minlength=len(labels.names)).tolist()
    return {name: count for name, count in zip(labels.names, counts, strict=False) if name != "scored" and count}


def n_silent(own: Measure | None, columns: ItemColumns, rows: Rows | None, *, bounded: bool) -> int:
    """Return how many items have no value because there was no answer.

    A score in [0, 1] gives them 0, or they are none of its business: a claim that nobody made has no evidence to count.
    """
    if own is None or bounded:
        return 0
    chosen = np.arange(len(columns)) if rows is None else rows
    values = own.scores(0, chosen)
    return 0 if values is None else int((np.isnan(values) & ~answered(columns)[chosen]).sum())


def silence_gains(
    own: Measure | None, columns: ItemColumns, rows: Rows | None, value: float, mean: float | None, *, lower: bool
) -> Obstacle | None:
    """Return why a value that counts for no answer cannot be meant: it is better than the mean of the answers."""
    silent = n_silent(own, columns, rows, bounded=False)
    if not silent or mean is None or not (value < mean if lower else value > mean):
        return None
    better = f"{value:g}, which is better than the mean of {mean:.4g}"
    return Obstacle(
        f"{silent} items have no answer and count with {better}: silence would gain",
        "`unanswered: VALUE` takes what a wrong answer costs",
    )


def n_silenced(measure: Measure, columns: ItemColumns, pairs: tuple[Rows, Rows], *, bounded: bool) -> int:
    """Return how many pairs have a value in the baseline and none in the candidate, for want of an answer."""
    before, after = measure.scores(0, pairs[0]), measure.scores(1, pairs[1])
    if before is None or after is None:
        return 0
    silenced = ~np.isnan(before) & np.isnan(after)
    return int((silenced & ~answered(columns)[pairs[1]] if bounded else silenced).sum())


def counting(measure: Measure | None, runs: tuple[StoredRun, StoredRun], value: float) -> Measure | None:
    """Return a metric in which unanswered items count with a value, as heavy as the mean of the others."""
    columns = runs[0].columns, runs[1].columns
    match measure:
        case MeanMeasure():
            before, after = (_filled(side, of, value) for side, of in zip(_sides(measure), columns, strict=True))
            return replace(measure, baseline=before, candidate=after)
        case WeightedMeasure():
            # A perplexity is the exponential of what its items have.
            own = math.log(value) if measure.name == "perplexity" else value
            sides = [_weighted(side, of, own) for side, of in zip(_pairs(measure), columns, strict=True)]
            return replace(measure, baseline=sides[0], candidate=sides[1])
        case _:
            return measure


def _sides(measure: MeanMeasure) -> tuple[Floats, Floats]:
    return measure.baseline, measure.candidate


def _pairs(measure: WeightedMeasure) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
    return measure.baseline, measure.candidate


def _filled(values: Floats, columns: ItemColumns, value: float) -> Floats:
    return np.where(np.isnan(values) & ~answered(columns), value, values)


def _weighted(side: tuple[Floats, Floats], columns: ItemColumns, value: float) -> tuple[Floats, Floats]:
    values, weights = side
    silent = np.isnan(values) & ~answered(columns)
    known = weights[~silent & ~np.isnan(weights)]
    weight = float(known.mean()) if len(known) else 1.0
    return np.where(silent, value, values), np.where(silent, weight, weights)


def own_error(own: Measure | None, columns: ItemColumns, rows: Rows | None, *, bounded: bool) -> float | None:
    """Return the standard error of a run's own mean, clusters counted as one; None where it is no plain mean.

    Where all items have one value, a bounded score has the error of a rate with two more right and two more wrong.
    """
    if not isinstance(own, MeanMeasure):
        return None
    chosen = np.arange(len(columns)) if rows is None else rows
    values = own.scores(0, chosen)
    known = ~np.isnan(values)
    values, n = values[known], int(known.sum())
    if n == 0:
        return None
    if (values == values[0]).all():
        rate = (float(values[0]) * n + 2) / (n + 4)
        return math.sqrt(max(rate * (1 - rate), 0.0) / (n + 4)) if bounded else None
    clusters = own_clusters(columns)
    factor = 1.0 if clusters is None else design_effect(values, clusters[chosen][known])
    return math.sqrt(float(values.var(ddof=1)) / n * factor)


@dataclass(frozen=True)
class JudgedRun(StoredRun):
    """A run whose outputs were judged again: its record and configuration stay what they are."""

    judged: ItemColumns | None = None

    @property
    def columns(self) -> Any:
        """The items as they were judged again."""
        return self.judged

    @property
    def outcomes(self) -> RepeatOutcomes | None:
        """What the repeats of each item gave."""
        return self.judged.outcomes() if isinstance(self.judged, RepeatedColumns) else None


def attribute_change(own: Measure, metric: str, sides: tuple[StoredRun, StoredRun], pairing: Pairing) -> Attribution:
    """Return the delta of a metric split into model, scorer, data and coverage.

    `metric` is what the candidate calls it; `own` is the metric over both runs as they are.
    """
    baseline, candidate = sides
    asked = shared_rows(pairing, baseline.columns, candidate.columns)
    if not len(asked.baseline):
        raise InputError(Problem("no-items", "no items are in both runs, so a change cannot be split by cause"))
    both = has_output(baseline.columns)[asked.baseline] & has_output(candidate.columns)[asked.candidate]
    if not both.any():
        raise InputError(
            Problem("no-items", "no item has an answer in both runs, so a change cannot be split by cause")
        )
    shared = SharedRows(asked.baseline[both], asked.candidate[both])
    with _judged(baseline, candidate, data=baseline) as rescored, _judged(baseline, candidate, data=candidate) as again:
        judged = measured(metric, rescored, again)
        if judged is None:
            raise damaged(candidate.path, f"its configuration does not give {metric}")
        stages = Stages(
            baseline=_value(own.figure(0)),
            asked_baseline=_value(own.figure(0, asked.baseline)),
            shared_baseline=_value(own.figure(0, shared.baseline)),
            rescored=_value(judged.figure(0, _rows(rescored.columns, baseline.columns, shared.baseline))),
            referenced=_value(judged.figure(1, _rows(again.columns, candidate.columns, shared.candidate))),
            shared_candidate=_value(own.figure(1, shared.candidate)),
            asked_candidate=_value(own.figure(1, asked.candidate)),
            candidate=_value(own.figure(1)),
        )
    return attribute(stages, len(shared.baseline), len(asked.baseline) - len(shared.baseline))


def has_output(columns: ItemColumns) -> npt.NDArray[np.bool_]:
    """Return which items the model gave an output for, readable or not: what cannot be read is the model's."""
    return ~in_states(columns, SKIPPED)


@contextmanager
def _judged(outputs: StoredRun, judge: StoredRun, *, data: StoredRun) -> Iterator[JudgedRun]:
    """Yield a run, or its repeats as one, judged by the scorers of another over the items of `data`."""
    with ExitStack() as stack:
        found = [
            stack.enter_context(judged_again(member, judge.members[0], data=data.members[0])).columns
            for member in outputs.members
        ]
        columns: ItemColumns = found[0] if len(found) == 1 else RepeatedColumns(found)
        yield JudgedRun(judge.label, judge.path, judge.record, columns)


def _value(figure: Figure) -> float:
    if figure.value is None:
        message = "the metric is undefined over the shared items, so a change cannot be split by cause"
        raise InputError(Problem("no-items", message))
    return figure.value


def _rows(judged: ItemColumns, run: ItemColumns, rows: Rows) -> Rows:
    """Return where a run's rows stand among the same items, judged again."""
    if len(judged) == len(run):
        return rows
    places = pc.index_in(run.ids().take(pa.array(rows)), value_set=judged.ids())
    return np.asarray(places.to_numpy(zero_copy_only=False), np.int64)
