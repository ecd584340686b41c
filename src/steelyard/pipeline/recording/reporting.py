"""`eval/report.html`: a run as one file for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from steelyard.pipeline.recording.losses import loss_curve
from steelyard.records.runs import REPORT_FILE, RunRecord
from steelyard.show.html_report import report_html
from steelyard.store.files import write_bytes


def write_report(
    path: Path, run: RunRecord, results: Mapping[str, Any], hard_examples: Sequence[Mapping[str, Any]]
) -> None:
    """Write the report of a run beside its results."""
    # Which model answered is not in the items: the same answers from elsewhere must give the same bytes.
    known = msgspec.to_builtins(run) | {"model": {}}
    page = report_html(known, results, hard_examples, curves=[loss_curve(path)])
    write_bytes(path / REPORT_FILE, page.encode("utf-8", "backslashreplace"))
