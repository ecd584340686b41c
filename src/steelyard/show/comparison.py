"""A comparison for people: seed 001's table, what stands above it and what it means."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from steelyard.errors import escape, excerpt
from steelyard.records.comparisons import (
    NOT_AVAILABLE,
    Attribution,
    ChangedItem,
    Comparison,
    Delta,
    Difference,
    Figure,
    ItemChanges,
    SliceRow,
)
from steelyard.records.items import UNTAGGED
from steelyard.registry import is_bounded

LISTED = 5


def comparison_text(comparison: Comparison) -> str:
    """Return a comparison as text for a terminal."""
    lines = [f"warning: {escape(entry)}" for entry in comparison.warnings]
    lines += [f"{escape(comparison.metric)} ({comparison.direction or 'no direction'} is better)"]
    lines += [f"  differs: {_difference(entry)}" for entry in comparison.contract.differences]
    lines += [f"  {said}" for said in runs_said(comparison)]
    lines += ["", *table_lines(comparison), ""]
    for run in comparison.candidates:
        lines += [*_paired_lines(comparison, run), *_item_lines(comparison.items.get(run, ItemChanges()))]
        if run in comparison.attribution:
            lines += _attribution_lines(comparison.attribution[run])
        lines.append("")
    lines += [*_slice_lines(comparison), *_method_lines(comparison), *_setting_lines(comparison)]
    return "\n".join([*lines, comparison.notice])


def runs_said(comparison: Comparison) -> list[str]:
    """Return how many items the runs left unanswered, and how many repeats they have, where there are any."""
    found = []
    if any(comparison.unanswered.values()):
        found.append(f"unanswered: {', '.join(_unanswered(comparison, run) for run in comparison.runs)}")
    if max(comparison.repeats.values(), default=1) > 1:
        counts = ", ".join(f"{escape(run)} {comparison.repeats.get(run, 1)}" for run in comparison.runs)
        found.append(f"repeats: {counts}; an item counts with the mean of its repeats")
    return found


def _unanswered(comparison: Comparison, run: str) -> str:
    states = comparison.unanswered.get(run, {})
    listed = f" ({', '.join(f'{count} {name}' for name, count in states.items())})" if states else ""
    return f"{escape(run)} {sum(states.values())} of {comparison.n_items[run]}{listed}"


def method_said(comparison: Comparison) -> str:
    """Return level and method of the intervals, and the sides of the tests, once for all of them."""
    paired = [delta.paired for delta in comparison.deltas.values()]
    paired += [d.paired for rows in comparison.slices.values() for row in rows for d in row.deltas.values()]
    methods = list(dict.fromkeys(entry.method for entry in paired if entry.ci_low is not None))
    said = [f"intervals: 95 %, {', '.join(methods)}"] if methods else []
    tested = any(entry.p_value is not None for entry in paired)
    return "; ".join([*said, *(["p: two-sided"] if tested else [])])


def _method_lines(comparison: Comparison) -> list[str]:
    said = method_said(comparison)
    return [f"  {said}", ""] if said else []


def _difference(entry: Difference) -> str:
    return f"{entry.field}: {_value(entry.baseline)} -> {_value(entry.candidate)}"


def _value(value: Any) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return excerpt(text)


def table_lines(comparison: Comparison) -> list[str]:
    """Return seed 001's table: a row per run, a column per slice, the sign of a delta hanging to the left."""
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
    widths = [first, *(max(len(row[place]) for row in (header, *rows)) + 3 for place in range(1, len(header)))]
    # A delta starts one column to the left, so that its digits stand under the digits.
    shifted = [first - 1, *widths[1:]]
    return [
        *(_line(row, widths) for row in (header, *rows)),
        "",
        *(_line(row, shifted) for row in deltas),
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


def _paired_lines(comparison: Comparison, run: str) -> Iterator[str]:
    paired = comparison.deltas[run].paired
    if paired.delta is None:
        yield f"  {escape(run)}: {paired.reason or 'no items are in both runs'}"
        return
    interval = f" [{signed(paired.ci_low)}, {signed(paired.ci_high)}]" if paired.ci_low is not None else ""
    yield f"  {escape(run)} on {paired.n} shared items: {signed(paired.delta).strip()}{interval}"
    yield f"    {p_said(comparison, run)}"
    yield f"    {paired.improved} improved, {paired.regressed} regressed, {paired.unchanged} unchanged"
    detectable = paired.minimum_detectable
    if detectable is not None:
        few = too_few(comparison.metric, detectable)
        shown = "are too few to show any difference" if few else f"can show a delta of {detectable:.4f}"
        yield f"    these items {shown} (80 % power)"


def p_said(comparison: Comparison, run: str) -> str:
    """Return the p of a candidate with its test, and what Holm makes of it where there are several candidates."""
    paired = comparison.deltas[run].paired
    said = f"p = {p_text(paired.p_value)} ({paired.test})"
    if len(comparison.candidates) == 1 or paired.p_holm is None:
        return said
    return f"{said}, {p_text(paired.p_holm)} by Holm over {paired.tests} candidates"


def too_few(metric: str, detectable: float) -> bool:
    """Return whether items that can show this delta show none: it is wider than from the worst value to the best."""
    return detectable > 1 and is_bounded(metric) is not False


def p_text(value: float | None) -> str:
    """Return a p-value with the digits that matter."""
    return NOT_AVAILABLE if value is None else f"{value:.4f}" if value >= 0.0001 else f"{value:.1e}"


def _item_lines(changes: ItemChanges) -> Iterator[str]:
    for name in ("edited", "added", "removed"):
        ids: tuple[str, ...] = getattr(changes, name)
        count: int = getattr(changes, f"n_{name}")
        if count:
            more = f" and {count - LISTED} more" if count > LISTED else ""
            yield f"    {name}: {count} items, not paired: {', '.join(map(excerpt, ids[:LISTED]))}{more}"
    for title, entries in (("regressed", changes.regressed), ("fixed", changes.fixed)):
        if entries:
            yield f"    {title}:"
            yield from (f"      {_changed(entry)}" for entry in entries[:LISTED])
    for tag in changes.over_represented[:3]:
        share, overall = tag["share"], tag["item_share"]
        yield f"    {excerpt(tag['tag'])}: {share:.0%} of regressions, {overall:.0%} of shared items"


def _changed(entry: ChangedItem) -> str:
    scores = f"{entry.baseline_score:.4g} -> {entry.candidate_score:.4g}"
    outputs = " -> ".join(_short(_predicted(side)) for side in (entry.baseline, entry.candidate))
    return f"{excerpt(entry.item_id)}  {scores}  expected {_short(entry.candidate['expected'])}, got {outputs}"


def _predicted(side: Mapping[str, Any]) -> str | None:
    """Return what was predicted; of several repeats each answer with how many gave it."""
    if "repeats" not in side:
        return side.get("predicted")
    counts = Counter("nothing" if one["predicted"] is None else str(one["predicted"]) for one in side["repeats"])
    return ", ".join(f"{count}x {text}" for text, count in counts.most_common())


def _short(text: Any) -> str:
    shown = "nothing" if text is None else escape(str(text)[:41])
    return shown if len(shown) <= 40 else shown[:39] + "…"


def _attribution_lines(parts: Attribution) -> Iterator[str]:
    yield f"    of {signed(parts.total).strip()}, by cause ({parts.n_shared} items answered in both runs):"
    for name in ("model", "scorer", "data", "coverage"):
        yield f"      {name:<9} {signed(getattr(parts, name))}"
    if parts.n_unanswered:
        yield f"      of coverage, {signed(parts.unanswered).strip()} are {parts.n_unanswered} items without an answer"


def _slice_lines(comparison: Comparison) -> Iterator[str]:
    if not comparison.slices:
        return
    paired = [d.paired for rows in comparison.slices.values() for row in rows for d in row.deltas.values()]
    test = next((entry.test for entry in paired if entry.p_value is not None), "no test")
    tests = max((entry.tests for entry in paired), default=1)
    yield f"  slices, paired over shared items (p: {test}, by Holm over {tests} tests):"
    for key, rows in comparison.slices.items():
        for row in rows:
            yield from _slice_deltas(key, row)
    yield ""


def _slice_deltas(key: str, row: SliceRow) -> Iterator[str]:
    title = slice_title(key, row.value)
    for run, delta in row.deltas.items():
        paired = delta.paired
        values = " -> ".join(figure_text(figure) for figure in row.figures.values())
        shared = f"{signed(paired.delta).strip()} on {paired.n}, p = {p_text(paired.p_holm)}"
        counts = f"{paired.improved} improved, {paired.regressed} regressed"
        if not paired.n:
            yield f"    {excerpt(title)}: {values}; no shared items with {escape(run)}"
        else:
            yield f"    {excerpt(title)}: {escape(run)} {shared}; {counts}"


def _setting_lines(comparison: Comparison) -> Iterator[str]:
    if not comparison.config_diff:
        return
    yield "  configuration:"
    for key, values in list(comparison.config_diff.items())[:20]:
        yield f"    {excerpt(key)}: {' -> '.join(_value(values.get(run)) for run in comparison.runs)}"
    yield ""
