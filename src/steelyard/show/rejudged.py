"""What became of a baseline's figures when its run was judged again: the old beside the new."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steelyard.errors import escape
from steelyard.records.runs import BaselineFigures
from steelyard.show.html_parts import number


def rejudged_lines(before: BaselineFigures | None, results: Mapping[str, Any]) -> list[str]:
    """Return a line for each figure of a baseline; nothing for a run that no baseline names."""
    if before is None:
        return []
    named = f"the run is the baseline {', '.join(map(escape, before.names))}"
    if not before.metrics:
        return ["", f"{named}; what it said before could not be read"]
    figures = before.beside(results)
    width = max(len(escape(name)) for name in figures)
    lines = [f"  {escape(name).ljust(width)}  {number(old)} -> {number(new)}" for name, (old, new) in figures.items()]
    changed = sum(old != new for old, new in figures.values())
    return ["", f"{named}; {changed} of its {len(figures)} figures changed, before -> now:", *lines]


def rejudged_content(before: BaselineFigures | None, results: Mapping[str, Any]) -> dict[str, Any]:
    """Return the same for JSON, under `baseline`; nothing for a run that no baseline names."""
    if before is None:
        return {}
    figures = {name: {"old": old, "new": new} for name, (old, new) in before.beside(results).items()}
    return {"baseline": {"names": list(before.names), "figures": figures}}
