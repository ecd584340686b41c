"""Compares the operations of a plan with those of the gold program (seed 004's logic recall and its kin).

One rule for every score: no program, or one that cannot be read, has no score (None); so has a turn without a plan.
A plan that cannot be read scores 0. A program that only extracts is matched by plans that only extract.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from steelyard.programs.nodes import Program
from steelyard.programs.problems import ProgramError
from steelyard.programs.syntax import read
from steelyard.text.rouge import lcs_length

Plan: TypeAlias = str | Program | Sequence[str] | None
"""A program as text or parsed, or the names of operations; None and blank text are no plan."""

COMPOSITES: Mapping[str, tuple[str, ...]] = {
    "percentage": ("divide",),
    "percentage_change": ("subtract", "divide"),
}
"""Operations of plans that stand for several of the program language (page 40)."""

COMPUTE = "compute"
"""The tool of a plan's steps that compute; steps of any other tool extract."""

UNNAMED = "unnamed"
"""The operation of a compute step that names none: it matches nothing and is counted."""


def operations(program: str | Program) -> tuple[str, ...]:
    """Return the operations of a program in order; those of text with a bad `#n` can be read all the same.

    >>> operations("subtract(8181, 20454), divide(#0, 20454)")
    ('subtract', 'divide')
    """
    parsed = read(program) if isinstance(program, str) else program
    return tuple(step.operation for step in parsed.steps)


def plan_operations(steps: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return the operations of a plan's compute steps, with percentages in the program language.

    >>> plan_operations([{"tool": "extract_value"}, {"tool": "compute", "operation": "percentage_change"}])
    ('subtract', 'divide')
    """
    return _expanded(str(step.get("operation") or UNNAMED) for step in steps if step.get("tool") == COMPUTE)


def operations_per_turn(plan: str | Program | Iterable[Mapping[str, Any]]) -> int:
    """Return the number of compute steps: a percentage change is one step of a plan."""
    if isinstance(plan, (str, Program)):
        return len(operations(plan))
    return sum(step.get("tool") == COMPUTE for step in plan)


def _expanded(names: Iterable[str]) -> tuple[str, ...]:
    lowered = (name.strip().lower() for name in names)
    return tuple(part for name in lowered for part in COMPOSITES.get(name, (name,)))


def logic_recall(plan: Plan, program: Plan) -> float | None:
    """Return the share of the program's operations that the plan has too, whatever their order.

    >>> logic_recall(["subtract"], "subtract(8181, 20454), divide(#0, 20454)")
    0.5
    """
    return _judge(plan, program, recall)


def logic_precision(plan: Plan, program: Plan) -> float | None:
    """Return the share of the plan's operations that the program has too; None when only the plan has none.

    >>> logic_precision(["subtract", "divide", "add", "add"], "subtract(8181, 20454), divide(#0, 20454)")
    0.5
    """
    return _judge(plan, program, _precision)


def logic_f1(plan: Plan, program: Plan) -> float | None:
    """Return twice the shared operations over those of both sides: the harmonic mean of recall and precision.

    >>> logic_f1(["subtract"], "subtract(8181, 20454), divide(#0, 20454), multiply(#1, const_100)")
    0.5
    """
    return _judge(plan, program, _f1)


def operation_order(plan: Plan, program: Plan) -> float | None:
    """Return the longest common subsequence of operations over the longer side, as a list's `order_score`.

    >>> operation_order(["divide", "subtract"], "subtract(8181, 20454), divide(#0, 20454)")
    0.5
    """
    return _judge(plan, program, _order)


def recall(found: Sequence[str], wanted: Sequence[str]) -> float:
    """Return the share of wanted operations that were found; without any wanted, none may be found."""
    if not wanted:
        return 0.0 if found else 1.0
    return _shared(found, wanted) / len(wanted)


def _precision(found: Sequence[str], wanted: Sequence[str]) -> float | None:
    if not found:
        return None if wanted else 1.0
    return _shared(found, wanted) / len(found)


def _f1(found: Sequence[str], wanted: Sequence[str]) -> float:
    total = len(found) + len(wanted)
    return 2 * _shared(found, wanted) / total if total else 1.0


def _order(found: Sequence[str], wanted: Sequence[str]) -> float:
    longer = max(len(found), len(wanted))
    return lcs_length(found, wanted) / longer if longer else 1.0


def _shared(found: Sequence[str], wanted: Sequence[str]) -> int:
    return (Counter(found) & Counter(wanted)).total()


def _judge(plan: Plan, program: Plan, score: Callable[[Sequence[str], Sequence[str]], float | None]) -> float | None:
    if is_missing(plan) or is_missing(program):
        return None
    wanted = readable(program)
    if wanted is None:
        return None
    found = readable(plan)
    return 0.0 if found is None else score(found, wanted)


def is_missing(plan: Plan) -> bool:
    """Return whether there is no plan at all: None or blank text; no operations are an extract-only plan."""
    return plan is None or (isinstance(plan, str) and not plan.strip())


def readable(plan: Plan) -> tuple[str, ...] | None:
    """Return the operations of a plan or program, or None when its text cannot be read."""
    if plan is None:
        return None
    if not isinstance(plan, (str, Program)):
        return _expanded(plan)
    try:
        return operations(plan)
    except ProgramError:
        return None
