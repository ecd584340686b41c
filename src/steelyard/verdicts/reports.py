"""`steelyard report`: the page of a run that is there already, alone or held against another."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from steelyard.errors import IncompleteError, Problem
from steelyard.records.runs import REPEATS_FILE
from steelyard.runs.losses import loss_curve
from steelyard.runs.recording import read_finished
from steelyard.runs.reporting import stored_overlap
from steelyard.runs.stored import open_runs
from steelyard.show.html_report import report_html
from steelyard.store.checking import damage_told, read_content
from steelyard.store.directories import find_run, read_run
from steelyard.store.files import write_bytes
from steelyard.verdicts.comparison import CompareOptions, compare


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportOptions:
    """The command line of `steelyard report` as a record."""

    run: str
    output: Path
    compare: str | None = None
    """The baseline that the run is held against."""
    runs_dir: Path = Path("runs")


def write_run_report(options: ReportOptions) -> None:
    """Write the page of a completed run."""
    path = find_run(options.runs_dir, options.run)
    record = read_run(path)
    if record.status != "completed":
        message = f"the run is {record.status}, expected a completed one"
        raise IncompleteError(Problem("run-incomplete", message, hint="evaluate it to its end first", file=str(path)))
    with damage_told(path):
        write_bytes(options.output, _page(path, options).encode("utf-8", "backslashreplace"))


def _page(path: Path, options: ReportOptions) -> str:
    found = read_finished(path)
    comparison, curves = None, [loss_curve(path, found.run.name)]
    if options.compare is not None:
        keys = tuple(found.results.get("slices", {}))
        runs = (options.compare, options.run)
        comparison = compare(CompareOptions(runs=runs, runs_dir=options.runs_dir, slice_by=keys))
        (baseline,) = open_runs(options.runs_dir, (options.compare,))
        curves.append(loss_curve(baseline.path, baseline.label))
    run = msgspec.to_builtins(found.run)
    return report_html(
        run, found.results, found.hard_examples, comparison, curves, _repeats(path), stored_overlap(path)
    )


def _repeats(path: Path) -> dict[str, Any] | None:
    """Return what the repeats of a run say together, where it has any."""
    file = path / REPEATS_FILE
    return read_content(file, "repeats") if file.is_file() else None
