"""What a run found, as its files under `eval/` keep it: read back only in the shape that it is written in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from steelyard.errors import InputError, Problem
from steelyard.records.encoded import UNREADABLE
from steelyard.records.results import RESULTS_FORMAT, ListedExample, RunResults
from steelyard.records.runs import HARD_EXAMPLES_FILE, RESULTS_FILE
from steelyard.store.directories import refuse_newer
from steelyard.store.lines import parsed, read_objects


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
