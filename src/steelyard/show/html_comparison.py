"""Two runs side by side in an HTML report: the difference, where it is, and the items that changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from steelyard.records.comparisons import ChangedItem, Comparison, ItemChanges, Paired
from steelyard.show import html_parts as parts
from steelyard.show.comparison import conclusion, could_show, method_said, runs_said
from steelyard.show.html_parts import number, text


def comparison_section(comparison: Comparison) -> str:
    """Return the first candidate against the baseline."""
    run = comparison.candidates[0]
    changes = comparison.items.get(run, ItemChanges())
    attributed = bool(comparison.slices) or bool(changes.over_represented)
    return parts.section(
        f"Against {comparison.baseline}",
        *(parts.notice(entry) for entry in comparison.warnings),
        _headline(comparison, run),
        _contract(comparison),
        *(_slices(comparison, key, run) for key in comparison.slices),
        *(f'<p class="soft small">{text(said)}</p>' for said in method_said(comparison)),
        parts.notice(comparison.notice) if attributed else "",
        _changed("Regressed items", changes.regressed),
        _changed("Fixed items", changes.fixed),
        anchor="comparison",
    )


def _headline(comparison: Comparison, run: str) -> str:
    paired = comparison.deltas[run].paired
    sure = (
        f"95 % interval {_ends(paired)} ({text(paired.method)})" if paired.ci_low is not None else text(paired.reason)
    )
    facts = [
        f"{text(comparison.metric)}, candidate minus baseline, over {paired.n:,} shared items",
        f"{sure} · {text(conclusion(comparison, run))}{_chance(paired)}",
        *map(text, runs_said(comparison)),
        f"{paired.improved:,} better · {paired.regressed:,} worse · {paired.unchanged:,} unchanged",
    ]
    could = could_show(comparison, run)
    facts += [text(could)] if could else []
    return f'<div class="score">{signed(paired.delta)}<small>{"<br>".join(facts)}</small></div>'


def signed(value: float | None) -> str:
    """Return a difference with its sign."""
    return "null" if value is None else f"{value:+.4f}"


def _ends(paired: Paired) -> str:
    return f"[{signed(paired.ci_low)}, {signed(paired.ci_high)}]"


def _chance(paired: Paired) -> str:
    return "" if paired.p_value is None else f"p={paired.p_value:.2g} ({text(paired.test)}, two-sided)"


def _contract(comparison: Comparison) -> str:
    lines = [
        [text(entry.field), text(entry.baseline), text(entry.candidate)] for entry in comparison.contract.differences
    ]
    return f"<h3>What else differs</h3>{parts.table(['setting', 'baseline', 'candidate'], lines)}" if lines else ""


def _slices(comparison: Comparison, key: str, run: str) -> str:
    lines = []
    for row in comparison.slices[key]:
        paired = row.deltas[run].paired if run in row.deltas else None
        known = paired if paired is not None and paired.delta is not None else None
        lines.append(
            [
                text(row.value),
                f"{known.n:,}" if known else "",
                *(_figure(row.figures.get(name)) for name in (comparison.baseline, run)),
                f"{signed(known.delta)} {_ends(known) if known.ci_low is not None else ''}" if known else "N/A",
                f"{known.p_holm:.2g}" if known and known.p_holm is not None else "",
            ]
        )
    tested = [row.deltas[run].paired for row in comparison.slices[key] if run in row.deltas]
    tests = max((entry.tests for entry in tested), default=1)
    test = next((entry.test for entry in tested if entry.p_value is not None), "no test")
    header = [key, "shared", "baseline", "candidate", "delta", f"p ({test}, Holm over {tests} tests)"]
    return f"<h3>By {text(key)}</h3>{parts.table(header, lines, frozenset({1, 2, 3, 5}))}"


def _figure(figure: Any) -> str:
    return "N/A" if figure is None else number(figure.value)


def _changed(title: str, items: Sequence[ChangedItem]) -> str:
    listed = "".join(_item(entry) for entry in items)
    return f"<h3>{title}</h3>{listed}" if listed else ""


def _item(entry: ChangedItem) -> str:
    moved = f"{number(entry.baseline_score)} → {number(entry.candidate_score)}"
    expected = entry.candidate.get("expected") or entry.baseline.get("expected")
    return (
        f'<details><summary><span class="rank"></span><b>{signed(entry.candidate_score - entry.baseline_score)}</b>'
        f'<span class="lead">{text(entry.item_id)}<b>{moved}</b></span></summary><div class="pair">'
        f"<div>{_side('baseline', entry.baseline)}</div><div>{_side('candidate', entry.candidate)}</div>"
        f'<div class="wide"><p class="label">reference</p>{parts.block(_shown(expected))}</div></div></details>'
    )


def _side(name: str, item: Mapping[str, Any]) -> str:
    return f'<p class="label">{name}</p>{parts.block(_shown(item.get("output", item.get("predicted"))))}'


def _shown(value: Any) -> str | None:
    return None if value is None else str(value)
