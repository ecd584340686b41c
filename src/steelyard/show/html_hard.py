"""Hard examples in an HTML report: which tags they have too often, then one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.show import html_parts as parts
from steelyard.show.html_parts import number, text
from steelyard.show.results import telling_tags

OPEN, LISTED = 15, 50
LISTED_TAGS = 6
LEAD, SHORT = 200, 40


def hard_examples(results: Mapping[str, Any], examples: Sequence[Mapping[str, Any]]) -> str:
    """Return the hard examples of a run, worst first; the file beside the report has all of them."""
    if not examples:
        return ""
    summary = results["hard_examples"]
    tags = "".join(f"<li>{_over(entry, summary)}</li>" for entry in telling_tags(summary)[:LISTED_TAGS])
    return parts.section(
        "Hard examples",
        f'<p class="soft small">{text(_said(summary, len(examples)))}</p>',
        f'<ul class="small">{tags}</ul>{parts.notice(summary["notice"])}' if tags else "",
        _listed(examples),
        anchor="hard-examples",
    )


def _said(summary: Mapping[str, Any], count: int) -> str:
    said = f"The {count:,} items with the lowest {summary['primary_metric_name']}, worst first."
    if not summary["n_tied"]:
        return said
    return f"{said} {summary['n_tied']:,} more are as low as the last of them; the list has the first in dataset order."


def _listed(examples: Sequence[Mapping[str, Any]]) -> str:
    first = "".join(_example(entry) for entry in examples[:OPEN])
    further = "".join(_example(entry) for entry in examples[OPEN:LISTED])
    more = f'<details class="more"><summary>{len(examples[OPEN:LISTED]):,} more</summary>{further}</details>'
    hidden = len(examples) - LISTED
    rest = f'<p class="soft small">and {hidden:,} more in hard_examples.jsonl</p>' if hidden > 0 else ""
    return first + (more if further else "") + rest


def _over(entry: Mapping[str, Any], summary: Mapping[str, Any]) -> str:
    name, overall = f"<code>{text(entry['tag'])}</code>", share(entry["item_share"])
    if not summary["n_tied"]:
        return f"{name}: {share(entry['hard_share'])} of hard examples, {overall} of items"
    return f"{name}: {share(entry['tied_share'])} of hard examples, ties in proportion, {overall} of items"


def share(value: float) -> str:
    """Return a share in whole percent, with a decimal where it is small."""
    return f"{100 * value:.0f} %" if value >= 0.1 else f"{100 * value:.1f} %"


def _example(entry: Mapping[str, Any]) -> str:
    tags = parts.chips(f"{key}={value}" for key, value in entry["tags"].items())
    errors = parts.chips(entry["error_tags"], "bad")
    asked = f'<div class="wide">{_label("input", entry["item_id"])}{parts.block(entry["input"])}</div>'
    return (
        f'<details><summary><span class="rank">{entry["rank"]}</span><b>{number(entry["primary_metric"])}</b>'
        f'<span class="lead">{_lead(entry)}</span></summary><div class="pair">{asked if entry["input"] else ""}'
        f"<div>{_label('prediction', entry['state'])}{parts.block(entry['prediction'])}</div>"
        f"<div>{_label('reference', '')}{parts.block(entry['reference'])}</div>"
        f'<div class="wide">{tags}{errors}</div></div></details>'
    )


def _lead(entry: Mapping[str, Any]) -> str:
    """Return the line that stands for an example: its input, or what was answered where it has none."""
    answered = "no output" if entry["prediction"] is None else entry["prediction"][:LEAD]
    if entry["input"]:
        return f"{text(entry['input'][:LEAD])}<b>{text(answered[:SHORT])}</b>"
    return f"{text(answered)}<b>expected {text(entry['reference'][:SHORT])}</b>"


def _label(name: str, fact: str) -> str:
    return f'<p class="label">{text(name)}{" · " + text(fact) if fact else ""}</p>'
