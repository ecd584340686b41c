"""A verdict as JUnit XML: one case per gate, so that any CI shows it as tests."""

from __future__ import annotations

from xml.etree import ElementTree

from steelyard.errors import escape
from steelyard.records.gates import Decision
from steelyard.records.verdicts import Verdict


def verdict_junit(verdict: Verdict) -> bytes:
    """Return the XML. A failed gate is a failure, an undecided one an error, an advisory one is skipped."""
    counts = {
        "tests": len(verdict.decisions),
        "failures": sum(entry.blocks and entry.outcome == "fail" for entry in verdict.decisions),
        "errors": sum(entry.blocks and entry.outcome == "undecided" for entry in verdict.decisions),
        "skipped": sum(entry.outcome != "pass" and not entry.blocks for entry in verdict.decisions),
    }
    attributes = {name: str(count) for name, count in counts.items()} | {"time": "0"}
    root = ElementTree.Element("testsuites", {"name": "steelyard"} | attributes)
    title = f"steelyard gate {_safe(verdict.name)}"
    suite = ElementTree.SubElement(root, "testsuite", {"name": title} | attributes)
    for entry in verdict.decisions:
        _case(suite, entry)
    ElementTree.indent(root)
    found: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return found + b"\n"


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
    found.text = f"{name}: {reason}"


def _safe(text: str) -> str:
    """Return text without what XML 1.0 cannot hold."""
    return escape(text).replace("\ufffe", "").replace("\uffff", "")
