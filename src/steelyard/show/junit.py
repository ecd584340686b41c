"""A verdict as JUnit XML: one case per gate, so that any CI shows it as tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from xml.etree import ElementTree

from steelyard.errors import Problem, escape
from steelyard.records.gates import Decision
from steelyard.records.verdicts import TaskVerdict, Verdict


def verdict_junit(verdict: Verdict) -> bytes:
    """Return the XML. A failed gate is a failure, an undecided one an error, an advisory one is skipped.

    A verdict without a single gate that could be decided is an error too: no CI may take it for a pass.
    """
    undecided = verdict.lacking is not None
    counts = {
        "tests": len(verdict.decisions) + undecided,
        "failures": sum(entry.blocks and entry.outcome == "fail" for entry in verdict.decisions),
        "errors": sum(entry.blocks and entry.outcome == "undecided" for entry in verdict.decisions) + undecided,
        "skipped": sum(entry.outcome != "pass" and not entry.blocks for entry in verdict.decisions),
    }
    root, suite = _document(verdict.name, counts)
    _properties(suite, verdict)
    for entry in verdict.decisions:
        _case(suite, entry)
    if verdict.lacking is not None:
        _error(suite, "verdict", "undecided", f"{verdict.lacking.reason} ({verdict.lacking.hint})")
    if verdict.warnings:
        ElementTree.SubElement(suite, "system-out").text = "\n".join(f"warning: {_safe(x)}" for x in verdict.warnings)
    return _written(root)


def refusal_junit(run: str, problems: Sequence[Problem]) -> bytes:
    """Return the XML of a gate that could not be held at all: one error for each problem."""
    counts = {"tests": len(problems), "failures": 0, "errors": len(problems), "skipped": 0}
    root, suite = _document(run, counts)
    for problem in problems:
        hint = f" ({problem.hint})" if problem.hint else ""
        _error(suite, problem.code, problem.code, f"{problem.message}{hint}")
    return _written(root)


def _document(name: str, counts: Mapping[str, int]) -> tuple[ElementTree.Element, ElementTree.Element]:
    attributes = {key: str(count) for key, count in counts.items()} | {"time": "0"}
    root = ElementTree.Element("testsuites", {"name": "steelyard"} | attributes)
    title = f"steelyard gate {_safe(name)}"
    return root, ElementTree.SubElement(root, "testsuite", {"name": title} | attributes)


def _properties(suite: ElementTree.Element, verdict: Verdict) -> None:
    """Say what was held against what, by name and id."""
    found = [("verdict", verdict.line), ("policy", verdict.policy)]
    for part in verdict.tasks:
        found += _runs_of(part)
    parent = ElementTree.SubElement(suite, "properties")
    for name, value in found:
        ElementTree.SubElement(parent, "property", name=_safe(name), value=_safe(value))


def _runs_of(part: TaskVerdict) -> list[tuple[str, str]]:
    run = [(f"{part.task}.run", f"{part.run} {part.run_id}".strip())]
    if part.baseline is None:
        return run
    return [*run, (f"{part.task}.baseline", f"{part.baseline} {part.baseline_id or ''}".strip())]


def _case(suite: ElementTree.Element, entry: Decision) -> None:
    name = _safe(entry.gate)
    case = ElementTree.SubElement(suite, "testcase", classname=f"steelyard.{_safe(entry.task)}", name=name, time="0")
    if entry.outcome == "pass":
        return
    reason = _safe(entry.reason)
    if not entry.blocks:
        ElementTree.SubElement(case, "skipped", message=f"advisory, {entry.outcome}: {reason}")
        return
    kind = "failure" if entry.outcome == "fail" else "error"
    found = ElementTree.SubElement(case, kind, type=entry.outcome, message=reason)
    more = "".join(f"\n{_safe(part)}" for part in (entry.context, entry.hint) if part)
    items = "".join(f"\n{_safe(item)}" for item in entry.failing)
    found.text = f"{name}: {reason}{more}{items}"


def _error(suite: ElementTree.Element, name: str, kind: str, message: str) -> None:
    case = ElementTree.SubElement(suite, "testcase", classname="steelyard.gate", name=_safe(name), time="0")
    ElementTree.SubElement(case, "error", type=_safe(kind), message=_safe(message)).text = _safe(message)


def _written(root: ElementTree.Element) -> bytes:
    ElementTree.indent(root)
    found: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return found + b"\n"


def _safe(text: str) -> str:
    """Return text without what XML 1.0 cannot hold."""
    return escape(text).replace("\ufffe", "").replace("\uffff", "")
