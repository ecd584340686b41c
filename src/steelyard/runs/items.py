"""A page of a run's items, filtered and sorted, read from Parquet so that it stays flat at a million items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.errors import Problem, UsageError, quoted
from steelyard.records.columns import Rows
from steelyard.records.items import STATES, UNAVAILABLE, UNTAGGED
from steelyard.runs.stored import StoredRun, open_run

PAGE = 10_000
"""How many items are held at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemQuery:
    """Which items of a run are wanted."""

    run: str
    runs_dir: Path = Path("runs")
    state: str | None = None
    where: Mapping[str, str] = field(default_factory=dict)
    """Tags and the values they must have."""
    failing: bool = False
    sort: str | None = None
    """A per-item number to sort by, ascending; a leading `-` sorts descending; None keeps the dataset's order."""
    limit: int | None = 20
    """None for all."""
    offset: int = 0


def run_items(query: ItemQuery) -> tuple[list[dict[str, Any]], int]:
    """Return a page of items, and how many items match."""
    run = open_run(query.runs_dir, query.run)
    rows = _matching(run, query)
    rows = _sorted(run, rows, query.sort) if query.sort else rows
    page = rows[query.offset :] if query.limit is None else rows[query.offset : query.offset + query.limit]
    return (run.columns.details(page) if len(page) else []), len(rows)


def item_records(query: ItemQuery) -> Iterator[dict[str, Any]]:
    """Yield every matching item as seed 000's record; a dry run's say that they are unavailable."""
    run = open_run(query.runs_dir, query.run)
    rows = _matching(run, query)
    rows = _sorted(run, rows, query.sort) if query.sort else rows
    rows = rows[query.offset :] if query.limit is None else rows[query.offset : query.offset + query.limit]
    dry = {"unavailable": UNAVAILABLE.partition(": ")[2]} if "mock" in run.record.flags else {}
    for start in range(0, len(rows), PAGE):
        for record in run.columns.records(rows[start : start + PAGE]):
            yield record | dry


def _matching(run: StoredRun, query: ItemQuery) -> Rows:
    columns = run.columns
    chosen = np.ones(len(columns), np.bool_)
    if query.state is not None:
        if query.state not in STATES:
            raise _unknown("state", query.state, STATES)
        states = columns.states()
        chosen &= np.array([name == query.state for name in states.names], np.bool_)[states.codes]
    for key, value in query.where.items():
        if key not in columns.tag_keys:
            raise _unknown("tag", key, columns.tag_keys)
        labels = columns.tag(key)
        code = -1 if value == UNTAGGED else labels.names.index(value) if value in labels.names else -2
        chosen &= labels.codes == code
    if query.failing:
        chosen &= ~columns.passed()
    return np.flatnonzero(chosen)


def _sorted(run: StoredRun, rows: Rows, name: str) -> Rows:
    metric = name.removeprefix("-")
    values = run.columns.number(metric)
    if values is None:
        raise _unknown("number", metric, run.columns.number_names)
    found = values[rows]
    order: Rows = np.argsort(-found if name.startswith("-") else found, kind="stable")
    return rows[order]


def _unknown(what: str, name: str, known: Any) -> UsageError:
    close = get_close_matches(name, list(known), n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(known) or 'none'}"
    return UsageError(Problem("unknown-name", f"the items have no {what} {quoted(name)}", hint=hint))
