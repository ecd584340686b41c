"""The rules of an eval set: what every row must have, and what a careful author would look at again.

A rule that is broken is an error and makes the set invalid. A sign of trouble is a warning and does not.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from steelyard.datasets.prompts import leaks, near_duplicates
from steelyard.errors import InputError, Problem, Problems, quoted
from steelyard.reading.rows import Row, read_rows
from steelyard.records.datasets import Composition, EvalsetReport, Share
from steelyard.records.items import UNTAGGED

REQUIRED = ("id", "prompt", "expected_answer")
KNOWN: dict[str, tuple[str, ...]] = {
    "section": ("core", "trace_sensitive", "edge_case"),
    "category": (),
    "difficulty": ("easy", "medium", "hard"),
}
"""The tags of an eval set and their values in the order they are shown; any category may be used."""


@dataclass(slots=True)
class _Checked:
    """What has been seen of one file so far."""

    file: str
    errors: Problems = field(default_factory=Problems)
    warnings: Problems = field(default_factory=Problems)
    n_items: int = 0
    line_of: dict[str, int] = field(default_factory=dict)
    counts: dict[str, Counter[str]] = field(default_factory=lambda: {key: Counter() for key in KNOWN})
    prompts: list[str] = field(default_factory=list)
    rows: list[tuple[int, str | None]] = field(default_factory=list)
    """Line and id of each prompt."""


def validate_evalset(path: Path, *, min_items: int = 50) -> EvalsetReport:
    """Return what is wrong with an eval set, what is doubtful, and what it is made of.

    A file that cannot be read at all is an invalid set too: its fault is the report's error.
    """
    checked = _Checked(str(path))
    try:
        for row in read_rows(path, checked.errors, mapping_field=None):
            _check_row(checked, row)
    except InputError as error:
        checked.errors.extend(error.problems)
    else:
        _check_size(checked, min_items)
    _check_duplicates(checked)
    return EvalsetReport(
        path=checked.file,
        n_items=checked.n_items,
        errors=checked.errors.listed,
        total_errors=checked.errors.total,
        warnings=checked.warnings.listed,
        total_warnings=checked.warnings.total,
        composition=_composition(checked),
    )


def _check_row(checked: _Checked, row: Row) -> None:
    checked.n_items += 1
    item_id = None if _is_empty(row.fields.get("id")) else _as_text(row.fields["id"])
    for name in REQUIRED:
        _check_field(checked, row, name, item_id)
    if item_id is not None:
        _check_id(checked, row.line, item_id)
    _check_tags(checked, row, item_id)
    prompt, reference = row.fields.get("prompt"), row.fields.get("expected_answer")
    if isinstance(prompt, str) and not _is_empty(prompt):
        checked.prompts.append(prompt)
        checked.rows.append((row.line, item_id))
        _check_leak(checked, row.line, item_id, (prompt, reference))


def _check_field(checked: _Checked, row: Row, name: str, item_id: str | None) -> None:
    value = row.fields.get(name)
    if _is_empty(value):
        found = f"{name!r} is empty: {_as_text(value)!r}" if name in row.fields else f"there is no {name!r}"
        message, code = f"{found}; every item needs a value there", "missing-field"
    elif name != "expected_answer" and isinstance(value, (list, dict)):
        message, code = f"{name!r} is {_kind(value)}, expected text", "invalid-evalset"
    else:
        return
    hint = "give each item an id, a prompt and an expected_answer; 0 and false are values"
    checked.errors.add(Problem(code, message, hint=hint, file=checked.file, line=row.line, item_id=item_id))


def _check_id(checked: _Checked, line: int, item_id: str) -> None:
    if item_id not in checked.line_of:
        checked.line_of[item_id] = line
        return
    message = f"the id {quoted(item_id)} stands on line {checked.line_of[item_id]} and again on line {line}"
    hint = "give each item an id of its own"
    checked.errors.add(Problem("duplicate-id", message, hint=hint, file=checked.file, line=line, item_id=item_id))


def _check_tags(checked: _Checked, row: Row, item_id: str | None) -> None:
    for key, known in KNOWN.items():
        value = row.fields.get(key)
        text = UNTAGGED if value is None else _as_text(value)
        checked.counts[key][text] += 1
        if value == UNTAGGED:
            message = f"{key} is {UNTAGGED!r}, which stands for items without a {key}"
            hint = f"leave {key} out, or give it another value"
            checked.errors.add(
                Problem("bad-tag", message, hint=hint, file=checked.file, line=row.line, item_id=item_id)
            )
        elif value is not None and known and value not in known:
            message = f"{key} is {quoted(text)}, which is not one of {', '.join(known)}"
            hint = f"results are sliced by {key}; a misspelt value makes a slice of its own"
            checked.warnings.add(
                Problem("unknown-tag-value", message, hint=hint, file=checked.file, line=row.line, item_id=item_id)
            )


def _check_leak(checked: _Checked, line: int, item_id: str | None, pair: tuple[str, Any]) -> None:
    prompt, reference = pair
    if _is_empty(reference) or isinstance(reference, (list, dict)) or not leaks(_as_text(reference), prompt):
        return
    message = f"the prompt contains its own answer {quoted(_as_text(reference))}"
    hint = "reword the prompt unless the answer has to stand there"
    checked.warnings.add(Problem("reference-leak", message, hint=hint, file=checked.file, line=line, item_id=item_id))


def _check_duplicates(checked: _Checked) -> None:
    for later, earlier, similarity in near_duplicates(checked.prompts):
        line, item_id = checked.rows[later]
        other = checked.rows[earlier][0]
        message = f"the prompt on line {line} nearly repeats the one on line {other} (similarity {similarity:.2f})"
        hint = "keep one of the two, or make them ask for different things"
        checked.warnings.add(
            Problem("near-duplicate", message, hint=hint, file=checked.file, line=line, item_id=item_id)
        )


def _check_size(checked: _Checked, min_items: int) -> None:
    if checked.n_items == 0:
        message, code = "there are no items", "no-items"
    elif checked.n_items < min_items:
        found = "there is 1 item" if checked.n_items == 1 else f"there are {checked.n_items} items"
        message, code = f"{found}, expected at least {min_items}", "invalid-evalset"
    else:
        return
    hint = "add items, or pass --min-items for a set that is meant to be small"
    checked.errors.add(Problem(code, message, hint=hint, file=checked.file))


def _composition(checked: _Checked) -> Composition:
    return {key: _shares(counts, KNOWN[key], checked.n_items) for key, counts in checked.counts.items()}


def _shares(counts: Counter[str], known: tuple[str, ...], total: int) -> dict[str, Share]:
    """Known values come first in their own order, then others by name, then what has none."""
    others = sorted(value for value in counts if value not in known and value != UNTAGGED)
    ordered = [value for value in (*known, *others, UNTAGGED) if counts[value]]
    return {value: Share(n=counts[value], percent=round(100 * counts[value] / total, 1)) for value in ordered}


def _is_empty(value: Any) -> bool:
    """0 and false are values."""
    return value is None or (isinstance(value, str) and not value.strip()) or value in ([], {})


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _kind(value: list[Any] | dict[str, Any]) -> str:
    return "a list" if isinstance(value, list) else "an object"
