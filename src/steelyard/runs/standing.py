"""Under which scorers and metrics a run stands since it was judged again."""

from __future__ import annotations

from pathlib import Path

import msgspec

from steelyard.records.runs import RESCORED_FILE, Rescored, RunRecord
from steelyard.store.directories import standing_fields
from steelyard.store.files import json_bytes, write_bytes


def write_standing(path: Path, record: RunRecord, rescored: Rescored) -> RunRecord:
    """Write under what a run now stands, and return its record as it stands.

    Where that is what it was made with, there is nothing to say, and no file says it.
    """
    fields = standing_fields(rescored)
    if rescored.items is None and all(getattr(record, name) == value for name, value in fields.items()):
        (path / RESCORED_FILE).unlink(missing_ok=True)
    else:
        write_bytes(path / RESCORED_FILE, json_bytes(msgspec.to_builtins(rescored)))
    return msgspec.structs.replace(record, **fields)
