"""What a run over research artifacts is made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, Self

from steelyard.records.runs import RunKind
from steelyard.research.gates import DEFAULT_THRESHOLDS

TASK = "research"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResearchRecipe:
    """Golden queries, the artifacts of an agent, and the thresholds of its gates."""

    kind: ClassVar[RunKind] = "research"

    golden: str
    outputs: str
    thresholds: Mapping[str, float] = field(default_factory=dict)
    gates: tuple[str, ...] = ()
    """Which gates decided."""
    slice_by: tuple[tuple[str, ...], ...] = ()
    agent: str | None = None

    def config(self) -> dict[str, Any]:
        """Return everything that decides a number or a verdict."""
        limits = {**DEFAULT_THRESHOLDS, **self.thresholds}
        return {
            "task": TASK,
            "golden": self.golden,
            "outputs": self.outputs,
            "gates": [{"metric": name, "min": limits[name]} for name in self.gates],
            "thresholds": dict(self.thresholds),
            **({"slice_by": [list(keys) for keys in self.slice_by]} if self.slice_by else {}),
            **({"agent": self.agent} if self.agent is not None else {}),
        }

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> Self:
        """Return the recipe of a `config.yaml`; older ones kept only the thresholds of gates that decided."""
        gates = config.get("gates", ())
        return cls(
            golden=str(config["golden"]),
            outputs=str(config["outputs"]),
            thresholds=config.get("thresholds", {gate["metric"]: gate["min"] for gate in gates}),
            gates=tuple(gate["metric"] for gate in gates),
            slice_by=tuple(map(tuple, config.get("slice_by", ()))),
            agent=config.get("agent"),
        )

    def data(self) -> Path:
        """Return the file of the golden queries."""
        return Path(self.golden)

    def judged_by(self, config: Mapping[str, Any]) -> Self:
        """Return the same artifacts: evidence has no other judges."""
        del config
        return self

    def crossed(self, outputs: Self, data: Self) -> Self:
        """Return the artifacts of one run over the golden queries of another."""
        return replace(self, golden=data.golden, outputs=outputs.outputs, slice_by=data.slice_by)
