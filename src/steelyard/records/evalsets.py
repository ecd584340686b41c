"""What is known about an eval set after it was checked: its errors, its warnings and what it is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias, TypedDict

from steelyard.errors import Problem


class Share(TypedDict):
    """How many items have a value, and how many percent of all items that is."""

    n: int
    percent: float


Composition: TypeAlias = dict[str, dict[str, Share]]
"""For each of section, category and difficulty: the share of every value; items without one are `_untagged`."""


@dataclass(frozen=True, slots=True)
class EvalsetReport:
    """One eval set, checked."""

    path: str
    n_items: int
    """Rows that are JSON objects, whether or not their fields hold to the rules."""
    errors: list[Problem]
    """The first twenty."""
    total_errors: int
    warnings: list[Problem]
    """The first twenty."""
    total_warnings: int
    composition: Composition

    @property
    def valid(self) -> bool:
        """Whether there are no errors; warnings leave a set valid."""
        return self.total_errors == 0

    def as_dict(self) -> dict[str, Any]:
        """Return the report as the JSON object that `steelyard validate --json` prints."""
        return {
            "path": self.path,
            "valid": self.valid,
            "n_items": self.n_items,
            "errors": [problem.as_dict() for problem in self.errors],
            "total_errors": self.total_errors,
            "warnings": [problem.as_dict() for problem in self.warnings],
            "total_warnings": self.total_warnings,
            "composition": self.composition,
        }
