"""`eval/report.html`: a run as one file for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from steelyard.records.datasets import OverlapCounts
from steelyard.records.encoded import UNREADABLE
from steelyard.records.runs import MANIFEST_FILE, REPORT_FILE, TRAIN_LOG_FILE, RunRecord
from steelyard.show.html_report import report_html
from steelyard.store.files import write_bytes

if TYPE_CHECKING:
    from steelyard.records.training import LossCurve


def write_report(
    path: Path, run: RunRecord, results: Mapping[str, Any], hard_examples: Sequence[Mapping[str, Any]]
) -> None:
    """Write the report of a run beside its results."""
    # Which model answered is not in the items: the same answers from elsewhere must give the same bytes.
    known = msgspec.to_builtins(run) | {"model": {}}
    page = report_html(known, results, hard_examples, curves=_curves(path), overlap=stored_overlap(path))
    write_bytes(path / REPORT_FILE, page.encode("utf-8", "backslashreplace"))


def _curves(path: Path) -> list[LossCurve]:
    if not (path / TRAIN_LOG_FILE).is_file():
        return []
    from steelyard.runs.losses import loss_curve  # noqa: PLC0415 - for trainings alone

    return [loss_curve(path)]


def stored_overlap(path: Path) -> OverlapCounts | None:
    """Return how far the dataset of a run overlaps with what a model is trained on, as far as its manifest tells."""
    try:
        return msgspec.json.decode((path / MANIFEST_FILE).read_bytes(), type=_Told).overlap
    except (OSError, *UNREADABLE):
        return None


class _Told(msgspec.Struct):
    overlap: OverlapCounts | None = None
