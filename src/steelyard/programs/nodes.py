"""What a turn program is made of. Nodes are compared by what they say, not by where they stand."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

BINARY_OPERATIONS = ("add", "subtract", "multiply", "divide", "exp", "greater")
TABLE_OPERATIONS = ("table_sum", "table_average", "table_max", "table_min")
OPERATIONS = BINARY_OPERATIONS + TABLE_OPERATIONS


@dataclass(frozen=True, slots=True)
class Literal:
    """A number as written; a percentage has the value of its fraction."""

    text: str
    value: float
    percent: bool = False

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Constant:
    """A number that stands in no document: `const_100` is 100, `const_m1` is -1."""

    name: str
    value: float

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Reference:
    """The result of an earlier step: `#0` is the first step's."""

    index: int

    def __str__(self) -> str:
        return f"#{self.index}"


@dataclass(frozen=True, slots=True)
class RowName:
    """A row of the document's table."""

    text: str

    def __str__(self) -> str:
        return self.text


Value: TypeAlias = Literal | Constant
Argument: TypeAlias = Value | Reference | RowName


@dataclass(frozen=True, slots=True)
class Step:
    """One operation on its arguments."""

    operation: str
    arguments: tuple[Argument, ...]
    span: tuple[int, int] = field(default=(0, 0), compare=False)
    """Where the step stands in the program's source."""

    def __str__(self) -> str:
        arguments = [str(argument) for argument in self.arguments]
        if self.operation in TABLE_OPERATIONS:
            arguments.append("none")
        return f"{self.operation}({', '.join(arguments)})"


@dataclass(frozen=True, slots=True)
class Program:
    """A turn program: steps whose last one gives the value, or one extracted value and no steps."""

    steps: tuple[Step, ...]
    value: Value | None = None
    """The value of an extract-only program; None when there are steps."""
    source: str = field(default="", compare=False)

    @property
    def extract_only(self) -> bool:
        """Whether the program only takes a value from the document."""
        return not self.steps

    def __str__(self) -> str:
        return ", ".join(map(str, self.steps)) if self.steps else str(self.value)
