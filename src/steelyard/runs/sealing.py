"""The hashes of a finished run, written once everything that they cover is on disk.

Beside them: under which judges a run stands since it was judged again.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from steelyard.records.runs import (
    EVAL_HASHES_FILE,
    HASHES_FILE,
    ITEMS_FILE,
    RESCORED_FILE,
    RUN_FILE,
    RUN_FORMAT,
    Rescored,
    RunRecord,
)
from steelyard.store.checking import journal_digest, kept_items, read_object
from steelyard.store.directories import standing_fields
from steelyard.store.files import json_bytes, write_bytes
from steelyard.store.items import items_digest
from steelyard.store.seals import file_digests, fingerprint, sealed

EVAL_HASHES_FORMAT = 1


def seal_run(path: Path, items: str) -> dict[str, Any]:
    """Complete `hashes.json`; return what `run.json` keeps of it: the fingerprint, and the hash of every file."""
    hashes: dict[str, str] = read_object(path / HASHES_FILE)
    hashes |= {"items": items, "journal": journal_digest(path)}
    hashes["fingerprint"] = fingerprint(hashes["config"], items, hashes["journal"])
    write_bytes(path / HASHES_FILE, json_bytes(hashes))
    return {"fingerprint": hashes["fingerprint"], "files": file_digests(path, sorted(_outside_eval(path)))}


def _outside_eval(path: Path) -> Iterator[str]:
    """Yield every file of a run that never changes once it is complete."""
    for file in path.rglob("*"):
        parts = file.relative_to(path).parts
        kept = parts[0] not in ("eval", "judgements", "notes.json", RUN_FILE)
        if kept and file.is_file() and not any(part.startswith(".") for part in parts):
            yield "/".join(parts)


def seal_derived(path: Path) -> str:
    """Write `eval/hashes.json`, last of all that is derived, and return the hash of the items.

    The same items and files give the same bytes.
    """
    folder = path / "eval"
    names = sorted(
        "/".join(file.relative_to(folder).parts)
        for file in folder.rglob("*")
        if file.is_file() and file != path / EVAL_HASHES_FILE and not file.name.startswith(".")
    )
    items = items_digest(path / ITEMS_FILE)
    content = {"format_version": EVAL_HASHES_FORMAT, "items": items, "files": file_digests(folder, names)}
    write_bytes(path / EVAL_HASHES_FILE, json_bytes(sealed(content)))
    return items


def renew_seals(path: Path, record: RunRecord) -> None:
    """Write the hashes of a run whose `eval/` was derived anew; a run of format 1 keeps none."""
    if record.format_version >= RUN_FORMAT:
        seal_derived(path)


def other_items(path: Path, record: RunRecord) -> str | None:
    """Return the hash of a run's items where they are no longer those that it was made from."""
    if record.format_version < RUN_FORMAT:
        return None
    found = items_digest(path / ITEMS_FILE)
    return None if found == kept_items(path) else found


# Under which scorers and metrics a run stands since it was judged again.


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
