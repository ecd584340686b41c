"""Pieces that HTML reports are made of. All foreign text goes through `text` or `block`; nothing else escapes it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape as escape_html
from typing import Any

from steelyard.errors import escape
from steelyard.show.methods import method_lines

LONGEST = 4000


def text(value: object) -> str:
    """Return foreign text for one line: control characters spelled out, markup escaped."""
    return escape_html(escape(str(value)))


def block(value: str | None) -> str:
    """Return foreign text that keeps its lines, cut where it is very long; None is said to be none."""
    if value is None:
        return '<p class="text soft">no output</p>'
    lines = [text(line) for line in value[:LONGEST].split("\n")]
    rest = len(value) - LONGEST
    more = f'\n<span class="soft">… and {rest:,} more characters</span>' if rest > 0 else ""
    return f'<p class="text">{chr(10).join(lines)}{more}</p>'


def number(value: float | None) -> str:
    """Return a value as people read it: four decimals, or two where it is large; `null` where there is none."""
    if value is None:
        return "null"
    return f"{value:.4f}" if abs(value) < 10 else f"{value:,.2f}"


def ends(entry: Mapping[str, Any]) -> str:
    """Return an interval in brackets, or nothing."""
    if entry.get("ci_low") is None:
        return ""
    return f"[{number(entry['ci_low'])}, {number(entry['ci_high'])}]"


def methods(entries: Mapping[str, Mapping[str, Any]]) -> str:
    """Return level and methods of a table's intervals, once below it; nothing where there are none."""
    said = " ".join(line.strip() for line in method_lines(entries))
    return f'<p class="soft small">{text(said)}</p>' if said else ""


def percent(share: float) -> str:
    """Return a share in percent, for people and for widths."""
    return f"{100 * min(max(share, 0.0), 1.0):.2f}%"


def section(title: str, *parts: str, anchor: str = "") -> str:
    """Return a titled card, or nothing where it has no content."""
    content = "\n".join(part for part in parts if part)
    name = f' id="{anchor}"' if anchor else ""
    return f"<section{name}>\n<h2>{text(title)}</h2>\n{content}\n</section>" if content else ""


def notice(content: str) -> str:
    """Return a notice that stands out."""
    return f'<p class="notice">{text(content)}</p>' if content else ""


def chips(entries: Iterable[str], kind: str = "") -> str:
    """Return short texts side by side."""
    classes = f"chip {kind}".strip()
    listed = "".join(f'<span class="{classes}">{text(entry)}</span>' for entry in entries)
    return f'<div class="chips">{listed}</div>' if listed else ""


def dot_plot(entry: Mapping[str, Any]) -> str:
    """Return a value in [0, 1] as a dot on a line with its interval; other numbers have no such line."""
    value, low, high = entry.get("value"), entry.get("ci_low"), entry.get("ci_high")
    known = [end for end in (value, low, high) if end is not None]
    if value is None or min(known) < 0 or max(known) > 1:
        return ""
    return f'<div class="range">{whisker(low, high)}<span class="dot" style="left:{percent(value)}"></span></div>'


def bar(value: float | None, low: float | None, high: float | None) -> str:
    """Return a value in [0, 1] as a bar with its interval."""
    if value is None or not 0 <= value <= 1:
        return ""
    return f'<div class="range"><span class="fill" style="width:{percent(value)}"></span>{whisker(low, high)}</div>'


def whisker(low: float | None, high: float | None) -> str:
    """Return the line from one end of an interval to the other."""
    if low is None or high is None:
        return ""
    return f'<span class="whisker" style="left:{percent(low)};width:{percent(high - low)}"></span>'


def row(name: str, plot: str, value: str, note: str, kind: str = "") -> str:
    """Return one line of a list: name, plot, value, note."""
    return (
        f'<div class="row {kind}"><div class="name">{text(name)}</div><div class="plot">{plot}</div>'
        f'<div class="value">{text(value)}</div><div class="note">{note}</div></div>'
    )


def rows(listed: Sequence[str]) -> str:
    """Return lines that share their columns."""
    return f'<div class="rows">{"".join(listed)}</div>' if listed else ""


def table(header: Sequence[str], lines: Sequence[Sequence[str]], numeric: frozenset[int] = frozenset()) -> str:
    """Return a table whose cells are HTML already; columns in `numeric` stand to the right."""

    def cell(tag: str, place: int, content: str) -> str:
        return f"<{tag}{' class=num' if place in numeric else ''}>{content}</{tag}>"

    head = "".join(cell("th", place, text(name)) for place, name in enumerate(header))
    body = "".join(f"<tr>{''.join(cell('td', place, part) for place, part in enumerate(line))}</tr>" for line in lines)
    return f'<div class="scroll"><table class="plain"><tr>{head}</tr>{body}</table></div>' if lines else ""


# The style sheet of HTML reports: light and dark, for wide screens and for telephones, nothing from elsewhere.


STYLE = """
:root { color-scheme: light dark;
  --paper: #fbfaf8; --card: #ffffff; --ink: #1c2024; --soft: #5d656e; --line: #e4e1db; --track: #eeebe5;
  --accent: #2f6f6a; --accent-ink: #ffffff; --mark: #1c2024; --warn: #a3541b; --warn-paper: #fbf1e7;
  --scored: #2f6f6a; --unparsed: #c58a2b; --missing: #9aa0a6; --failed: #b4483a; --timeout: #7b5ea7; }
@media (prefers-color-scheme: dark) { :root {
  --paper: #14171a; --card: #1b1f23; --ink: #e6e7e8; --soft: #9aa3ab; --line: #2c3238; --track: #262b30;
  --accent: #57a69e; --accent-ink: #0d1413; --mark: #f2f3f4; --warn: #e0a46b; --warn-paper: #2b231b;
  --scored: #57a69e; --unparsed: #d9a650; --missing: #737b83; --failed: #d9766a; --timeout: #a48ccb; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI",
  Roboto, "Noto Sans", "Noto Sans CJK SC", sans-serif; font-variant-numeric: tabular-nums; }
main, header, footer { max-width: 1060px; margin: 0 auto; padding: 0 24px; }
header { padding-top: 40px; } footer { padding-bottom: 48px; color: var(--soft); font-size: 13px; }
h1 { font-size: 27px; line-height: 1.2; margin: 0 0 6px; overflow-wrap: anywhere; letter-spacing: -0.01em; }
h2 { font-size: 18px; margin: 0 0 14px; letter-spacing: -0.005em; } h3 { font-size: 14px; margin: 22px 0 8px; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 22px 24px 24px;
  margin: 18px 0; }
p { margin: 0 0 10px; } .soft { color: var(--soft); } .small { font-size: 13px; }
code, .mono { font: 12.5px/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "Noto Sans Mono", monospace;
  overflow-wrap: anywhere; }
.facts { display: flex; flex-wrap: wrap; gap: 4px 18px; color: var(--soft); font-size: 13px; margin: 0 0 8px; }
.facts b { color: var(--ink); font-weight: 550; overflow-wrap: anywhere; }
.hero { display: grid; grid-template-columns: auto 1fr; gap: 8px 40px; align-items: center; }
.score { font-size: 52px; line-height: 1; font-weight: 640; letter-spacing: -0.03em; }
.score small { display: block; font-size: 13px; line-height: 1.5; font-weight: 400; letter-spacing: 0;
  color: var(--soft); margin-top: 8px; }
.states { display: flex; height: 14px; border-radius: 7px; overflow: hidden; background: var(--track); gap: 1px; }
.states i { display: block; min-width: 3px; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 18px; font-size: 13px; color: var(--soft); margin-top: 8px; }
.legend i { display: inline-block; width: 9px; height: 9px; border-radius: 2px; margin-right: 6px; }
.scored { background: var(--scored); } .unparsed { background: var(--unparsed); }
.missing { background: var(--missing); } .failed { background: var(--failed); }
.timeout { background: var(--timeout); }
.rows { display: grid; grid-template-columns: fit-content(320px) minmax(120px, 1fr) max-content max-content;
  align-items: center; }
.row { display: contents; } .row > * { padding: 7px 20px 7px 0; border-top: 1px solid var(--line); height: 100%;
  display: flex; align-items: center; min-width: 0; }
.row:first-child > * { border-top: 0; } .row > .note { padding-right: 0; }
.name { overflow-wrap: anywhere; font-weight: 550; } .row.primary .name { color: var(--accent); }
.value { justify-content: flex-end; font-weight: 600; } .note { color: var(--soft); font-size: 13px; }
.range { position: relative; height: 22px; width: 100%; }
.range::before { content: ""; position: absolute; inset: 8px 0; border-radius: 3px; background: var(--track); }
.range .fill { position: absolute; top: 8px; bottom: 8px; left: 0; border-radius: 3px; background: var(--accent); }
.range .whisker { position: absolute; top: 10.5px; height: 1.5px; background: var(--mark); }
.range .whisker::before, .range .whisker::after { content: ""; position: absolute; top: -4px; width: 1.5px;
  height: 9px; background: var(--mark); } .range .whisker::after { right: 0; }
.range .dot { position: absolute; top: 7px; width: 8px; height: 8px; margin-left: -4px; border-radius: 4px;
  background: var(--accent); box-shadow: 0 0 0 1.5px var(--card); }
svg.losses { width: 100%; height: auto; display: block; margin: 8px 0 14px; }
svg.losses line { stroke: var(--line); } svg.losses text { fill: var(--soft); font-size: 13px; }
svg.losses polyline { fill: none; stroke-width: 2; stroke-linejoin: round; }
svg .loss0 { stroke: var(--accent); } svg .loss1 { stroke: var(--warn); } svg circle.loss0 { fill: var(--accent); }
svg circle.loss1 { fill: var(--warn); } .legend i.loss0 { background: var(--accent); }
.legend i.loss1 { background: var(--warn); }
.weak .fill { background: var(--failed); }
.notice { background: var(--warn-paper); color: var(--warn); border-radius: 8px; padding: 9px 13px; font-size: 13px;
  margin: 16px 0 0; }
.scroll { overflow-x: auto; margin: 0 -24px; padding: 0 24px; }
table { border-collapse: collapse; font-size: 13.5px; } th { font-weight: 550; text-align: left; color: var(--soft);
  font-size: 12.5px; padding: 6px 12px 6px 0; white-space: nowrap; vertical-align: bottom; }
td { padding: 6px 12px 6px 0; border-top: 1px solid var(--line); vertical-align: top; } .num { text-align: right; }
table.plain { width: 100%; }
table.heat th, table.heat td { padding: 0; border: 0; } table.heat td { min-width: 42px; height: 36px;
  text-align: center; vertical-align: middle; font-size: 12.5px; border: 1px solid var(--card); border-radius: 5px;
  background: color-mix(in oklab, var(--accent) calc(var(--heat) * 100%), var(--track)); padding: 0 5px; }
table.heat td.hot { color: var(--accent-ink); font-weight: 600; } table.heat td.off { background:
  color-mix(in oklab, var(--failed) calc(var(--heat) * 100%), var(--track)); }
table.heat th[scope=row] { text-align: right; vertical-align: middle; padding-right: 10px; position: sticky; left: 0;
  background: var(--card);
  max-width: 220px; overflow: hidden; text-overflow: ellipsis; }
table.heat th[scope=col] span { writing-mode: vertical-rl; transform: rotate(180deg); max-height: 150px;
  overflow: hidden; text-overflow: ellipsis; padding: 8px 0 0; display: inline-block; line-height: 40px; }
.chips { display: flex; flex-wrap: wrap; gap: 5px; } .chip { background: var(--track); border-radius: 5px;
  padding: 1px 8px; font-size: 12.5px; overflow-wrap: anywhere; } .chip.bad { color: var(--failed); }
details { border-top: 1px solid var(--line); } details:first-of-type { border-top: 0; }
summary { display: grid; grid-template-columns: 34px 74px 1fr; gap: 12px; padding: 9px 0; cursor: pointer;
  align-items: center; list-style: none; } summary::-webkit-details-marker { display: none; }
summary:hover .lead { color: var(--accent); } .rank { color: var(--soft); text-align: right; }
.lead { white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.more { border-top: 1px solid var(--line); } .more > summary { display: block; color: var(--accent); }
.lead b { font-weight: 550; color: var(--soft); padding-left: 10px; }
.chips + .chips { margin-top: 6px; } ul.small { padding-left: 18px; margin: 0 0 6px; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 12px 20px; padding: 2px 0 14px 46px; }
.pair > div { min-width: 0; } .pair .wide { grid-column: 1 / -1; }
.label { font-size: 12px; color: var(--soft); margin: 0 0 3px; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--paper); border: 1px solid var(--line);
  border-radius: 7px; padding: 8px 11px; font-size: 13.5px; margin: 0; max-height: 260px; overflow-y: auto; }
@media (max-width: 640px) {
  main, header, footer { padding: 0 14px; } header { padding-top: 24px; } section { padding: 16px 15px 18px; }
  .scroll { margin: 0 -15px; padding: 0 15px; }
  .hero { grid-template-columns: 1fr; gap: 18px; } .score { font-size: 44px; }
  .rows { display: block; }
  .row { display: grid; grid-template: "name value" auto "plot plot" auto "note note" auto / 1fr max-content;
    gap: 0 12px; border-top: 1px solid var(--line); padding: 8px 0 9px; } .row:first-child { border-top: 0; }
  .row > * { border-top: 0; padding: 0; height: auto; } .row > .name { grid-area: name; }
  .row > .value { grid-area: value; } .row > .plot { grid-area: plot; } .row > .note { grid-area: note; }
  .pair { grid-template-columns: 1fr; padding-left: 0; }
  summary { grid-template-columns: 22px 58px 1fr; gap: 8px; }
}
@media print { section { break-inside: avoid; } details { display: block; } }
"""
