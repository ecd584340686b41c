"""A delta split into model, scorer, data and coverage, so that the parts add up (page 30).

One thing is changed at a time, from the baseline to the candidate: first the items that only one run has are set
aside, and those that one of them has no output for (coverage), then the baseline's outputs are judged by the
candidate's scorers (scorer), then against the candidate's references (data), and last the outputs themselves change
(model).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from steelyard.comparison.measures import Measure
from steelyard.comparison.pairing import Pairing
from steelyard.records.columns import ItemColumns, Rows
from steelyard.records.comparisons import Attribution


@dataclass(frozen=True, slots=True)
class SharedRows:
    """Rows of items that both runs asked with the same input; their references may differ."""

    baseline: Rows
    candidate: Rows


def shared_rows(pairing: Pairing, baseline: ItemColumns, candidate: ItemColumns) -> SharedRows:
    """Return paired rows and those whose reference alone was edited.

    An item whose input was edited is another question under the same id: it belongs to coverage.
    """
    first, second = pairing.edited_baseline, pairing.edited_candidate
    if len(first):
        equal = pc.equal(baseline.inputs().take(pa.array(first)), candidate.inputs().take(pa.array(second)))
        same = pc.fill_null(equal, False).to_numpy(zero_copy_only=False)  # noqa: FBT003 - Arrow's own
        first, second = first[same], second[same]
    return SharedRows(np.concatenate((pairing.baseline_rows, first)), np.concatenate((pairing.candidate_rows, second)))


@dataclass(frozen=True, slots=True)
class Stages:
    """The metric at each step from the baseline to the candidate."""

    baseline: float
    """The baseline over all its items."""
    asked_baseline: float
    """The baseline over items that both runs asked."""
    shared_baseline: float
    """The baseline over shared items: those that both runs asked and both have an output for."""
    rescored: float
    """The baseline's outputs on shared items, by the candidate's scorers against the baseline's references."""
    referenced: float
    """The same against the candidate's references."""
    shared_candidate: float
    """The candidate over shared items."""
    asked_candidate: float
    """The candidate over items that both runs asked."""
    candidate: float
    """The candidate over all its items."""


def attribute(stages: Stages, n_shared: int, n_unanswered: int = 0) -> Attribution:
    """Return the parts of the delta; `n_unanswered` items were asked in both runs and lack an output in one.

    >>> attribute(Stages(0.5, 0.6, 0.6, 0.7, 0.65, 0.9, 0.9, 0.8), 10).total
    0.3
    """
    coverage = (stages.candidate - stages.shared_candidate) + (stages.shared_baseline - stages.baseline)
    unanswered = (stages.asked_candidate - stages.shared_candidate) + (stages.shared_baseline - stages.asked_baseline)
    return Attribution(
        model=_rounded(stages.shared_candidate - stages.referenced),
        scorer=_rounded(stages.rescored - stages.shared_baseline),
        data=_rounded(stages.referenced - stages.rescored),
        coverage=_rounded(coverage),
        total=_rounded(stages.candidate - stages.baseline),
        unanswered=_rounded(unanswered),
        n_shared=n_shared,
        n_unanswered=n_unanswered,
    )


def _rounded(value: float) -> float:
    """Return a difference without what subtraction leaves of equal numbers."""
    return round(value, 12) + 0.0


def value_over(measured: Measure, side: int, rows: Rows) -> float | None:
    """Return a metric over some rows of one side."""
    return measured.figure(side, rows).value
