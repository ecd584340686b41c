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
