"""The fields of seed 003's reasoning metrics as reasoning objects: claims, steps or a final answer, each on its own.

A field that holds a whole reasoning object is left as it is. Otherwise `claims` and `steps` are lists without a final
answer, and a final answer is looked for in the steps that stand beside it in the same row.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from steelyard.canonical.answer_forms import answer_object
from steelyard.canonical.extraction import NotFound, extract, parse_extraction
from steelyard.canonical.list_text import without_bullet
from steelyard.records.answers import NO_FINAL_ANSWER, ReasoningPart

BESIDE = ("steps", "reasoning")
"""Where the reasoning behind a final answer stands in a row, as steps or as text."""

_LINES = re.compile(r"[\r\n]+")
_NONE = {"answer_type": NO_FINAL_ANSWER.answer_type, **answer_object(NO_FINAL_ANSWER.answer)}


def reasoning_of(raw: Any, part: ReasoningPart, beside: Mapping[str, Any] | None = None) -> Any:
    r"""Return what a field holds as a JSON object that can be read as a reasoning.

    >>> reasoning_of([{"text": "营收增长", "evidence": ["news_1"]}], "claims")["claims"]
    [{'text': '营收增长', 'evidence': ['news_1']}]
    >>> reasoning_of("1. look\n2. decide", "steps")["steps"]
    ['look', 'decide']
    >>> reasoning_of("up", "final_answer", {"steps": ["so it goes up"]})
    {'final_answer': 'up', 'steps': ['so it goes up']}
    """
    if raw is None or (isinstance(raw, Mapping) and "final_answer" in raw):
        return raw
    if part == "final_answer":
        return _final(raw, beside or {})
    inner = raw.get(part, raw) if isinstance(raw, Mapping) else raw
    return {"final_answer": _NONE, part: _lines(inner) if part == "steps" else inner}


def _final(raw: Any, beside: Mapping[str, Any]) -> Any:
    """Return a final answer with the steps beside it; a text that leads to its answer has both in it."""
    steps = next((beside[name] for name in BESIDE if beside.get(name) not in (None, "", [])), None)
    if isinstance(steps, Mapping):
        steps = steps.get("steps")
    if steps is not None:
        return {"final_answer": raw, "steps": _lines(steps)}
    found = extract(raw, parse_extraction("answer_line")) if isinstance(raw, str) else None
    if found is None or isinstance(found, NotFound) or not isinstance(raw, str):
        return {"final_answer": raw}
    return {"final_answer": found.value, "steps": _lines(raw[: found.start or 0])}


def _lines(steps: Any) -> Any:
    """Return steps that are written as text, one a line; anything else as it is."""
    if not isinstance(steps, str):
        return steps
    return [step for line in _LINES.split(steps) if (step := without_bullet(line))]
