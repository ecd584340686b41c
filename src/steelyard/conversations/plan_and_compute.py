"""The built-in solver: a model writes a plan, a validator may send it back, and the plan is run.

A plan that still has issues after the last retry is run all the same; a plan that cannot be run is a turn that raised.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from steelyard.conversations.plan_text import (
    PLAN_SCHEMA,
    PlanError,
    document_text,
    first_messages,
    read_plan,
    retry_messages,
    shared_parts,
)
from steelyard.conversations.solving import Asking, TurnFailedError, TurnRequest
from steelyard.conversations.traces import LARGEST_COUNT
from steelyard.errors import excerpt, quoted
from steelyard.programs import PLAN_OPERATIONS, ProgramError, execute, plan_program
from steelyard.programs.operations import COMPUTE
from steelyard.programs.plans import cell_number, extracted_value
from steelyard.records.conversations import TurnTrace, ValidatorLog
from steelyard.records.models import Generation, Message, ModelReply, ModelRequest

# Checks a plan before it is run: its steps, its operations, its operands, and that what it extracts is there.
#
# Nothing is judged here: the validator never sees a reference. It says what cannot be right, so that a model can
# mend it.


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


NAME = "plan_and_compute@v3"
GENERATION = Generation(max_new_tokens=384)


@dataclass(frozen=True, slots=True)
class PlanAndCompute:
    """Solves turns with any model that writes text."""

    max_retries: int = 2
    validation: bool = True
    generation: Generation = GENERATION

    def solve(self, request: TurnRequest) -> Asking:
        """Return the answer that the plan gives."""
        attempt = _Attempt(self, request, list(first_messages(request)))
        yield from attempt.plan()
        return attempt.compute()


@dataclass(slots=True)
class _Attempt:
    """One turn on its way: the messages so far, the calls made, the plan that stands."""

    solver: PlanAndCompute
    request: TurnRequest
    messages: list[Message]
    steps: tuple[Mapping[str, Any], ...] | None = None
    calls: list[dict[str, Any]] = field(default_factory=list)
    logs: list[ValidatorLog] = field(default_factory=list)

    @property
    def trace(self) -> TurnTrace:
        """What was done until here."""
        return TurnTrace(
            turn_idx=self.request.turn_idx,
            plan=self.steps,
            prompt_tokens=self._total("prompt_tokens"),
            completion_tokens=self._total("completion_tokens"),
            llm_calls=tuple(self.calls),
            tool_calls=(),
            latency_ms=self._total("latency_ms"),
            validator_logs=tuple(self.logs),
        )

    def _total(self, name: str) -> Any:
        total = sum(known := [call[name] for call in self.calls if call[name] is not None])
        # What a server counts may be nonsense, and the sum of two such counts more than a column holds.
        return total if known and total <= LARGEST_COUNT else None

    def plan(self) -> Generator[ModelRequest, ModelReply, None]:
        """Ask for a plan, and again with its issues for as long as that is allowed."""
        tries = self.solver.max_retries + 1 if self.solver.validation else 1
        for number in range(tries):
            output = yield from self.ask()
            log = self.check(output, number)
            if self.solver.validation:
                self.logs.append(log)
            if log.valid:
                return
            self.messages += retry_messages(output, log.issues)

    def ask(self) -> Generator[ModelRequest, ModelReply, str]:
        reply = yield ModelRequest(
            self.request.item_id,
            tuple(self.messages),
            self.solver.generation,
            json_schema=PLAN_SCHEMA,
            shared=shared_parts(self.request),
        )
        self.calls.append(_call(reply))
        if reply.state is not None:
            kind = "ModelTimeout" if reply.state == "timeout" else "ModelError"
            raise TurnFailedError(kind, reply.error or "the model gave no answer", self.trace)
        return str(reply.output)

    def check(self, output: str, number: int) -> ValidatorLog:
        try:
            steps = read_plan(output)
        except PlanError as error:
            return ValidatorLog(number, valid=False, confidence=0.0, issues=(str(error),))
        self.steps = steps
        return validate(steps, self.request, number)

    def compute(self) -> TurnTrace:
        """Run the plan that stands."""
        if self.steps is None:
            raise TurnFailedError("PlanError", self._last_issue(), self.trace)
        try:
            result = execute(plan_program(self.steps), self.request.document.get("table"))
        except ProgramError as error:
            raise TurnFailedError("ProgramError", error.problems[0].message, self.trace) from None
        values = iter([step.value for step in result.steps])
        tools = tuple(_tool(step, values) for step in self.steps)
        return replace(self.trace, actual_answer=_answer(result.value), tool_calls=tools)

    def _last_issue(self) -> str:
        return self.logs[-1].issues[0] if self.logs else "the reply holds no plan"


def _call(reply: ModelReply) -> dict[str, Any]:
    return {
        "prompt_tokens": reply.prompt_tokens,
        "completion_tokens": reply.completion_tokens,
        "latency_ms": reply.latency_ms,
        "truncated": reply.truncated,
        "output": reply.output if isinstance(reply.output, str) else None,
    }


def _tool(step: Mapping[str, Any], values: Any) -> dict[str, Any]:
    """Return what a step gave; a percentage change is two operations of the program and one call."""
    if step.get("tool") != COMPUTE:
        return {"tool": step.get("tool"), "step_id": step.get("step_id"), "result": extracted_value(step)}
    twice = str(step.get("operation")).strip().lower() == "percentage_change"
    results = [next(values) for _ in range(2 if twice else 1)]
    return {"tool": COMPUTE, "step_id": step.get("step_id"), "result": results[-1]}


def _answer(value: float | str) -> str:
    """Return a value as an answer; whole numbers without a decimal point.

    >>> _answer(25587.0), _answer(-0.60003), _answer("yes")
    ('25587', '-0.60003', 'yes')
    """
    if isinstance(value, str):
        return value
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
