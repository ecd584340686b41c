"""A solver of one's own: it looks numbers up in the table and computes with its own earlier answers.

It gives percentages as plain numbers and does not know some questions, so that the report has something to say.
"""

from __future__ import annotations

import re
from typing import Any

LOOKUP = re.compile(r"what was the (?P<row>.+) in (?P<year>\d{4})\?")


def answer(turn: dict[str, Any]) -> dict[str, Any]:
    """Return an answer with the plan behind it."""
    question, table = turn["question"], turn["document"]["table"]
    own = [float(entry["answer"]) for entry in turn["history"] if entry["answer"]]
    if found := LOOKUP.fullmatch(question):
        return extracted(table[found["year"]][found["row"]])
    if found := re.fullmatch(r"and in (\d{4})\?", question):
        first = LOOKUP.fullmatch(turn["history"][0]["question"])
        assert first is not None
        return extracted(table[found[1]][first["row"]])
    if question == "what is the change?":
        return computed("subtract", own[0], own[1], own[0] - own[1])
    if question.startswith("and as a percentage"):
        return computed("divide", own[2], own[1], 100 * own[2] / own[1])
    if question.startswith("and the total"):
        return computed("add", own[0], own[4], own[0] + own[4])
    raise LookupError(f"no rule for {question!r}")


def extracted(value: float) -> dict[str, Any]:
    """Return a number of the table."""
    return {"answer": value, "plan": {"steps": [{"step_id": "s1", "tool": "extract_value", "value": value}]}}


def computed(operation: str, first: float, second: float, value: float) -> dict[str, Any]:
    """Return a number that was worked out from two others."""
    step = {"step_id": "s1", "tool": "compute", "operation": operation, "operands": [first, second]}
    return {"answer": round(value, 4), "plan": {"steps": [step]}}
