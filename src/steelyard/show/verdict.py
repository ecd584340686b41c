"""A verdict for people: every gate with its reason, and what to look at when it did not pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from steelyard.errors import escape, excerpt
from steelyard.records.gates import Decision
from steelyard.records.verdicts import TaskVerdict, Verdict
from steelyard.show.comparison import signed
from steelyard.show.comparison_files import text_cell

LISTED_DRIFT = 12
LISTED_TAGS = 8


def verdict_text(verdict: Verdict) -> str:
    """Return a verdict as text for a terminal."""
    lines = [f"{escape(verdict.name)}, policy {escape(verdict.policy)}", ""]
    lines += [f"  {line}" for line in _gate_lines(verdict)]
    if verdict.outcome != "pass":
        for part in verdict.tasks:
            lines += ["", *_task_lines(part, titled=len(verdict.tasks) > 1)]
        lines += ["", verdict.notice]
    return "\n".join(lines)


def _gate_lines(verdict: Verdict) -> Iterator[str]:
    several = len({entry.task for entry in verdict.decisions}) > 1
    titles = [f"{entry.task}: {entry.gate}" if several else entry.gate for entry in verdict.decisions]
    width = min(80, max((len(escape(title)) for title in titles), default=0))
    for entry, title in zip(verdict.decisions, titles, strict=True):
        word = entry.outcome.upper()
        advisory = " (advisory)" if entry.level == "advisory" else ""
        yield f"{word:<10} {escape(title):<{width}}  {entry.reason}{advisory}"
    if not verdict.decisions:
        yield "no gate applies to this run, and no gates decide nothing"


def _task_lines(part: TaskVerdict, *, titled: bool) -> Iterator[str]:
    against = f" against {escape(part.baseline)}" if part.baseline else ""
    if titled:
        yield f"  {escape(part.task)} ({escape(part.run)}{against})"
    for entry in part.contract.differences:
        yield f"  differs in {entry.field}: {excerpt(str(entry.baseline))} and {excerpt(str(entry.candidate))}"
    if part.drift:
        yield "  drift over shared items:"
        yield from (f"    {line}" for line in _drift_lines(part.drift))
    if part.error_tags:
        shown = ", ".join(_tag(entry) for entry in part.error_tags[:LISTED_TAGS])
        yield f"  error tags: {shown}"
    if part.failures:
        yield f"  failing items, top {len(part.failures)}:"
        yield from (f"    {_failure(entry)}" for entry in part.failures)


def _drift_lines(drift: dict[str, Any]) -> Iterator[str]:
    rows = list(drift["metrics"].items())[:LISTED_DRIFT]
    for group in ("slices", "tags"):
        for key, values in drift[group].items():
            rows += [(f"{key}={value}" if "=" not in value else value, row) for value, row in values.items()]
    rows = rows[: 2 * LISTED_DRIFT]
    width = max((len(excerpt(name)) for name, _ in rows), default=0)
    for name, row in rows:
        values = f"{_number(row['baseline'])} -> {_number(row['current'])}  {signed(row['delta'])}"
        moved = f"+{row['improved']} -{row['regressed']} ={row['unchanged']}" if row["improved"] is not None else ""
        yield f"{excerpt(name):<{width}}  {values}  n {row['n']}  {moved}".rstrip()


def _number(value: float | None) -> str:
    return "N/A" if value is None else f"{value:.4f}"


def _tag(entry: dict[str, Any]) -> str:
    change = "" if entry["change"] is None else f" ({entry['change']:+d})"
    return f"{excerpt(entry['tag'])} {entry['current']}{change}"


def _failure(entry: dict[str, Any]) -> str:
    mark = "regressed " if entry["regressed"] else ""
    return f"{excerpt(entry['item_id'])}  {mark}{entry['state']}: {excerpt(entry['scorecard']['explain'] or '')}"


def verdict_markdown(verdict: Verdict) -> str:
    """Return a verdict as Markdown, for a pull request or `$GITHUB_STEP_SUMMARY`."""
    lines = [f"## Steelyard: {verdict.line}", "", f"{text_cell(verdict.name)}, policy `{escape(verdict.policy)}`", ""]
    lines += [
        _row(["Verdict", "Task", "Gate", "Why"]),
        "| --- | --- | --- | --- |",
        *(_row([_word(entry), entry.task, entry.gate, entry.reason]) for entry in verdict.decisions),
    ]
    if verdict.outcome != "pass":
        for part in verdict.tasks:
            lines += _markdown_task(part)
    return "\n".join([*lines, "", f"> {verdict.notice}", ""])


def _word(entry: Decision) -> str:
    return f"{entry.outcome} (advisory)" if entry.level == "advisory" else entry.outcome


def _markdown_task(part: TaskVerdict) -> Iterator[str]:
    against = f" against {text_cell(part.baseline)}" if part.baseline else ""
    yield from ("", f"### {text_cell(part.task)}: {text_cell(part.run)}{against}", "")
    if part.drift:
        yield from (_row(["Metric", "Baseline", "Current", "Delta", "n", "Improved", "Regressed"]),)
        yield "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
        for name, row in part.drift["metrics"].items():
            values = [_number(row["baseline"]), _number(row["current"]), signed(row["delta"]).strip()]
            yield _row([name, *values, str(row["n"]), str(row["improved"]), str(row["regressed"])])
        yield ""
    if part.error_tags:
        yield f"Error tags: {', '.join(text_cell(_tag(entry)) for entry in part.error_tags[:LISTED_TAGS])}"
        yield ""
    if part.failures:
        yield "<details><summary>Failing items</summary>"
        yield ""
        yield from (f"- {text_cell(_failure(entry))}" for entry in part.failures)
        yield from ("", "</details>")


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(text_cell(cell) for cell in cells) + " |"
