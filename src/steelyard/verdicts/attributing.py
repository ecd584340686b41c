"""What caused a change: the baseline's stored outputs judged again by the candidate's scorers and references.

Nothing is asked of a model. Both judgements are made aside, and neither run is touched.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from steelyard.comparison.attribution import SharedRows, Stages, attribute, shared_rows
from steelyard.comparison.measures import Measure
from steelyard.comparison.pairing import Pairing
from steelyard.comparison.repeated import RepeatedColumns
from steelyard.errors import InputError, Problem
from steelyard.kinds.rejudging import judged_again
from steelyard.records.columns import ItemColumns, Rows
from steelyard.records.comparisons import Attribution, Figure
from steelyard.records.items import SKIPPED
from steelyard.records.repeats import RepeatOutcomes
from steelyard.runs.stored import StoredRun, measured
from steelyard.store.results import damaged
from steelyard.verdicts.answers import in_states


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
