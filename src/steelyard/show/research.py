"""The report of evidence gates: text for people, JSON for machines.

Both come in pieces, because the facts of ten thousand runs are not held at once. JSON is ASCII, so that its bytes are
the same on every terminal and in every file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from steelyard.errors import escape, excerpt
from steelyard.show.methods import method_lines

LISTED = 20
"""How many entries of a list are printed before "and N more"."""
WIDE = 200
"""How much of an explanation is printed; the JSON report has all of it."""
_GATE_COLUMNS = ("gate", "value", "counts", "threshold", "status")


def research_json(
    report: Mapping[str, Any], objectives: Iterable[Mapping[str, Any]], run_lines: Iterable[bytes]
) -> Iterator[str]:
    """Yield the report as one JSON object, with objectives and then runs last, one on a line."""
    yield json.dumps(report, indent=2, ensure_ascii=True, allow_nan=False).removesuffix("\n}")
    yield from _json_list("objectives", objectives)
    yield from _json_list("runs", map(json.loads, run_lines))
    yield "\n}\n"


def _json_list(name: str, entries: Iterable[Any]) -> Iterator[str]:
    yield f',\n  "{name}": ['
    separator = "\n    "
    for entry in entries:
        yield separator + json.dumps(entry, ensure_ascii=True, allow_nan=False)
        separator = ",\n    "
    yield "]" if separator == "\n    " else "\n  ]"


def research_text(report: Mapping[str, Any], objectives: Iterable[Mapping[str, Any]] = ()) -> str:
    """Return the report as people read it."""
    if report["status"] == "SYSTEM_ERROR":
        return "\n".join([*_stopped(report), "", *_gates(report), ""])
    head = [_summary(report), _gates(report), _further(report), *_slices(report)]
    parts = [*head, _objectives(objectives), *_lists(report)]
    return "\n".join(line for part in parts if part for line in [*part, ""])


def _stopped(report: Mapping[str, Any]) -> list[str]:
    lines = ["Evidence gates: SYSTEM_ERROR", ""]
    for fault in report["missing_requirements"]:
        place = ":".join(str(part) for part in (fault["file"], fault["line"]) if part is not None)
        lines.append(f"  missing requirement {fault['requirement']}: {fault['meaning']}")
        lines.append(f"    {escape(place)}: {escape(fault['message'])}")
    return [*lines, *_more(report["total_missing"])]


def _summary(report: Mapping[str, Any]) -> list[str]:
    golden, outputs = report["golden"], report["outputs"]
    entries = f"{golden['entries']} golden {'query' if golden['entries'] == 1 else 'queries'}"
    queries = f"{entries} ({golden['insufficient']} without sufficient evidence)"
    runs = f"{outputs['runs']} run{'s' * (outputs['runs'] != 1)} ({len(report['unreadable_runs'])} unreadable)"
    return [f"Evidence gates: {report['status']}", f"{queries}, {runs}"]


def _gates(report: Mapping[str, Any]) -> list[str]:
    rows = [
        (gate["title"], _value(gate["value"]), f"{gate['numerator']}/{gate['denominator']}", gate["condition"])
        for gate in report["gates"]
    ]
    statuses = [gate["status"] for gate in report["gates"]]
    return _table(_GATE_COLUMNS, [(*row, status) for row, status in zip(rows, statuses, strict=True)])


def _further(report: Mapping[str, Any]) -> list[str]:
    """Return every metric with its interval, the four of the gates first."""
    rows = []
    for name, facts in report["metrics"].items():
        ends = f"[{facts['ci_low']:.4f}, {facts['ci_high']:.4f}]" if facts["ci_low"] is not None else "-"
        counts = f"{facts['numerator']}/{facts['denominator']}"
        rows.append((name, _value(facts["value"]), counts, ends, f"{facts['direction']} is better"))
    shown = _table(("metric", "value", "counts", "95 % interval", "direction"), rows)
    return [*shown, *method_lines(report["metrics"])]


def _slices(report: Mapping[str, Any]) -> Iterator[list[str]]:
    """Yield a table for each key: the four gated metrics for each value."""
    names = [gate["metric"] for gate in report["gates"]]
    for key, values in report.get("slices", {}).items():
        rows = [(excerpt(name), *(_rate(facts[metric]) for metric in names)) for name, facts in values.items()]
        yield _table((f"by {excerpt(key)}", *names), rows)


def _rate(facts: Mapping[str, Any]) -> str:
    return f"{_value(facts['value'])} ({facts['numerator']}/{facts['denominator']})"


def _objectives(objectives: Iterable[Mapping[str, Any]]) -> list[str]:
    total = failing = 0
    lines = []
    for entry in objectives:
        total += 1
        failing += not entry["pass"]
        if not entry["pass"] and failing <= LISTED:
            name = entry["objective"] if entry["objective"] is not None else entry["item_id"]
            lines.append(f"  {entry['score']:.4f}  {excerpt(name)}")
            lines.append(f"          {_cut(entry['explain'])}")
    return [f"objectives: {total - failing} of {total} whole", *lines, *_more(failing)]


def _lists(report: Mapping[str, Any]) -> Iterator[list[str]]:
    yield _listed("golden queries without a run", report["entries_without_run"], excerpt)
    yield _listed("runs without a golden query", report["runs_without_entry"], _run_and("objective"))
    yield _listed("unreadable runs", report["unreadable_runs"], _unreadable)
    for title, key, show in (
        ("verified claims without evidence that counts", "uncovered_claims", _uncovered),
        ("steps without a manifest", "steps_without_manifest", _run_and("step_id")),
        ("evidence shared between claims", "shared_evidence", _shared),
    ):
        found = report[key]
        yield _listed(title, found["listed"], show, total=found["total"])
    yield _listed("not a run, left alone", report["outputs"]["ignored"], escape)


def _listed(title: str, entries: Sequence[Any], show: Callable[[Any], str], *, total: int | None = None) -> list[str]:
    count = len(entries) if total is None else total
    if not count:
        return []
    return [f"{title}: {count}", *(f"  {show(entry)}" for entry in entries[:LISTED]), *_more(count)]


def _run_and(key: str) -> Callable[[Mapping[str, Any]], str]:
    return lambda entry: f"{escape(entry['run'])}: {excerpt(entry[key])}"


def _unreadable(entry: Mapping[str, Any]) -> str:
    first = entry["problems"][0]
    place = ":".join(str(part) for part in (first["file"], first["line"]) if part is not None)
    more = f" (and {len(entry['problems']) - 1} more)" if len(entry["problems"]) > 1 else ""
    return f"{escape(entry['run'])}: {escape(place)}: [{first['code']}] {escape(first['message'])}{more}"


def _uncovered(entry: Mapping[str, Any]) -> str:
    return f"{escape(entry['run'])} claim {escape(entry['claim_id'])}: {_cut('; '.join(entry['why']))}"


def _shared(entry: Mapping[str, Any]) -> str:
    return f"{escape(entry['run'])}: {escape(entry['evidence_id'])} by claims {escape(', '.join(entry['claims']))}"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[place]) for row in (header, *rows)) for place in range(len(header))]
    rows = [header, *rows]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def _cut(text: str) -> str:
    shown = escape(text[:WIDE])
    return shown if len(text) <= WIDE else f"{shown}…"


def _value(value: float | None) -> str:
    return "null" if value is None else f"{value:.4f}"


def _more(total: int) -> list[str]:
    return [f"  and {total - LISTED} more"] if total > LISTED else []
