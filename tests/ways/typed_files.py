"""The files of tasks whose answers are not plain text: labels, choices, numbers, fields, and several kinds at once."""

from __future__ import annotations

import json

from tests.ways.places import BASE, GOOD, write_rows
from tests.ways.task_files import ITEMS, WRONG, files, items


def of_fields() -> None:
    """Write seed 003's fields: several predictions in one row, each with its label."""
    entries = [
        {"type": "exact_match", "pred_field": "mood", "label_field": "gt_mood"},
        {"type": "numeric_error", "pred_field": "change", "label_field": "gt_change", "tolerance_abs": 0.5},
    ]
    rows = [row | {"gt_mood": "up" if n % 2 else "down", "gt_change": n} for n, row in enumerate(items())]
    files(rows=rows, scorers=[], metrics=entries)
    for run in (BASE, GOOD):
        write_rows(
            f"{run}.jsonl",
            [
                {"id": f"i{n}", "mood": "up" if n % 2 or n % WRONG[run] == 0 else "down", "change": n + n % 2}
                for n in range(ITEMS)
            ],
        )


def labels() -> None:
    """Write a classification."""
    names = ["down", "level", "up"]
    rows = [row | {"expected_answer": names[n % 3], "note": json.dumps(names[n % 3])} for n, row in enumerate(items())]
    files(rows=rows, answer_type="label", scorers=[], metrics=["accuracy", "macro_f1"], aliases={"up": ["rise"]})
    for run in (BASE, GOOD):
        given = [names[(n + (n % WRONG[run] == 0)) % 3].replace("up", "rise") for n in range(ITEMS)]
        write_rows(f"{run}.jsonl", [{"id": f"i{n}", "prediction": text} for n, text in enumerate(given)])


def mixed() -> None:
    """Write items that say their own answer type and choices."""
    rows = items()
    for n, row in enumerate(rows):
        kind = ("text", "number", "choice")[n % 3]
        row |= {"answer_type": kind, "expected_answer": [f"word{n}", str(n), "b"][n % 3]}
        if kind == "choice":
            row["choices"] = ["a", "b", f"c{n}"]
    files(rows=rows, answer_type="mixed", scorers=[], metrics=None)
    for run in (BASE, GOOD):
        given = ["a" if n % WRONG[run] == 0 else rows[n]["expected_answer"] for n in range(ITEMS)]
        write_rows(f"{run}.jsonl", [{"id": f"i{n}", "prediction": text} for n, text in enumerate(given)])


def choices() -> None:
    """Write a choice with declared choices and their aliases."""
    rows = [row | {"expected_answer": "ABC"[n % 3]} for n, row in enumerate(items())]
    files(rows=rows, answer_type="choice", choices=["A", "B", "C"], aliases={"A": ["first"]}, scorers=[], metrics=None)
    for run in (BASE, GOOD):
        given = ["ABC"[(n + (n % WRONG[run] == 0)) % 3].replace("A", "first") for n in range(ITEMS)]
        write_rows(f"{run}.jsonl", [{"id": f"i{n}", "prediction": text} for n, text in enumerate(given)])


def worked_references() -> None:
    """Write references that are worked solutions with the answer at their end."""
    rows = [row | {"expected_answer": f"2 * 1 = 2\n#### {n}"} for n, row in enumerate(items())]
    files(
        rows=rows, answer_type="number", scorers=[{"name": "number@v1", "tolerance_rel": 0.01}], metrics=None,
        extract="last_number", extract_reference="last_number",
    )  # fmt: skip
    for run in (BASE, GOOD):
        given = [f"so it is {n + 7 * (n % WRONG[run] == 0)}" for n in range(ITEMS)]
        write_rows(f"{run}.jsonl", [{"id": f"i{n}", "prediction": text} for n, text in enumerate(given)])
