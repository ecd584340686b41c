"""What caused a change: the baseline's stored outputs judged again by the candidate's scorers and references.

Nothing is asked of a model. Both judgements are made aside, and neither run is touched.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from steelyard.comparison.attribution import Stages, attribute, shared_rows
from steelyard.comparison.measures import measure
from steelyard.comparison.pairing import Pairing
from steelyard.errors import InputError, Problem
from steelyard.pipeline.evaluation.rejudging import judged_again
from steelyard.pipeline.runs.stored import StoredRun
from steelyard.records.columns import Rows
from steelyard.records.comparisons import Attribution
from steelyard.store.columns import StoredColumns
from steelyard.store.results import damaged


def attribute_change(metric: str, baseline: StoredRun, candidate: StoredRun, pairing: Pairing) -> Attribution:
    """Return the delta of a metric split into model, scorer, data and coverage."""
    shared = shared_rows(pairing, baseline.columns, candidate.columns)
    if not len(shared.baseline):
        raise InputError(Problem("no-items", "no items are in both runs, so a change cannot be split by cause"))
    direction = candidate.direction(metric)
    own = measure(metric, direction, baseline.columns, candidate.columns)
    assert own is not None
    with (
        judged_again(baseline, candidate, data=baseline) as (rescored, _),
        judged_again(baseline, candidate, data=candidate) as (again, _),
    ):
        judged = measure(metric, direction, rescored, again)
        if judged is None:
            raise damaged(candidate.path, f"its configuration does not give {metric}")
        stages = Stages(
            baseline=_value(own.figure(0).value),
            shared_baseline=_value(own.figure(0, shared.baseline).value),
            rescored=_value(judged.figure(0, _rows(rescored, baseline.columns, shared.baseline)).value),
            referenced=_value(judged.figure(1, _rows(again, candidate.columns, shared.candidate)).value),
            shared_candidate=_value(own.figure(1, shared.candidate).value),
            candidate=_value(own.figure(1).value),
        )
    return attribute(stages, len(shared.baseline))


def _value(value: float | None) -> float:
    if value is None:
        message = "the metric is undefined over the shared items, so a change cannot be split by cause"
        raise InputError(Problem("no-items", message))
    return value


def _rows(judged: StoredColumns, run: StoredColumns, rows: Rows) -> Rows:
    """Return where a run's rows stand among the same items, judged again."""
    if len(judged) == len(run):
        return rows
    places = pc.index_in(run.ids().take(pa.array(rows)), value_set=judged.ids())
    return np.asarray(places.to_numpy(zero_copy_only=False), np.int64)
