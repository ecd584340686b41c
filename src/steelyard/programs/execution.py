"""Runs turn programs, with the numbers of ConvFinQA's own `eval_program`.

Every step is computed in double precision, and the last one is rounded to five decimals; `greater` gives yes or no.
A program without a value (division by zero, overflow, a row that is not there) raises a ProgramError with the reason.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from steelyard.errors import excerpt, quoted
from steelyard.programs.nodes import Argument, Constant, Literal, Program, Reference, RowName, Step
from steelyard.programs.plans import Table, cell_number, row_cells, row_names
from steelyard.programs.problems import Kind, ProgramError, suggestion
from steelyard.programs.syntax import parse

Outcome: TypeAlias = float | str
"""A number, or `yes` or `no`."""

DECIMALS = 5
"""ConvFinQA rounds what a program gives, and only that."""


@dataclass(frozen=True, slots=True)
class StepResult:
    """One step as written and what it gave, unrounded."""

    text: str
    value: Outcome


@dataclass(frozen=True, slots=True)
class Result:
    """What a program gives."""

    value: Outcome
    """Rounded to five decimals, as in `executed_answers`."""
    exact: Outcome
    """Before rounding."""
    steps: tuple[StepResult, ...]
    operations: tuple[str, ...]


def execute(program: str | Program, table: Table | None = None) -> Result:
    """Return the value of a program and of each of its steps.

    >>> execute("subtract(8181, 20454), divide(#0, 20454)").value
    -0.60003
    >>> execute("table_average(income, none)", {"2008": {"income": 12}, "2009": {"income": 15.5}}).value
    13.75
    """
    parsed = parse(program) if isinstance(program, str) else program
    values: list[Outcome] = []
    for step in parsed.steps:
        values.append(_Runner(parsed, step, values, table).run())
    if parsed.value is None and not values:
        raise ProgramError("empty", "the program has no steps and no value", source=parsed.source, start=0)
    exact = values[-1] if parsed.value is None else parsed.value.value
    steps = tuple(StepResult(str(step), value) for step, value in zip(parsed.steps, values, strict=True))
    return Result(_rounded(exact), exact, steps, tuple(step.operation for step in parsed.steps))


def _rounded(value: Outcome) -> Outcome:
    # Adding zero turns -0.0, which a reader takes for a slip, into 0.0.
    return value if isinstance(value, str) else round(value, DECIMALS) + 0.0


def _greater(left: float, right: float) -> str:
    return "yes" if left > right else "no"


_BINARY: Mapping[str, Callable[[float, float], Outcome | complex]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "exp": operator.pow,
    "greater": _greater,
}


def _average(row: Sequence[float]) -> float:
    return sum(row) / len(row)


_OVER_ROW: Mapping[str, Callable[[Sequence[float]], float]] = {
    "table_sum": sum,
    "table_average": _average,
    "table_max": max,
    "table_min": min,
}


@dataclass(frozen=True, slots=True)
class _Runner:
    """Computes one step from the values of those before it."""

    program: Program
    step: Step
    values: Sequence[Outcome]
    table: Table | None

    def run(self) -> Outcome:
        if self.step.operation in _OVER_ROW:
            return self.finite(_OVER_ROW[self.step.operation](self.row()))
        left, right = (self.operand(argument) for argument in self.step.arguments)
        try:
            value = _BINARY[self.step.operation](left, right)
        except ZeroDivisionError:
            raise self.mistake("division-by-zero", f"{excerpt(str(self.step))} divides by zero") from None
        except OverflowError:
            raise self.mistake("overflow", f"{excerpt(str(self.step))} is too large a number") from None
        if isinstance(value, complex):
            raise self.mistake(
                "not-real", f"{excerpt(str(self.step))} is not a real number: {left:g} to the power {right:g}"
            )
        return self.finite(value)

    def operand(self, argument: Argument) -> float:
        match argument:
            case Literal() | Constant():
                return argument.value
            case Reference():
                return self.number(argument)
            case RowName():
                raise self.mistake("not-a-number", f"{self.step.operation} takes numbers, not the name of a row")

    def number(self, reference: Reference) -> float:
        if reference.index >= len(self.values):
            raise self.mistake(
                "later-step", f"{excerpt(str(self.step))} refers to {reference}, which does not come before it"
            )
        value = self.values[reference.index]
        if isinstance(value, str):
            raise self.mistake("not-a-number", f"{reference} is {value!r}, and {self.step.operation} takes numbers")
        return value

    def row(self) -> list[float]:
        name = str(self.step.arguments[0])
        if self.table is None:
            raise self.mistake("no-table", f"{self.step.operation} needs a table, and there is none")
        cells = row_cells(self.table, name)
        if not cells:
            hint = suggestion(name, row_names(self.table))
            raise self.mistake("unknown-row", f"the table has no row {quoted(name)}", hint)
        numbers = [cell_number(cell) for cell in cells]
        if None in numbers:
            cell = excerpt(str(cells[numbers.index(None)]))
            raise self.mistake("bad-cell", f"the cell {cell!r} of row {quoted(name)} is not a number")
        return [number for number in numbers if number is not None]

    def finite(self, value: Outcome) -> Outcome:
        if isinstance(value, str) or math.isfinite(value):
            return value
        raise self.mistake("overflow", f"{excerpt(str(self.step))} is too large a number")

    def mistake(self, kind: Kind, message: str, hint: str = "") -> ProgramError:
        # A program that was put together by hand has no source to point into.
        source = self.program.source or str(self.step)
        start, end = self.step.span if self.program.source else (0, len(source))
        return ProgramError(kind, message, source=source, start=start, end=end, hint=hint)
