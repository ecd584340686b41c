"""A plan's steps as a turn program, so that what a model planned can be run and compared with the gold program.

A step is `{step_id, tool: extract_value | compute, operation, operands[], value}`. An operand is a number, the id of an
earlier step, or `#n` for the result of the n-th compute step. An extract step has its number as `value` or as its only
operand. `percentage` of [part, whole] is part / whole, and `percentage_change` of [old, new] is (new - old) / old.

Beside them the tables that table operations look into.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from steelyard.errors import excerpt, quoted
from steelyard.programs.nodes import BINARY_OPERATIONS, OPERATIONS, TABLE_OPERATIONS, Program
from steelyard.programs.operations import COMPUTE
from steelyard.programs.problems import ProgramError, suggestion
from steelyard.programs.syntax import parse

# Rows of a document's table as numbers, read as ConvFinQA's own code reads them.


Cell: TypeAlias = str | float | bool | None
Table: TypeAlias = Mapping[str, Mapping[str, Cell]] | Sequence[Sequence[Cell]]
"""Either ConvFinQA's `{column: {row: cell}}` or a list of rows that begin with their name."""

_NEGATIVE = re.compile(r"\(\s*([^()]+?)\s*\)")
_PLAIN = re.compile(r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*(%)?", re.ASCII)


def row_names(table: Table) -> list[str]:
    """Return the names of a table's rows, each once."""
    if isinstance(table, Mapping):
        return list(dict.fromkeys(name for column in table.values() for name in column))
    return list(dict.fromkeys(str(row[0]) for row in table if row))


def row_cells(table: Table, name: str) -> list[Cell] | None:
    """Return the cells of a row, or None when there is no such row.

    >>> row_cells({"2008": {"income": 12.0}, "2009": {"income": 15.5}}, "income")
    [12.0, 15.5]
    >>> row_cells([["", "2008", "2009"], ["income", "$ 12", "1,234"]], "income")
    ['$ 12', '1,234']
    """
    if isinstance(table, Mapping):
        cells = [column[name] for column in table.values() if name in column]
        return cells or None
    # Of two rows with one name the reference code takes the last.
    return next((list(row[1:]) for row in reversed(table) if row and str(row[0]) == name), None)


def cell_number(cell: Cell) -> float | None:
    """Return a cell as a number, or None when it is not one.

    ConvFinQA writes a negative as `-94 ( 94 )`, and its code reads what stands before the parenthesis.

    >>> [cell_number(cell) for cell in ("$ 1,234", "-94 ( 94 )", "(94)", "12.5%", "n/a")]
    [1234.0, -94.0, -94.0, 0.125, None]
    """
    if isinstance(cell, bool) or cell is None:
        return None
    if isinstance(cell, (int, float)):
        return _finite(cell)
    text = cell.replace("$", "").replace(",", "").strip()
    if match := _NEGATIVE.fullmatch(text):
        value = _plain(match[1])
        return None if value is None else -value
    return _plain(text.split("(", 1)[0].strip())


def _plain(text: str) -> float | None:
    match = _PLAIN.fullmatch(text)
    if match is None:
        return None
    value = float(match[1])
    return _finite(value / 100.0 if match[2] else value)


def _finite(number: float) -> float | None:
    try:
        value = float(number)
    except OverflowError:
        return None
    return value if math.isfinite(value) else None


PLAN_OPERATIONS = (*OPERATIONS, "percentage", "percentage_change")
"""What a compute step may ask for."""


def plan_program(steps: Iterable[Mapping[str, Any]]) -> Program:
    """Return the program that a plan stands for, or raise a ProgramError that names the step.

    >>> str(plan_program([
    ...     {"step_id": "old", "tool": "extract_value", "value": "20454"},
    ...     {"step_id": "new", "tool": "extract_value", "value": 8181},
    ...     {"step_id": "change", "tool": "compute", "operation": "percentage_change", "operands": ["old", "new"]},
    ... ]))
    'subtract(8181, 20454), divide(#0, 20454)'
    """
    builder = _Builder()
    for index, step in enumerate(steps):
        builder.take(step, str(step.get("step_id") or f"step {index + 1}"))
    return parse(builder.source())


def extracted_value(step: Mapping[str, Any]) -> Any:
    """Return what an extract step found: its `value`, or its only operand; None where it does not say."""
    if step.get("value") is not None:
        return step["value"]
    operands = step.get("operands")
    return operands[0] if isinstance(operands, list | tuple) and len(operands) == 1 else None


class _Builder:
    """Writes the program step by step; every name of the plan stands for an operand of the program."""

    def __init__(self) -> None:
        self.written: list[str] = []
        self.names: dict[str, str] = {}
        self.results: list[str] = []
        """The result of each compute step of the plan, as the program refers to it."""
        self.last: str | None = None

    def take(self, step: Mapping[str, Any], name: str) -> None:
        if step.get("tool") == COMPUTE:
            self.last = self.compute(step, name)
            self.results.append(self.last)
        else:
            self.last = self.extract(step, name)
        # An operand that is a number is a number, also where a step has that number for its id.
        if cell_number(name) is None:
            self.names[name] = self.last

    def extract(self, step: Mapping[str, Any], name: str) -> str:
        found = self.value(extracted_value(step), name)
        if found.startswith("#"):
            raise _mistake(name, "extracts the result of a step, expected a number of the document")
        return found

    def compute(self, step: Mapping[str, Any], name: str) -> str:
        operation = str(step.get("operation") or "").strip().lower()
        operands = step.get("operands")
        if operation not in PLAN_OPERATIONS:
            hint = suggestion(operation, PLAN_OPERATIONS) or f"operations are {', '.join(PLAN_OPERATIONS)}"
            raise _mistake(name, f"there is no operation {quoted(operation)}", hint)
        if not isinstance(operands, Sequence) or isinstance(operands, str):
            raise _mistake(name, "has no list of operands")
        if operation in TABLE_OPERATIONS:
            return self.write(operation, [str(operands[0]) if operands else "", "none"])
        if len(operands) != 2:
            raise _mistake(name, f"{operation} takes 2 operands, not {len(operands)}")
        first, second = (self.value(operand, name) for operand in operands)
        if operation in BINARY_OPERATIONS:
            return self.write(operation, [first, second])
        if operation == "percentage":
            return self.write("divide", [first, second])
        return self.write("divide", [self.write("subtract", [second, first]), first])

    def value(self, operand: object, name: str) -> str:
        if isinstance(operand, bool) or not isinstance(operand, (int, float, str)):
            raise _mistake(name, f"{excerpt(repr(operand))} is no number and no earlier step")
        text = str(operand).strip()
        if text in self.names:
            return self.names[text]
        if text.startswith("#"):
            return self.referred(text, name)
        try:
            return str(parse(text))
        except ProgramError:
            number = cell_number(text)
        if number is None:
            raise _mistake(name, f"{quoted(text)} is no number and no earlier step")
        return repr(number)

    def referred(self, text: str, name: str) -> str:
        number = text[1:]
        if not number.isdecimal() or len(number) > 6 or int(number) >= len(self.results):
            raise _mistake(name, f"{excerpt(text)} is not the result of an earlier compute step")
        return self.results[int(number)]

    def write(self, operation: str, operands: Sequence[str]) -> str:
        self.written.append(f"{operation}({', '.join(operands)})")
        return f"#{len(self.written) - 1}"

    def source(self) -> str:
        if self.last is None:
            raise ProgramError("empty", "the plan has no steps", source="", start=0)
        if self.written and self.last != f"#{len(self.written) - 1}":
            raise ProgramError(
                "separator", "the plan ends in a step that is not its last computation", source=self.last, start=0
            )
        return ", ".join(self.written) or self.last


def _mistake(name: str, message: str, hint: str = "") -> ProgramError:
    return ProgramError("bad-argument", f"{excerpt(name)}: {message}", source=name, start=0, end=len(name), hint=hint)
