"""Checks a plan before it is run: its steps, its operations, its operands, and that what it extracts is there.

Nothing is judged here: the validator never sees a reference. It says what cannot be right, so that a model can mend it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from steelyard.conversations.plan_text import document_text
from steelyard.conversations.solving import TurnRequest
from steelyard.errors import excerpt, quoted
from steelyard.programs import PLAN_OPERATIONS, ProgramError, execute, plan_program
from steelyard.programs.operations import COMPUTE
from steelyard.programs.plans import extracted_value
from steelyard.programs.tables import cell_number
from steelyard.records.conversations import ValidatorLog

EXTRACT = "extract_value"
_NUMBERS = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?", re.ASCII)


@dataclass(slots=True)
class _Findings:
    issues: list[str] = field(default_factory=list)
    failed: dict[str, None] = field(default_factory=dict)

    def add(self, step: str, issue: str) -> None:
        self.issues.append(f"{step}: {issue}")
        self.failed.setdefault(step)


def validate(steps: Sequence[Mapping[str, Any]], request: TurnRequest, retry_number: int) -> ValidatorLog:
    """Return what is wrong with a plan; confidence is the share of its steps that nothing was found against."""
    findings = _Findings()
    known = _numbers(request)
    for number, step in enumerate(steps, start=1):
        _check_step(findings, step, excerpt(str(step.get("step_id") or f"step {number}")), known)
    if not findings.issues:
        _check_run(findings, steps, request)
    failed = tuple(findings.failed)
    confidence = 1.0 - min(len(failed), len(steps)) / len(steps)
    return ValidatorLog(retry_number, not findings.issues, confidence, failed, tuple(findings.issues))


def _check_step(findings: _Findings, step: Mapping[str, Any], name: str, known: frozenset[float]) -> None:
    tool = step.get("tool")
    if tool == COMPUTE:
        operation = str(step.get("operation") or "").strip().lower()
        if operation not in PLAN_OPERATIONS:
            listed = ", ".join(PLAN_OPERATIONS)
            findings.add(name, f"there is no operation {quoted(operation)}; operations are {listed}")
    elif tool == EXTRACT:
        value = extracted_value(step)
        number = None if value is None or isinstance(value, dict | list) else cell_number(value)
        if number is None:
            findings.add(name, f"the value {excerpt(repr(value))} is no number")
        elif not known & {abs(number), round(abs(number) * 100, 9)}:
            findings.add(name, f"the number {excerpt(str(value))} stands nowhere in the document or the conversation")
    else:
        findings.add(name, f"the tool {excerpt(repr(tool))} is neither {EXTRACT} nor {COMPUTE}")


def _check_run(findings: _Findings, steps: Sequence[Mapping[str, Any]], request: TurnRequest) -> None:
    try:
        execute(plan_program(steps), request.document.get("table"))
    except ProgramError as error:
        last = str(steps[-1].get("step_id") or f"step {len(steps)}")
        findings.add(excerpt(last), error.problems[0].message)


def _numbers(request: TurnRequest) -> frozenset[float]:
    """Return the absolute values of all numbers that a plan may extract."""
    said = [request.question, *(text for entry in request.history for text in entry.values())]
    return _numbers_in(document_text(request.document)) | _numbers_in("\n".join(said))


@lru_cache(maxsize=64)
def _numbers_in(text: str) -> frozenset[float]:
    return frozenset(float(found.replace(",", "")) for found in _NUMBERS.findall(text))
