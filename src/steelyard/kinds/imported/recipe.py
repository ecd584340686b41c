"""What an imported run is made from: items and outputs like a task's, and the scores that another tool recorded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from steelyard.kinds.task.recipe import TaskRecipe
from steelyard.records.runs import RunKind


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedRecipe(TaskRecipe):
    """Data read as a task reads it, under no scorer of ours."""

    kind: ClassVar[RunKind] = "imported"

    imported: Mapping[str, Any] = field(default_factory=dict)
    """The tool (`from`), its `version`, its `log`, and its `scorers` with their signatures, the primary one first."""

    @property
    def scorers(self) -> Mapping[str, str]:
        """The signature of each scorer, the primary one first."""
        found: Mapping[str, str] = self.imported["scorers"]
        if not found:
            raise ValueError("it names no scorer")
        return found
