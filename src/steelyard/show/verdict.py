"""A verdict for people: every gate with its reason, and what to look at when it did not pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from steelyard.errors import Problem, escape, excerpt
from steelyard.records.comparisons import Difference
from steelyard.records.gates import Decision
from steelyard.records.verdicts import TaskVerdict, Verdict
from steelyard.show.comparison_files import text_cell
from steelyard.show.comparison_table import signed
from steelyard.show.identity import identity_lines
from steelyard.show.terminal import folded

LISTED_DRIFT = 12
LISTED_TAGS = 8


def verdict_text(verdict: Verdict) -> str:
    """Return a verdict as text for a terminal."""
    lines = [*_header(verdict), ""]
    lines += [line for entry in verdict.warnings for line in folded(f"warning: {escape(entry)}", hanging=2)]
    lines += [""] if verdict.warnings else []
    lines += _gate_lines(verdict)
    footer = [line for said in method_lines(verdict.decisions) for line in folded(said, indent=2, hanging=2)]
    lines += ["", *footer] if footer else []
    for part in verdict.tasks:
        lines += [*_difference_lines(part), *_repeat_lines(part)]
    if verdict.outcome != "pass":
        for part in verdict.tasks:
            lines += ["", *_task_lines(part, titled=len(verdict.tasks) > 1)]
        lines += ["", verdict.notice]
    return "\n".join(lines)


def _header(verdict: Verdict) -> list[str]:
    """Return what is held against what, each run by its name and its id."""
    policy = f"policy {escape(verdict.policy)}"
    if len(verdict.tasks) == 1:
        return folded(f"{compared(verdict.tasks[0])}, {policy}", hanging=2)
    parts = [f"  {escape(part.task)}: {compared(part)}" for part in verdict.tasks]
    return [f"{escape(verdict.name)}, {policy}", *parts]


def compared(part: TaskVerdict) -> str:
    """Return a run and its baseline, each by its name and its id."""
    run = f"{escape(part.run)} ({part.run_id})" if part.run_id else escape(part.run)
    if part.baseline is None:
        return run
    return f"{run} against {escape(part.baseline)}" + (f" ({part.baseline_id})" if part.baseline_id else "")


def method_lines(decisions: Sequence[Decision]) -> list[str]:
    """Return what intervals, p and "can show" mean, with levels and methods, once for the whole table."""
    methods = list(dict.fromkeys(entry.ci_method for entry in decisions if entry.ci_level is not None))
    said = []
    if any(methods):
        named = ", ".join(method for method in methods if method)
        said.append(f"delta in […]: the run minus its baseline lies there, 95 % sure ({named})")
    if any(entry.p_drop is not None for entry in decisions):
        said.append("p: how often an equally good run would look at least this much worse")
    if any(entry.detectable is not None for entry in decisions):
        said.append("can show: noticed in four of five cases, by a one-sided test (at 5 %, non_inferior at 2.5 %)")
    return said


def _gate_lines(verdict: Verdict) -> Iterator[str]:
    several = len({entry.task for entry in verdict.decisions}) > 1
    for entry in verdict.decisions:
        title = f"{entry.task}: {entry.gate}" if several else entry.gate
        advisory = " (advisory)" if entry.level == "advisory" else ""
        yield f"  {entry.outcome.upper():<10} {escape(title)}{advisory}"
        for said in (entry.reason, entry.context, f"-> {entry.hint}" if entry.hint else ""):
            yield from folded(said, indent=13, hanging=2)
    if verdict.lacking:
        yield f"  {verdict.lacking.reason}"
        yield f"  -> {verdict.lacking.hint}"


def _difference_lines(part: TaskVerdict) -> list[str]:
    """Return in what the run differs from its baseline; the model is what a gate is about, and stands in the header."""
    found = [entry for entry in part.contract.differences if entry.field != "model"]
    shown = [f"{entry.field}: {' and '.join(map(excerpt, _apart(entry)))}" for entry in found]
    return [*(f"  differs in {line}" for line in shown), *identity_lines(part)]


def _apart(entry: Difference) -> list[str]:
    """Return both values from a little before where they part: two prompts may differ in their last word."""
    sides = [str(entry.baseline), str(entry.candidate)]
    parted = (place for place, pair in enumerate(zip(*sides, strict=False)) if len({*pair}) > 1)
    shared = max(0, next(parted, min(map(len, sides))) - 20)
    return [f"…{side[shared:]}" if shared else side for side in sides]


def _repeat_lines(part: TaskVerdict) -> list[str]:
    """Return how many repeats there are of each item, where there are several."""
    if max(part.repeats, part.baseline_repeats) == 1:
        return []
    against = f", {escape(part.baseline)} {part.baseline_repeats}" if part.baseline else ""
    return [f"  repeats: {escape(part.run)} {part.repeats}{against}; an item counts with the mean of its repeats"]


def _task_lines(part: TaskVerdict, *, titled: bool) -> Iterator[str]:
    against = f" against {escape(part.baseline)}" if part.baseline else ""
    if titled:
        yield f"  {escape(part.task)} ({escape(part.run)}{against})"
    if part.drift:
        yield "  drift over shared items (+ improved, - regressed, = neither):"
        yield from (f"    {line}" for line in _drift_lines(part.drift))
    if part.error_tags:
        shown = ", ".join(_tag(entry) for entry in part.error_tags[:LISTED_TAGS])
        yield f"  error tags: {shown}"
    if part.failures:
        yield f"  failing items, top {len(part.failures)}:"
        for entry in part.failures:
            yield from folded(_failure(entry), indent=4, hanging=2)


def _drift_lines(drift: dict[str, Any]) -> Iterator[str]:
    rows = list(drift["metrics"].items())[:LISTED_DRIFT]
    for group in ("slices", "tags"):
        for key, values in drift[group].items():
            if group == "tags" and key in drift["slices"]:
                continue
            rows += [(f"{key}={value}" if "=" not in value else value, row) for value, row in values.items()]
    rows = [(name, row) for name, row in rows if (row["baseline"], row["current"]) != (None, None)][: 2 * LISTED_DRIFT]
    width = max((len(excerpt(name)) for name, _ in rows), default=0)
    for name, row in rows:
        values = f"{_number(row['baseline'])} -> {_number(row['current'])}  {signed(row['delta'])}"
        moved = f"+{row['improved']} -{row['regressed']} ={row['unchanged']}" if row["improved"] is not None else ""
        lower = "  (lower is better)" if row.get("direction") == "lower" else ""
        yield f"{excerpt(name):<{width}}  {values}  n {row['n']}  {moved}{lower}".rstrip()


def _number(value: float | None) -> str:
    return "N/A" if value is None else f"{value:.4f}"


def _tag(entry: dict[str, Any]) -> str:
    change = "" if entry["change"] is None else f" ({entry['change']:+d})"
    return f"{excerpt(entry['tag'])} {entry['current']}{change}"


def _failure(entry: dict[str, Any]) -> str:
    mark = "regressed " if entry["regressed"] else ""
    gates = f"[{escape(', '.join(entry['gates']))}] " if entry.get("gates") else ""
    return f"{excerpt(entry['item_id'])}  {gates}{mark}{entry['state']}: {excerpt(entry['scorecard']['explain'] or '')}"


def verdict_markdown(verdict: Verdict) -> str:
    """Return a verdict as Markdown, for a pull request or `$GITHUB_STEP_SUMMARY`."""
    lines = [f"## Steelyard: {verdict.line}", ""]
    lines += [f"> **Warning:** {text_cell(entry)}\n" for entry in verdict.warnings]
    lines += [*(text_cell(line.strip()) for line in _header(verdict)), ""]
    lines += [
        _row(["Verdict", "Task", "Gate", "Why"]),
        "| --- | --- | --- | --- |",
        *(_row([_word(entry), entry.task, entry.gate, _why(entry)]) for entry in verdict.decisions),
    ]
    if verdict.lacking:
        lines += ["", f"{text_cell(verdict.lacking.reason)} → {text_cell(verdict.lacking.hint)}"]
    lines += [f"\n{text_cell(line)}" for line in method_lines(verdict.decisions)]
    for part in verdict.tasks:
        lines += [f"\n{text_cell(line.strip())}" for line in _difference_lines(part)]
    if verdict.outcome != "pass":
        for part in verdict.tasks:
            lines += _markdown_task(part)
    return "\n".join([*lines, "", f"> {verdict.notice}", ""])


def refusal_markdown(line: str, problems: Sequence[Problem]) -> str:
    """Return what kept a gate from being held, as Markdown."""
    rows = [_row([problem.code, problem.message, problem.hint]) for problem in problems]
    return "\n".join(
        [f"## Steelyard: {line}", "", _row(["Error", "What", "What to do"]), "| --- | --- | --- |", *rows, ""]
    )


def _why(entry: Decision) -> str:
    context = f"; {entry.context}" if entry.context else ""
    return f"{entry.reason}{context} → {entry.hint}" if entry.hint else f"{entry.reason}{context}"


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
