"""A comparison as CSV and as Markdown."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

from steelyard.errors import escape
from steelyard.records.columns import defuse
from steelyard.records.comparisons import Comparison, comparison_rows
from steelyard.show.comparison import conclusion, could_show, method_said, p_said, runs_said
from steelyard.show.comparison_table import delta_text, figure_text, signed, slice_title


def comparison_csv(comparison: Comparison) -> str:
    """Return one row per run and slice, the notice in the first; cells that a spreadsheet would run are defused."""
    stream = io.StringIO()
    rows = comparison_rows(comparison)
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([*rows[0], "notice"])
    for place, row in enumerate(rows):
        notice = comparison.notice if place == 0 else ""
        writer.writerow([*(_cell(value) for value in row.values()), notice])
    return stream.getvalue()


def _cell(value: object) -> str:
    return "" if value is None else defuse(value) if isinstance(value, str) else repr(value)


def comparison_markdown(comparison: Comparison) -> str:
    """Return the comparison as Markdown."""
    lines = [f"> {text_cell(entry)}\n" for entry in comparison.warnings]
    lines += [f"## {text_cell(comparison.metric)}: {' against '.join(_named(comparison))}", ""]
    lines += [
        f"- differs in {entry.field}: `{code_cell(entry.baseline)}` and `{code_cell(entry.candidate)}`"
        for entry in comparison.contract.differences
    ]
    lines += [f"- {text_cell(said)}" for said in runs_said(comparison)]
    lines += ["", *_table(comparison), "", *_paired(comparison)]
    lines += [f"\n{text_cell(said)}" for said in method_said(comparison)]
    for run, parts in comparison.attribution.items():
        split = ", ".join(f"{name} {signed(getattr(parts, name)).strip()}" for name in _PARTS)
        lines += ["", f"**Cause of the change in {text_cell(run)}**: {split}; total {signed(parts.total).strip()}."]
        if parts.n_unanswered:
            effect = signed(parts.unanswered).strip()
            lines += [f"Of coverage, {effect} are {parts.n_unanswered} items without an answer."]
    return "\n".join([*lines, "", f"> {comparison.notice}", ""])


_PARTS = ("model", "scorer", "data", "coverage")


def _named(comparison: Comparison) -> tuple[str, str]:
    return ", ".join(map(text_cell, comparison.candidates)), text_cell(comparison.baseline)


def _table(comparison: Comparison) -> list[str]:
    columns = [(key, row) for key, rows in comparison.slices.items() for row in rows]
    header = ["Run", "Overall", *(slice_title(key, row.value) for key, row in columns)]
    lines = [_row(header), _row(["---", *("---:" for _ in header[1:])])]
    for run in comparison.runs:
        cells = [figure_text(comparison.overall[run]), *(figure_text(row.figures.get(run)) for _, row in columns)]
        lines.append(_row([run, *cells]))
    for run in comparison.candidates:
        deltas = [comparison.deltas[run], *(row.deltas.get(run) for _, row in columns)]
        title = "Delta" if len(comparison.candidates) == 1 else f"Delta {run}"
        lines.append(_row([title, *(delta_text(delta) for delta in deltas)]))
    return lines


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(text_cell(cell) for cell in cells) + " |"


def _paired(comparison: Comparison) -> Iterator[str]:
    for run in comparison.candidates:
        paired = comparison.deltas[run].paired
        low, high = signed(paired.ci_low).strip(), signed(paired.ci_high).strip()
        ends = f" [{low}, {high}]" if paired.ci_low is not None else ""
        yield (
            f"- {text_cell(run)} on {paired.n} shared items: {signed(paired.delta).strip()}{ends}, "
            f"{conclusion(comparison, run)}p = {p_said(comparison, run)}; {paired.improved} improved, "
            f"{paired.regressed} regressed, {paired.unchanged} unchanged; {could_show(comparison, run)}".rstrip("; ")
        )


def text_cell(text: str) -> str:
    """Return foreign text as Markdown text: nothing in it formats, links or leaves its cell."""
    safe = escape(text.strip()).replace("\\", "\\\\").replace("&", "&amp;").replace("<", "&lt;")
    for mark in "|`*_[]#":
        safe = safe.replace(mark, f"\\{mark}")
    # CI commands are read from the start of a line only, and GitHub reads a summary as Markdown.
    return safe.replace("::", ":\u200b:")


def code_cell(value: object) -> str:
    """Return a value for a code span."""
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return escape(text).replace("`", "'").replace("|", "\\|")
