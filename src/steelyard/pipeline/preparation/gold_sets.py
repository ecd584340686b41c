"""The gold set that a task names: a small curated file with unambiguous expected outputs (seed 001)."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path

from steelyard.errors import Problems
from steelyard.reading.references import item_id
from steelyard.reading.rows import read_rows
from steelyard.records.fields import FieldNames
from steelyard.registry import Metric, bind_metric
from steelyard.scoring.gold import size_warning

METRIC = "gold_set_accuracy"


class GoldSetWarning(UserWarning):
    """A gold set is smaller or larger than seed 001 asks for."""


@dataclass(frozen=True, slots=True)
class GoldSet:
    """The gold set of a task."""

    path: Path
    metric: Metric
    ids: frozenset[str]
    """Ids of its items; predictions for them are not predictions for unknown items."""


def read_gold_set(path: Path, names: FieldNames) -> GoldSet:
    """Return a gold set, or raise all that is wrong with its rows; a size other than seed 001's gets a warning."""
    problems = Problems()
    rows = read_rows(path, problems)
    ids = frozenset(found for row in rows if (found := item_id(row.fields, names)) is not None)
    problems.raise_if_any()
    warning = size_warning(len(ids))
    if warning is not None:
        warnings.warn(warning, GoldSetWarning, stacklevel=2)
    return GoldSet(path, bind_metric(METRIC), ids)
