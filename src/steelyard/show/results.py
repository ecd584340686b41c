"""A finished evaluation for the terminal: the score, its interval, the metrics, the slices, what went wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from steelyard.errors import escape
from steelyard.records.runs import RunRecord
from steelyard.registry import is_bounded
from steelyard.show.methods import method_lines
from steelyard.show.unanswered import results_warnings
from steelyard.show.weak_slices import searched_lines, weak_lines, weak_slices

BAR = 20
LISTED = 5
TELLING = 1.2


def evaluation_text(
    path: Path, run: RunRecord, results: Mapping[str, Any], unknown_ids: Sequence[tuple[str, int]] = ()
) -> str:
    """Return what `steelyard eval` prints for people."""
    lines = [*results_lines(run, results)]
    if "mock" in run.flags:
        lines.insert(0, "DRY RUN: the mock model answers nothing: scores are unavailable, each item's too")
    cut = results.get("predictions", {}).get("truncated")
    if cut:
        lines.append(f"{cut} answers were cut at the token limit: `generation: {{max_new_tokens: …}}` in the task")
    if unknown_ids:
        total = results["predictions"]["unknown_ids"]
        shown = ", ".join(escape(found) for found, _ in unknown_ids[:3])
        lines.append(f"{total} predictions are for ids that are not in the dataset ({shown}…); they do not count")
    return "\n".join([*lines, "", f"run: {path}"])


def results_lines(run: RunRecord, results: Mapping[str, Any]) -> list[str]:
    """Return scorecard, metrics, slices and error tags as lines, and above them what must be known first."""
    warned = [f"warning: {line}" for line in results_warnings(run.name, results, dry="mock" in run.flags)]
    card = results["scorecard"]
    skipped = ", ".join(f"{count} {state}" for state, count in card["skipped"].items() if count)
    unparsed = card["states"]["unparsed"]
    facts = [
        f"{card['n_items']} items",
        *([skipped] if skipped else []),
        *([f"{unparsed} unparsed"] if unparsed else []),
    ]
    lines = [*warned, f"{escape(run.task)}: {', '.join(facts)}", ""]
    lines += metric_lines(results)
    lines += rule_lines(results)
    lines += attribution_lines(results)
    tags = results["error_tags"]
    if tags:
        listed = ", ".join(f"{escape(tag)} {count}" for tag, count in list(tags.items())[:8])
        lines += ["", f"error tags: {listed}"]
    return lines


def metric_lines(results: Mapping[str, Any]) -> list[str]:
    """Return one line per metric: value, interval, n; level and methods of the intervals stand once below them."""
    details = results["metric_details"]
    width = max((len(name) for name in details), default=0)
    lines = []
    for name, entry in details.items():
        if not entry["n"]:
            continue
        primary = " (primary)" if name == results["primary_metric"] else ""
        lines.append(
            f"  {escape(name).ljust(width)}  {number(entry['value'])}  {interval(entry)}  n={entry['n']}{primary}"
        )
    empty = [escape(name) for name, entry in details.items() if not entry["n"]]
    if empty:
        lines.append(f"  no item has a value for: {', '.join(empty)}")
    for name, reason in results["unavailable"].items():
        lines.append(f"  {escape(name).ljust(width)}  unavailable: {reason}")
    return [*lines, *method_lines(details)]


def rule_lines(results: Mapping[str, Any]) -> list[str]:
    """Return the pass rate of each format rule."""
    rules = results.get("format_rules", {})
    width = max((len(escape(name)) for name in rules), default=0)
    lines = [
        f"  {escape(name).ljust(width)}  {bar(entry['value'])}  {number(entry['value'])}  {interval(entry)}"
        for name, entry in rules.items()
    ]
    return ["", "format rules:", *lines, *method_lines(rules)] if lines else []


def attribution_lines(results: Mapping[str, Any]) -> list[str]:
    """Return slices, weak slices and the tags of hard examples, and the notice that goes with all of them."""
    lines = [*slice_lines(results), *weak_lines(results), *hard_lines(results)]
    told = [*lines, "", results["notice"]] if lines else []
    return told if weak_slices(results) else [*told, *searched_lines(results)]


def hard_lines(results: Mapping[str, Any]) -> list[str]:
    """Return which tags are over-represented among hard examples, as far as slices were asked for."""
    summary = results["hard_examples"]
    found = telling_tags(summary)[:LISTED]
    if "slices" not in results or not found:
        return []
    ties = ", ties in proportion" if summary["n_tied"] else ""
    said = f"more often among hard examples (counted, not tested{ties}):"
    share = "tied_share" if summary["n_tied"] else "hard_share"
    lines = [
        f"  {escape(entry['tag'])}: {percent(entry[share])} of hard examples, {percent(entry['item_share'])} of items"
        for entry in found
    ]
    return ["", said, *lines]


def telling_tags(summary: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the over-represented tags that are worth a person's time: a fifth more often than among all items."""
    return [
        entry
        for entry in summary["over_represented"]
        if min(entry["hard_share"], entry["tied_share"]) >= TELLING * entry["item_share"]
    ]


def percent(share: float) -> str:
    """Return a share in percent."""
    return f"{100 * share:.0f} %" if share >= 0.1 else f"{100 * share:.1f} %"


def slice_lines(results: Mapping[str, Any]) -> list[str]:
    """Return each slice as a bar with n and the primary's interval."""
    primary = results["primary_metric"]
    # A bar from 0 to 1 is for what cannot leave it: an error of 0.4 is no share.
    drawn = is_bounded(primary) is not False
    lines = []
    for key, values in results.get("slices", {}).items():
        lines += ["", f"{escape(primary)} by {escape(key)}:"]
        width = max(len(escape(value)) for value in values)
        for value, entry in values.items():
            name = escape(value).ljust(width)
            shown = f"{bar(entry[primary])}  " if drawn else ""
            lines.append(f"  {name}  {shown}{number(entry[primary])}  {interval(entry)}  n={entry['n']}")
    return lines


def number(value: float | None) -> str:
    """Return a value with four decimals, or `null`."""
    return "  null" if value is None else f"{value:.4f}"


def interval(entry: Mapping[str, Any]) -> str:
    """Return the ends of an interval in brackets."""
    if entry.get("ci_low") is None:
        return "[no interval]   "
    return f"[{entry['ci_low']:.4f}, {entry['ci_high']:.4f}]"


def bar(value: float | None) -> str:
    """Return a value in [0, 1] as a bar of twenty characters."""
    filled = 0 if value is None else round(value * BAR)
    return "█" * filled + "░" * (BAR - filled)
