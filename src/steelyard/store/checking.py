"""Whether a run's files are the ones that were written: each held against the hash that another file keeps of it.

Nothing is judged again here. What is found is raised as damage, naming the file.

Before it: results, read in their types.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from steelyard.errors import InputError, Problem, SteelyardError
from steelyard.records.encoded import UNREADABLE
from steelyard.records.results import RESULTS_FORMAT, ListedExample, RunResults
from steelyard.records.runs import (
    CONFIG_FILE,
    EVAL_HASHES_FILE,
    HARD_EXAMPLES_FILE,
    HASHES_FILE,
    ITEMS_FILE,
    JOURNAL_FILE,
    REPEATS_FILE,
    RESCORED_FILE,
    RESULTS_FILE,
    RUN_FILE,
)
from steelyard.store.directories import refuse_newer
from steelyard.store.files import parsed, read_objects
from steelyard.store.items import items_digest
from steelyard.store.seals import file_digest, file_digests, fingerprint, is_as_written, text_digest

NOTHING = text_digest(b"")
"""What stands for the journal, or the items, of a run that has none."""
_READ_WHERE_THERE = (RESCORED_FILE, REPEATS_FILE)
"""Files under `eval/` that change what a run says by being there."""
_MADE_ANEW = "`steelyard rescore RUN` derives everything under eval/ anew"
_EVALUATE = "bring the file back as it was, or evaluate again under another name"


def check_files(path: Path) -> str:
    """Return the fingerprint of a complete run whose files all are what was written, or raise."""
    record = read_object(path / RUN_FILE)
    if record.get("format_version", 1) < 2:
        return _check_old(path)
    if not is_as_written((path / RUN_FILE).read_bytes(), record):
        raise _damaged(path / RUN_FILE, "run.json is not what was written: its seal does not hold", _EVALUATE)
    _compare(path, record["files"], _EVALUATE)
    if (path / ITEMS_FILE).is_file() or (path / EVAL_HASHES_FILE).is_file():
        _check_derived(path, read_object(path / HASHES_FILE)["items"])
    elif "not_evaluated" not in record["flags"]:
        raise _damaged(path / ITEMS_FILE, "the items are not there", _MADE_ANEW)
    return str(record["fingerprint"])


@contextmanager
def damage_told(*runs: Path) -> Iterator[None]:
    """Where complete runs are used: tell an error that a changed file brought about as the damage that it is.

    What the files hold is many shapes deep, and not all of it is looked through before it is used. An error over files
    that are what was written is ours.
    """
    try:
        yield
    except (SteelyardError, OSError):
        raise
    except Exception:
        for path in runs:
            check_files(path)
        raise


def _check_derived(path: Path, items: str) -> None:
    """Raise where something under `eval/` is not what was derived, or was derived from other items."""
    if not (path / EVAL_HASHES_FILE).is_file():
        raise _damaged(path / EVAL_HASHES_FILE, "the hashes of what was derived are not there", _MADE_ANEW)
    derived = read_object(path / EVAL_HASHES_FILE)
    if not is_as_written((path / EVAL_HASHES_FILE).read_bytes(), derived):
        raise _damaged(path / EVAL_HASHES_FILE, "it is not what was written: its seal does not hold", _MADE_ANEW)
    _compare(path / "eval", derived["files"], _MADE_ANEW)
    rescored = read_object(path / RESCORED_FILE) if (path / RESCORED_FILE).is_file() else {}
    if derived["items"] != (rescored.get("items") or items):
        raise _damaged(path / ITEMS_FILE, "the items are not those that the run was made from", _MADE_ANEW)
    for name in _READ_WHERE_THERE:
        if (path / name).is_file() and Path(name).name not in derived["files"]:
            raise _damaged(path / name, "this file was put here by something else", f"remove it; {_MADE_ANEW}")


def _check_old(path: Path) -> str:
    """Return the fingerprint of a run of format 1, which keeps the hash of its configuration and no others."""
    hashes = read_object(path / HASHES_FILE)
    if "fingerprint" in hashes or (path / EVAL_HASHES_FILE).is_file():
        raise _damaged(path / RUN_FILE, "run.json has another format than the files beside it", _EVALUATE)
    if _digest(path / CONFIG_FILE, _EVALUATE) != hashes.get("config"):
        raise _damaged(path / CONFIG_FILE, "config.yaml is not what hashes.json says", _EVALUATE)
    return fingerprint(str(hashes["config"]), items_digest(path / ITEMS_FILE), journal_digest(path))


def journal_digest(path: Path) -> str:
    """Return the hash of a run's journal."""
    file = path / JOURNAL_FILE
    return file_digest(file) if file.is_file() else NOTHING


def _compare(folder: Path, expected: Mapping[str, str], hint: str) -> None:
    for name in expected:
        if not (folder / name).is_file():
            raise _damaged(folder / name, "a file of the run is not there", hint)
    found = file_digests(folder, list(expected))
    for name, digest in expected.items():
        if found[name] != digest:
            raise _damaged(folder / name, "the file is not what was written: its hash is another", hint)


def _digest(file: Path, hint: str) -> str:
    try:
        return file_digest(file)
    except OSError as error:
        raise _damaged(file, f"{file.name} cannot be read: {error.strerror or error}", hint) from None


def kept_items(path: Path) -> str:
    """Return the hash of the items that a run was made from, as it keeps it."""
    found = read_object(path / HASHES_FILE).get("items")
    if not isinstance(found, str):
        raise _damaged(path / HASHES_FILE, "hashes.json has no hash of the items", _EVALUATE)
    return found


def read_object(file: Path) -> dict[str, Any]:
    """Return the object that one of a run's files holds, or raise."""
    hint = _MADE_ANEW if file.parent.name == "eval" else _EVALUATE
    try:
        found = parsed(file.read_bytes())
    except (OSError, ValueError) as error:
        raise _damaged(file, f"{file.name} cannot be read: {error}", hint) from None
    if not isinstance(found, dict):
        raise _damaged(file, f"{file.name} holds no object", hint)
    return found


def _damaged(file: Path, message: str, hint: str) -> InputError:
    return InputError(Problem("run-damaged", message, hint=hint, file=str(file)))


# What a run found, as its files under `eval/` keep it: read back only in the shape that it is written in.


def read_results(path: Path) -> dict[str, Any]:
    """Return the content of a run's `eval/eval_results.json`."""
    file = path / RESULTS_FILE
    found = read_content(file, "results")
    version = found.get("format_version")
    refuse_newer(version if isinstance(version, int) else 0, RESULTS_FORMAT, file)
    try:
        msgspec.convert(found, RunResults)
    except UNREADABLE as error:
        raise damaged(file, f"the results are not what is written there: {error}") from None
    return found


def read_hard_examples(path: Path) -> list[dict[str, Any]]:
    """Return a run's hard examples."""
    file = path / HARD_EXAMPLES_FILE
    found = []
    for number, content in read_objects(file):
        if content is None:
            raise damaged(file, f"line {number} cannot be read")
        try:
            msgspec.convert(content, ListedExample)
        except UNREADABLE as error:
            raise damaged(file, f"line {number} is no hard example: {error}") from None
        found.append(content)
    return found


def read_content(file: Path, what: str) -> dict[str, Any]:
    """Return the object that one of the JSON files under `eval/` holds."""
    try:
        found = parsed(file.read_bytes())
    except (OSError, ValueError) as error:
        raise damaged(file, f"the {what} cannot be read: {error}") from None
    if not isinstance(found, dict):
        raise damaged(file, f"the {what} cannot be read: the file holds no object")
    return found


def damaged(file: Path, message: str) -> InputError:
    """Return the error of a run whose files disagree with each other."""
    hint = "`steelyard rescore RUN` derives results and items anew from the stored predictions"
    return InputError(Problem("run-damaged", message, hint=hint, file=str(file)))
