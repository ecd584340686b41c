"""Whether the model behind a run still is the one that it was: its files, its adapter, its tokenizer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from steelyard.errors import InputError, Problem
from steelyard.models.parts import Part, parts_here
from steelyard.records.models import ModelIdentity
from steelyard.records.runs import RunRecord
from steelyard.records.training import ADAPTER_FOLDER, TOKENIZER_FOLDER
from steelyard.store.seals import file_digest

STORED = "stored predictions"
_HINT = "bring the file back as it was, or evaluate the changed model as another run"


def refuse_other_model(path: Path, record: RunRecord, spec: str | None) -> None:
    """Raise where a model is not what the run says that it asked; `spec` is where the model is today."""
    found = model_problems(path, record, spec)
    if found:
        raise InputError(found)


def model_problems(path: Path, record: RunRecord, spec: str | None) -> list[Problem] | None:
    """Return everything in which a model is not what the run asked, or trained; None where nothing can be looked at."""
    trained = [name for name in record.files if name.partition("/")[0] in (ADAPTER_FOLDER, TOKENIZER_FOLDER)]
    parts = _recorded_parts(record, spec) if spec is not None else []
    if not trained and not parts:
        return None
    changed = [_problem(part.what, before, part.digest, part.where) for before, part in parts if before != part.digest]
    return [*_changed_files(path, record, trained), *changed]


def _changed_files(path: Path, record: RunRecord, names: list[str]) -> Iterator[Problem]:
    """Yield the files that a training left which are not what was written."""
    for name in names:
        folder, expected = name.partition("/")[0], record.files[name]
        if not (path / name).is_file():
            yield Problem("hash-mismatch", f"a file of the {folder} is not there", hint=_HINT, file=str(path / name))
        elif (found := file_digest(path / name)) != expected:
            yield _problem(folder, expected, found, path / name)


def _recorded_parts(record: RunRecord, spec: str) -> list[tuple[str, Part]]:
    """Return what is here of a model, each with the hash that the run recorded of it."""
    if record.model.get("kind") in (None, STORED):
        return []
    recorded = msgspec.convert({"spec": spec, **record.model}, ModelIdentity)
    found = [(getattr(recorded, part.field), part) for part in parts_here(spec)]
    return [(before, part) for before, part in found if before is not None]


def _problem(what: str, before: str, today: str, where: Path) -> Problem:
    message = f"the {what}'s hash is {today}, and the run was made with {before}"
    return Problem("hash-mismatch", message, hint=_HINT, file=str(where))
