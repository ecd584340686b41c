"""Seed 001's table of runs and slices: deltas below, their signs hanging to the left, in parts that fit a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from steelyard.errors import escape, excerpt
from steelyard.records.comparisons import NOT_AVAILABLE, Comparison, Delta, Figure
from steelyard.records.items import UNTAGGED
from steelyard.show.terminal import WIDTH


def table_lines(comparison: Comparison) -> list[str]:
    """Return seed 001's table: a row per run, a column per slice, the sign of a delta hanging to the left.

    Items without the tag are no column of the seed's; they stand among the paired slices below it.
    """
    columns = [
        (slice_title(key, row.value), row)
        for key, rows in comparison.slices.items()
        for row in rows
        if row.value != UNTAGGED
    ]
    header = ["Run", "Overall", *(excerpt(title) for title, _ in columns)]
    rows = [
        [escape(run), figure_text(comparison.overall[run]), *(figure_text(row.figures.get(run)) for _, row in columns)]
        for run in comparison.runs
    ]
    deltas = [
        [
            "Delta:" if len(comparison.candidates) == 1 else f"Delta {escape(run)}:",
            delta_text(comparison.deltas.get(run)),
            *(delta_text(row.deltas.get(run)) for _, row in columns),
        ]
        for run in comparison.candidates
    ]
    return _aligned(header, rows, deltas)


def slice_title(key: str, value: str) -> str:
    """Return `key=value`; the value of a cross-slice already says its keys."""
    return value if " & " in key and "=" in value else f"{key}={value}"


def _aligned(header: Sequence[str], rows: Sequence[Sequence[str]], deltas: Sequence[Sequence[str]]) -> list[str]:
    first = max(len(row[0]) for row in (header, *rows, *deltas)) + 2
    widths = [max(len(row[place]) for row in (header, *rows)) + 3 for place in range(1, len(header))]
    parts = [_part(first, widths, places, (header, *rows), deltas) for places in _fitting(first, widths)]
    return [line for place, part in enumerate(parts) for line in ([""] if place else []) + part]


def _fitting(first: int, widths: Sequence[int]) -> Iterator[list[int]]:
    """Yield the columns of each part of a table that is wider than a terminal."""
    places: list[int] = []
    taken = first + 2
    for place, width in enumerate(widths):
        if places and taken + width - 3 > WIDTH:
            yield places
            places, taken = [], first + 2
        places.append(place)
        taken += width
    yield places


def _part(
    first: int,
    widths: Sequence[int],
    places: Sequence[int],
    rows: Sequence[Sequence[str]],
    deltas: Sequence[Sequence[str]],
) -> list[str]:
    chosen, own = [0, *(place + 1 for place in places)], [widths[place] for place in places]
    # A delta starts one column to the left, so that its digits stand under the digits.
    return [
        *(_line([row[place] for place in chosen], [first, *own]) for row in rows),
        "",
        *(_line([row[place] for place in chosen], [first - 1, *own]) for row in deltas),
    ]


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return ("  " + "".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True))).rstrip()


def figure_text(figure: Figure | None) -> str:
    """Return a value to four decimals, or `N/A`."""
    return NOT_AVAILABLE if figure is None or figure.value is None else f"{figure.value:.4f}"


def delta_text(delta: Delta | None) -> str:
    """Return a delta with its sign to four decimals, or `N/A`."""
    return NOT_AVAILABLE if delta is None or delta.delta is None else signed(delta.delta)


def signed(value: float | None) -> str:
    """Return a number with its sign to four decimals, zero without one; `N/A` where there is none."""
    if value is None:
        return NOT_AVAILABLE
    text = f"{value:+.4f}"
    return " 0.0000" if text in ("+0.0000", "-0.0000") else text
