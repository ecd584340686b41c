"""What the search for weak slices found, how it was tested, and what it could have found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steelyard.errors import escape

LISTED = 5
SIGNIFICANT = 0.05


def weak_slices(results: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the slices that are below the rest beyond chance."""
    return [
        entry for entry in results["worst_slices"] if entry["p_value"] is not None and entry["p_value"] <= SIGNIFICANT
    ]


def weak_lines(results: Mapping[str, Any]) -> list[str]:
    """Return the slices that are below the rest beyond chance, with how many were searched."""
    found = weak_slices(results)[:LISTED]
    width = max((len(escape(entry["slice"])) for entry in found), default=0)
    lines = [
        f"  {escape(entry['slice']).ljust(width)}  {entry['value']:.4f}  {entry['difference']:+.4f}"
        f"  n={entry['n']}  p={entry['p_value']:.2g}"
        for entry in found
    ]
    said = f"weak slices, against the rest ({tested(found[0])}):" if found else ""
    return ["", said, *lines, *(f"  {line}" for line in searched_lines(results)[1:])] if found else []


def tested(entry: Mapping[str, Any]) -> str:
    """Return how a weak slice was tested; runs made before permutation tests do not name sides."""
    if "sides" not in entry:
        return "p after Holm's correction"
    clustered = ", clusters count by the design effect" if entry["test"].endswith("design-effect") else ""
    return f"permutation test, one-sided, p after Holm's correction{clustered}"


def searched_lines(results: Mapping[str, Any]) -> list[str]:
    """Return how many slices were searched for weak ones, and what gap the smallest and the largest could show."""
    search = results.get("slice_search", {})
    if not search.get("n_slices"):
        return []
    found = "" if weak_slices(results) else ", none weak"
    many, smallest, largest = search["n_slices"], search["smallest"], search["largest"]
    parts = [_could_show(smallest), *([_could_show(largest)] if largest["n"] != smallest["n"] else [])]
    word = "slice" if many == 1 else "slices"
    return ["", f"{many:,} {word} searched{found}; with {search['power'] * 100:.0f} % power {', '.join(parts)}"]


def _could_show(entry: Mapping[str, Any]) -> str:
    gap = "no gap" if entry["gap"] is None else f"a gap of {entry['gap']:.2f}"
    return f"{entry['n']:,} items show {gap}"
