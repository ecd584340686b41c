"""`eval/report.html`: a run as one file for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from steelyard.records.runs import REPORT_FILE, RunRecord
from steelyard.show.html_report import report_html
from steelyard.store.files import write_bytes


def write_report(
    path: Path, run: RunRecord, results: Mapping[str, Any], hard_examples: Sequence[Mapping[str, Any]]
) -> None:
    """Write the report of a run beside its results."""
    page = report_html(msgspec.to_builtins(run), results, hard_examples)
    write_bytes(path / REPORT_FILE, page.encode("utf-8", "backslashreplace"))
