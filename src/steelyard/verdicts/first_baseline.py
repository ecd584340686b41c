"""How far a run is from the first run that its baseline's name ever pointed to.

A baseline that is moved to each run that passes can be followed down by a little less than a gate's limit every time.
The first one does not move.

Beside it the items that were given other tags since.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from steelyard.comparison.changes import drift_row
from steelyard.comparison.contract import contract
from steelyard.comparison.pairing import pair_items
from steelyard.comparison.retagging import StandingTags
from steelyard.errors import InputError, Problem, SteelyardError
from steelyard.records.columns import ItemColumns
from steelyard.records.verdicts import FirstBaseline, MetricSinceFirst, Retagged, RetaggedItem
from steelyard.runs.baselines import baseline_run, refuse_changed
from steelyard.runs.stored import StoredRun, measured, open_run
from steelyard.store.baseline_files import Baseline
from steelyard.store.baselines import find_baseline, list_moves
from steelyard.store.checking import check_files
from steelyard.store.suites import find_suite, read_suite, suite_fingerprint
from steelyard.verdicts.sides import suite_run


def since_first(
    runs_dir: Path, against: str | Path | None, run: StoredRun, metrics: Sequence[str]
) -> FirstBaseline | None:
    """Return the delta to the first baseline of a name; None where it still points there, or no name was given."""
    first = _first(runs_dir, against)
    if first is None:
        return None
    try:
        before = _opened(runs_dir, first, run.record.task)
    except SteelyardError as error:
        return FirstBaseline(first.name, first.path, first.run_id, first.set_at, reason=error.problems[0].message)
    found = tuple(_metrics(before, run, metrics))
    reason = "" if found else "no number of the two runs means the same"
    return FirstBaseline(first.name, before.record.name, first.run_id, first.set_at, found, reason)


def _first(runs_dir: Path, against: str | Path | None) -> Baseline | None:
    if not isinstance(against, str):
        return None
    today = find_baseline(runs_dir, against)
    moves = [] if today is None else list_moves(runs_dir, against)
    if today is None or not moves:
        return None
    first = moves[0].before or moves[0].after
    return None if first.run_id == today.run_id else first


def _opened(runs_dir: Path, first: Baseline, task: str) -> StoredRun:
    """Return the first run, or of a suite the run of a task, which must be what it was when it was set."""
    path = baseline_run(runs_dir, first)
    folder = find_suite(runs_dir, path)
    if folder is None:
        run = open_run(runs_dir, path, label=first.name)
        refuse_changed(first, run.record.run_id, check_files(run.path))
        return run
    record = read_suite(folder)
    refuse_changed(first, record.suite_id, suite_fingerprint(record))
    entry = next((entry for entry in record.tasks if entry.task == task and entry.path is not None), None)
    if entry is None:
        raise InputError(Problem("no-baseline", f"{first.path} has no run of {task}"))
    return suite_run(runs_dir, folder, entry, label=first.name)


def _metrics(before: StoredRun, run: StoredRun, metrics: Sequence[str]) -> Iterator[MetricSinceFirst]:
    """Yield each metric that means the same in both runs, over the items that they share."""
    pairing = pair_items(before.columns, run.columns)
    for name in dict.fromkeys([run.primary, *metrics]):
        measure = measured(name, before, run)
        if measure is None or not contract(before.record, run.record, name).comparable:
            continue
        row = drift_row(measure, run.direction(name), pairing.baseline_rows, pairing.candidate_rows)
        if row["delta"] is not None:
            yield MetricSinceFirst(name, row["baseline"], row["current"], row["delta"], row["n"])


# Which items of a run have other tags than the baseline had them with: what a verdict lists of them.


LISTED = 1000
"""How many retagged items a verdict names; it counts all."""


def retagged(standing: StandingTags | None, columns: ItemColumns) -> Retagged:
    """Return the run's retagged items, in the dataset's order."""
    if standing is None or not standing.changed:
        return Retagged()
    rows = np.unique(np.concatenate(list(standing.changed.values())))
    listed = rows[:LISTED]
    values = {key: (set(found.tolist()), standing.values(key)) for key, found in standing.changed.items()}
    items = [
        RetaggedItem(
            item_id,
            before={key: sides[0][row] for key, (changed, sides) in values.items() if row in changed},
            after={key: sides[1][row] for key, (changed, sides) in values.items() if row in changed},
        )
        for item_id, row in zip(columns.ids().take(pa.array(listed)).to_pylist(), listed.tolist(), strict=True)
    ]
    return Retagged(len(rows), tuple(items))
