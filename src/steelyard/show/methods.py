"""What the intervals of a table are: their level and method, once below it, in words for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steelyard.show.terminal import WIDTH, folded


def method_lines(entries: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return the lines below a table that say what its intervals are; none where there are none."""
    names: dict[tuple[float, str], list[str]] = {}
    for name, entry in entries.items():
        if entry.get("ci_low") is not None:
            names.setdefault((entry.get("level", 0.95), entry.get("method") or "of an older version"), []).append(name)
    if not names:
        return []
    level = max(names)[0]
    said = f"  in [ ]: where the value lies for all items like these, {100 * level:.3g} % sure"
    methods = f"({_methods(names)})"
    return [f"{said} {methods}"] if len(said) + len(methods) < WIDTH else [said, *folded(methods, indent=10)]


def _methods(names: Mapping[tuple[float, str], list[str]]) -> str:
    """Return the methods; where there are several, the first is that of whatever the others do not name."""
    ordered = sorted(names.items(), key=lambda entry: -len(entry[1]))
    (_, most), _ = ordered[0]
    return "; ".join([most, *(f"{', '.join(listed)}: {method}" for (_, method), listed in ordered[1:])])
