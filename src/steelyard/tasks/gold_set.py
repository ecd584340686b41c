"""The gold set that a task names: a small curated file with unambiguous expected outputs (seed 001)."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from steelyard.configuration.task import Task
from steelyard.errors import ConfigurationError, Problems
from steelyard.items.named_fields import NamedFields
from steelyard.reading.limits import Limits
from steelyard.reading.references import item_id
from steelyard.reading.rows import Row, read_rows
from steelyard.records.fields import FieldNames
from steelyard.registry import Metric, bind_metric
from steelyard.scoring.gold import size_warning
from steelyard.tasks.fields import gold_fields

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


def read_gold_set(path: Path, task: Task, names: FieldNames) -> GoldSet:
    """Return a gold set, or raise all that is wrong with its rows; a size other than seed 001's gets a warning."""
    problems, named = Problems(), NamedFields(gold_fields(task))
    ids = frozenset(_ids(read_rows(path, problems), names, named))
    problems.raise_if_any()
    if named.unseen:
        raise ConfigurationError(named.problems(path, Limits()))
    warning = size_warning(len(ids))
    if warning is not None:
        warnings.warn(warning, GoldSetWarning, stacklevel=2)
    return GoldSet(path, bind_metric(METRIC), ids)


def _ids(rows: Iterator[Row], names: FieldNames, named: NamedFields) -> Iterator[str]:
    for row in rows:
        named.see(row.fields)
        found = item_id(row.fields, names)
        if found is not None:
            yield found
