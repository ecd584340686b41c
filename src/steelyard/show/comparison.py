"""A comparison for people: seed 001's table, what stands above it and what it means."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from steelyard.errors import escape, excerpt
from steelyard.records.comparisons import (
    NOT_AVAILABLE,
    Attribution,
    ChangedItem,
    Comparison,
    Difference,
    ItemChanges,
    Paired,
    SliceRow,
)
from steelyard.registry import is_bounded
from steelyard.show.comparison_table import figure_text, signed, slice_title, table_lines
from steelyard.show.results import TELLING
from steelyard.show.terminal import folded
from steelyard.stats.detectable import TOO_FEW

LISTED = 5
SHOWN_LEVEL = 0.05
"""The two-sided level at which a difference is called shown."""


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


def method_said(comparison: Comparison) -> list[str]:
    """Return what intervals, p and "can show" mean, with levels and methods, once for all of them."""
    paired = [delta.paired for delta in comparison.deltas.values()]
    paired += [d.paired for rows in comparison.slices.values() for row in rows for d in row.deltas.values()]
    methods = list(dict.fromkeys(entry.method for entry in paired if entry.ci_low is not None))
    said = []
    if methods:
        named = ", ".join(methods)
        said.append(f"in [ ]: where the difference lies for all items like these, 95 % sure ({named})")
    if any(entry.p_value is not None for entry in paired):
        said.append("p: how often chance alone makes so large a difference (two-sided); shown: p under 0.05")
    if any("can show" in could_show(comparison, run) for run in comparison.deltas):
        said.append("can show: found in four of five cases, at p under 0.05")
    return said


def _method_lines(comparison: Comparison) -> list[str]:
    said = [line for entry in method_said(comparison) for line in folded(entry, indent=2, hanging=8)]
    return [*said, ""] if said else []


def _difference(entry: Difference) -> str:
    return f"{entry.field}: {_value(entry.baseline)} -> {_value(entry.candidate)}"


def _value(value: Any) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return excerpt(text)


def _paired_lines(comparison: Comparison, run: str) -> Iterator[str]:
    paired = comparison.deltas[run].paired
    if paired.delta is None:
        yield f"  {escape(run)}: {paired.reason or 'no items are in both runs'}"
        return
    interval = f" [{signed(paired.ci_low)}, {signed(paired.ci_high)}]" if paired.ci_low is not None else ""
    yield f"  {escape(run)} on {paired.n} shared items: {signed(paired.delta).strip()}{interval}"
    yield from folded(f"{conclusion(comparison, run)}p = {p_said(comparison, run)}", indent=4, hanging=2)
    yield f"    {paired.improved} improved, {paired.regressed} regressed, {paired.unchanged} unchanged"
    could = could_show(comparison, run)
    if could:
        yield f"    {could}"


def conclusion(comparison: Comparison, run: str) -> str:
    """Return in words whether the test shows a difference, and which way; nothing where there is no test."""
    paired = comparison.deltas[run].paired
    p_value = paired.p_value if len(comparison.candidates) == 1 or paired.p_holm is None else paired.p_holm
    if p_value is None or paired.delta is None:
        return ""
    if p_value >= SHOWN_LEVEL:
        return "no difference shown: "
    cautious = ", though the interval, which is more careful, holds 0" if _holds_zero(paired) else ""
    if comparison.direction is None:
        return f"shown to differ{cautious}: "
    better = (paired.delta > 0) != (comparison.direction == "lower")
    return f"shown to be {'better' if better else 'worse'}{cautious}: "


def _holds_zero(paired: Paired) -> bool:
    return paired.ci_low is not None and paired.ci_high is not None and paired.ci_low <= 0 <= paired.ci_high


def could_show(comparison: Comparison, run: str) -> str:
    """Return what difference so many items could have shown."""
    paired = comparison.deltas[run].paired
    shown = paired.minimum_detectable
    if paired.reason == TOO_FEW or (shown is not None and too_few(comparison.metric, shown)):
        return f"{paired.n} items are too few to show any difference"
    if shown is None:
        return ""
    return f"{paired.n} items can show a difference of {shown:.4f} or more"


def p_said(comparison: Comparison, run: str) -> str:
    """Return the p of a candidate with its test, and what Holm makes of it where there are several candidates."""
    paired = comparison.deltas[run].paired
    said = f"{p_text(paired.p_value)} ({paired.test})"
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
    telling = [tag for tag in changes.over_represented if tag["lift"] >= TELLING][:3]
    if telling:
        yield "    more often among regressed items (counted, not tested):"
        yield from (f"      {_share(tag)}" for tag in telling)


def _share(tag: Mapping[str, Any]) -> str:
    shares = f"{tag['share']:.0%} of regressed items, {tag['item_share']:.0%} of shared items"
    return f"{excerpt(tag['tag'])}: {shares}"


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
