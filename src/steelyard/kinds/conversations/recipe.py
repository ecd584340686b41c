"""What a run of conversations is made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Self

from steelyard.datasets.shipped import opened_path
from steelyard.records.runs import RunKind

TASK = "conversations"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationsRecipe:
    """Conversations, and their stored traces or the model that solves them; each field is a key of `config.yaml`."""

    kind: ClassVar[RunKind] = "conversations"

    dataset: str
    plots: bool = True
    traces: str | None = None
    model: str | None = None
    model_name: str | None = None
    """What to call the model behind stored traces."""
    history: str | None = None
    solver: str | None = None
    prompt_sha256: str | None = None
    generation: Mapping[str, Any] = field(default_factory=dict)
    max_retries: int | None = None
    validation: bool | None = None
    selection: Mapping[str, Any] = field(default_factory=dict)

    def config(self) -> dict[str, Any]:
        """Return everything that decides what was asked and judged."""
        own = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        return {"task": TASK} | {name: value for name, value in own.items() if value not in (None, {})}

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> Self:
        """Return the recipe of a `config.yaml`."""
        return cls(**{name: value for name, value in config.items() if name != "task"})

    def data(self) -> Path:
        """Return the file of the conversations."""
        return opened_path(self.dataset)

    def judged_by(self, config: Mapping[str, Any]) -> Self:
        """Return the same conversations: turns have no other judges."""
        del config
        return self

    def crossed(self, outputs: Self, data: Self) -> Self:
        """Return the conversations of another run; whose turns they are judged with is not said here."""
        del outputs
        return replace(self, dataset=data.dataset, selection=data.selection)
