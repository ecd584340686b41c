"""Compares what programs compute: equivalence, operands, and what a turn adds to the turns before it.

Programs are compared as expressions with their references filled in. Equal expressions get equal numbers, so that a
program that doubles itself at every step (`add(#0, #0), add(#1, #1), …`) costs no more than its length.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from steelyard.programs.execution import execute
from steelyard.programs.nodes import (
    TABLE_OPERATIONS,
    Argument,
    Constant,
    Literal,
    Program,
    Reference,
    RowName,
    Step,
    Value,
)
from steelyard.programs.operations import COMPUTE, is_missing
from steelyard.programs.plans import Table, extracted_value
from steelyard.programs.problems import ProgramError
from steelyard.programs.syntax import parse, read

COMMUTATIVE = frozenset({"add", "multiply"})


class _Expressions:
    """Gives equal expressions the same number."""

    def __init__(self, *, commutative: bool) -> None:
        self._commutative = commutative
        self._numbers: dict[object, int] = {}

    def of(self, program: Program) -> list[int]:
        """Return the number of each step's expression, or of the one value of an extract-only program."""
        if program.value is not None:
            return [self._leaf(program.value)]
        numbers: list[int] = []
        for step in program.steps:
            numbers.append(self._step(step, numbers))
        return numbers

    def _step(self, step: Step, before: Sequence[int]) -> int:
        parts = [
            before[argument.index] if isinstance(argument, Reference) else self._leaf(argument)
            for argument in step.arguments
        ]
        if self._commutative and step.operation in COMMUTATIVE:
            parts.sort()
        return self._number((step.operation, *parts))

    def _leaf(self, argument: Value | RowName) -> int:
        return self._number(argument.text if isinstance(argument, RowName) else operand_key(argument.value))

    def _number(self, key: object) -> int:
        return self._numbers.setdefault(key, len(self._numbers))


def operand_key(value: float) -> float:
    """Return a number to twelve digits, so that 14.1% and 0.141 are one operand."""
    return float(f"{value:.12g}") + 0.0


def program_equivalence(
    plan: str | Program | None, program: str | Program | None, table: Table | None = None
) -> bool | None:
    """Return whether two programs compute the same value by the same operations, up to order in add and multiply.

    Steps that do not lead to the value are left out, and `const_100` is 100. None without a plan, or when the program
    is missing, cannot be read or has no value; a plan that cannot be read or has no value is not equivalent.

    >>> program_equivalence("add(20, 10), divide(#0, const_2)", "add(10, 20), divide(#0, 2)")
    True
    """
    if is_missing(plan) or is_missing(program):
        return None
    wanted = _with_value(program, table)
    if wanted is None:
        return None
    found = _with_value(plan, table)
    expressions = _Expressions(commutative=True)
    return found is not None and expressions.of(found)[-1] == expressions.of(wanted)[-1]


def _with_value(program: str | Program | None, table: Table | None) -> Program | None:
    """Return a program that can be read and run; without a table, one that needs it need not run."""
    parsed = _parsed(program)
    if parsed is None or (table is None and any(step.operation in TABLE_OPERATIONS for step in parsed.steps)):
        return parsed
    try:
        execute(parsed, table)
    except ProgramError:
        return None
    return parsed


def _parsed(program: str | Program | None) -> Program | None:
    if program is None or isinstance(program, Program):
        return program
    try:
        return parse(program)
    except ProgramError:
        return None


def operand_accuracy(
    plan: str | Program | Iterable[Mapping[str, Any]] | None, program: str | Program | None
) -> float | None:
    """Return the share of the program's operands, each as often as it is used, that the plan uses too.

    Operands are the numbers and rows taken from the document: constants and references are none. None when either side
    is missing, the program cannot be read or takes nothing from the document.

    >>> operand_accuracy("subtract(8181, 20455)", "subtract(8181, 20454), divide(#0, 20454)")
    0.3333333333333333
    """
    wanted = _operands(program)
    if plan is None or (isinstance(plan, str) and is_missing(plan)) or not wanted:
        return None
    found = _operands(plan) if isinstance(plan, (str, Program)) else Counter(_plan_operands(list(plan)))
    return (wanted & (found or Counter())).total() / wanted.total()


def _operands(program: str | Program | None) -> Counter[float | str] | None:
    try:
        parsed = read(program) if isinstance(program, str) else program
    except ProgramError:
        return None
    if parsed is None:
        return None
    arguments = [parsed.value] if parsed.value else [part for step in parsed.steps for part in step.arguments]
    return Counter(key for argument in arguments if (key := _operand(argument)) is not None)


def _operand(argument: Argument) -> float | str | None:
    match argument:
        case Literal():
            return operand_key(argument.value)
        case RowName():
            return argument.text
        case Constant() | Reference():
            return None


def _plan_operands(steps: Sequence[Mapping[str, Any]]) -> Iterator[float | str]:
    """Yield what a plan's compute steps use; what its extract steps found when it only extracts."""
    extracted = {str(step.get("step_id")): extracted_value(step) for step in steps if step.get("tool") != COMPUTE}
    compute = [step for step in steps if step.get("tool") == COMPUTE]
    used = [value for step in compute for value in _used(step)] if compute else list(extracted.values())
    for value in used:
        key = _plan_operand(value)
        if isinstance(key, str) and key in extracted:
            key = _plan_operand(extracted[key])
        if key is not None:
            yield key


def _used(step: Mapping[str, Any]) -> Iterator[Any]:
    operands = step.get("operands")
    if not isinstance(operands, list | tuple):
        return
    yield from operands
    # Both of its operations use the base, and plans differ in which operand they write first.
    if step.get("operation") == "percentage_change":
        yield from operands


def _plan_operand(value: object) -> float | str | None:
    """Return an operand of a plan: a number, else the text that names a step or a row."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        parsed = read(str(value))
    except ProgramError:
        return value if isinstance(value, str) else None
    return None if parsed.value is None else _operand(parsed.value)


def incremental_operations(programs: Sequence[str | Program | None]) -> tuple[tuple[str, ...] | None, ...]:
    """Return for every turn of a conversation the operations that it adds to the turns before it.

    A turn's program repeats the steps of earlier turns and goes on from there. Left out is the longest run of its first
    steps that each compute, with references filled in, what some step of an earlier turn computed. A turn that repeats
    an earlier result whole adds nothing. None for a turn without a program that can be read.

    >>> incremental_operations(["206588", "subtract(9, 4)", "subtract(9, 4), divide(#0, 4)", "subtract(9, 4)"])
    ((), ('subtract',), ('divide',), ())
    """
    expressions = _Expressions(commutative=False)
    seen: set[int] = set()
    added: list[tuple[str, ...] | None] = []
    for program in map(_parsed, programs):
        if program is None:
            added.append(None)
            continue
        numbers = expressions.of(program) if program.steps else []
        repeated = next((index for index, number in enumerate(numbers) if number not in seen), len(numbers))
        added.append(tuple(step.operation for step in program.steps[repeated:]))
        seen.update(numbers)
    return tuple(added)


def incremental(programs: Sequence[str | Program | None], turn: int) -> tuple[str, ...] | None:
    """Return the operations that one turn adds to the turns before it; see `incremental_operations`."""
    return incremental_operations(programs[: turn + 1])[turn]
