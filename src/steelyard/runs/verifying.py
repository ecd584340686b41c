"""What a run derived, held against the same derived again: every column of items, every figure, every flag."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from steelyard import __version__
from steelyard.errors import excerpt
from steelyard.records.runs import (
    CONFUSION_FILE,
    HARD_EXAMPLES_FILE,
    ITEMS_FILE,
    RESULTS_FILE,
    RUN_FILE,
    RUN_FORMAT,
    Reading,
)
from steelyard.runs.stored import StoredRun, agree
from steelyard.store.checking import damaged
from steelyard.store.columns import StoredColumns

OLD_FIGURES = ("primary_metric", "metrics", "error_tags")
"""What is held against today's figures where another version derived them: intervals and tests may have changed."""
_APART = frozenset(("predictions", "steelyard_version", "format_version"))
"""What results say of something else than the judged items."""


def is_current(run: StoredRun) -> bool:
    """Return whether this version derived a run's results, so that every byte of them is to be the same."""
    return run.record.format_version == RUN_FORMAT and run.results.get("steelyard_version") == __version__


def verify_columns(stored: StoredColumns, again: StoredColumns, *, current: bool) -> None:
    """Raise where a column of items is not what the stored outputs give; an older version gave fewer of them."""
    names = ["correctness", *(name for name in again.column_names if name != "correctness")]
    for name in names:
        if name not in stored.column_names and not current:
            continue
        if name not in stored.column_names:
            raise damaged(stored.path, f"the items lack {excerpt(name)}, which the stored outputs give")
        differing = _differing(stored.column(name), again.column(name))
        if len(differing):
            first = stored.ids()[int(differing[0])].as_py()
            what = "scores" if name == "correctness" else f"values of {excerpt(name)}"
            message = f"{len(differing)} {what} are not what the stored outputs give; the first is that of {first}"
            raise damaged(stored.path, message)
    further = [name for name in stored.column_names if name not in names]
    if further:
        raise damaged(stored.path, f"the items have {excerpt(further[0])}, which the stored outputs do not give")


def _differing(stored: pa.Array, again: pa.Array) -> Any:
    """Return the rows in which two columns differ; null is like null alone."""
    if stored.equals(again):
        return ()
    if not stored.type.equals(again.type) or pa.types.is_list(stored.type):
        pairs = zip(stored.to_pylist(), again.to_pylist(), strict=True)
        return [row for row, (one, other) in enumerate(pairs) if one != other]
    same = pc.or_kleene(
        pc.fill_null(pc.equal(stored, again), fill_value=False), pc.and_(stored.is_null(), again.is_null())
    )
    return np.flatnonzero(~same.to_numpy(zero_copy_only=False))


def verify_results(file: Path, stored: Mapping[str, Any], again: Mapping[str, Any]) -> None:
    """Raise where a stored figure is not what the stored outputs give."""
    for name, value in stored.items():
        if name in _APART:
            continue
        for place, one, other in _differences(name, value, again.get(name)):
            message = f"{file.name} says that {excerpt(place)} is {one}, and the stored outputs give {other}"
            raise damaged(file, message)


def _differences(place: str, stored: Any, again: Any) -> Iterator[tuple[str, str, str]]:
    """Yield where two results differ, up to rounding."""
    if isinstance(stored, dict) and isinstance(again, dict):
        for name in dict.fromkeys([*stored, *again]):
            yield from _differences(f"{place}.{name}", stored.get(name), again.get(name))
    elif isinstance(stored, list) and isinstance(again, list) and len(stored) == len(again):
        for row, (one, other) in enumerate(zip(stored, again, strict=True)):
            yield from _differences(f"{place}[{row}]", one, other)
    elif _is_number(stored) and _is_number(again):
        if not agree(again, stored):
            yield place, str(stored), str(again)
    elif stored != again:
        yield place, excerpt(str(stored)), excerpt(str(again))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def verify_files(stored: Path, again: Path) -> None:
    """Raise where a file that was derived beside items and results is not what the stored outputs give."""
    found = (str(file.relative_to(again)) for file in sorted(again.rglob("*")) if file.is_file())
    for name in {*found, HARD_EXAMPLES_FILE, CONFUSION_FILE} - {ITEMS_FILE, RESULTS_FILE}:
        if _bytes(stored / name) != _bytes(again / name):
            raise damaged(stored / name, "the file is not what the stored outputs give")


def _bytes(file: Path) -> bytes | None:
    return file.read_bytes() if file.is_file() else None


def verify_record(run: StoredRun, results: Mapping[str, Any]) -> None:
    """Raise where `run.json` counts other items than there are."""
    card = results["scorecard"]
    for name in ("n_items", "n_scored", "n_skipped", "states"):
        counted = run.record.counts.get(name)
        if counted != card[name]:
            message = f"{RUN_FILE} says that {name} is {counted}, and the stored outputs give {card[name]}"
            raise damaged(run.path / RUN_FILE, message)


def verify_flags(run: StoredRun, again: Sequence[str]) -> None:
    """Raise where `run.json` lacks a flag or has one too many; older runs did not keep what reading had found."""
    told_elsewhere = () if run.record.reading is not None else Reading(1, 1, 1).flags
    for flag in sorted({*run.record.flags, *again} - {*told_elsewhere}):
        if (flag in run.record.flags) != (flag in again):
            holds = flag in again
            raise damaged(run.path / RUN_FILE, f"the flag {flag} {'is missing' if holds else 'does not belong here'}")
