"""What the search for weak slices found, how it was tested, and what it could have found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from steelyard.errors import escape
from steelyard.show.terminal import folded

LISTED = 5
SIGNIFICANT = 0.05
POWER = 0.8


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
    if not found:
        return []
    tests = folded(f"p: {tested(found[0])}", indent=2)
    searched = (f"  {line}" for line in searched_lines(results)[1:])
    return ["", "weak slices (value, difference from all other items):", *lines, *tests, *searched]


def tested(entry: Mapping[str, Any]) -> str:
    """Return how a weak slice was tested; runs made before permutation tests do not name sides."""
    if "sides" not in entry:
        return "after Holm's correction over all slices"
    clustered = ", clusters count by the design effect" if entry["test"].endswith("design-effect") else ""
    return f"permutation test, one-sided, after Holm's correction over all slices{clustered}"


def searched_lines(results: Mapping[str, Any]) -> list[str]:
    """Return how many slices were searched for weak ones, and what gap the smallest and the largest could show."""
    search = results.get("slice_search", {})
    if not search.get("n_slices"):
        return []
    found = "" if weak_slices(results) else ", none weak"
    many, sizes = search["n_slices"], [search["smallest"], search["largest"]]
    parts = [_could_find(entry) for entry in (sizes if sizes[0]["n"] != sizes[1]["n"] else sizes[:1])]
    could = f"what is found in {_cases(search['power'])}: {', '.join(parts)}"
    if all(entry["gap"] is None for entry in sizes):
        could = f"all have too few items for any to be found in {_cases(search['power'])}"
    return ["", *folded(f"{many:,} {'slice' if many == 1 else 'slices'} searched{found}; {could}")]


def _could_find(entry: Mapping[str, Any]) -> str:
    gap = "are too few" if entry["gap"] is None else f"{entry['gap']:.2f} or more below the rest"
    return f"{entry['n']:,} items {gap}"


def _cases(power: float) -> str:
    return "four of five cases" if power == POWER else f"{100 * power:.0f} % of cases"
