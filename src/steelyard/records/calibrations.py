"""How often a gate is wrong on the items it will be used on: what `steelyard calibrate` found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from steelyard.records.gates import Outcome


@dataclass(frozen=True, slots=True)
class Rate:
    """How many of the imagined runs met something, with the 95 % Wilson interval of the share."""

    count: int
    n: int
    low: float
    high: float

    @property
    def value(self) -> float:
        """The share."""
        return self.count / self.n

    def as_dict(self) -> dict[str, Any]:
        """Return the rate as JSON has it."""
        return {"value": self.value, "count": self.count, "n": self.n, "ci_low": self.low, "ci_high": self.high}


@dataclass(frozen=True, slots=True)
class GateRates:
    """One gate, or the whole policy, over imagined runs."""

    gate: str
    equal: Mapping[Outcome, Rate]
    """How often each outcome came up for runs that are as good as the baseline."""
    worse: Mapping[Outcome, Rate]
    """The same for runs that are worse by the stated drop."""

    def as_dict(self) -> dict[str, Any]:
        """Return the gate as JSON has it."""
        sides = {"equal": self.equal, "worse": self.worse}
        rates = {side: {name: rate.as_dict() for name, rate in found.items()} for side, found in sides.items()}
        return {"gate": self.gate, **rates}


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """False alarms and misses of one policy on one baseline's items."""

    baseline: str
    baseline_id: str
    policy: str
    metric: str
    n_items: int
    basis: str
    """Where the imagined runs come from: repeats, or a stated flip rate."""
    drop: float
    """By how much the worse runs are worse, in the primary metric."""
    flip_rate: float
    """The share of items whose primary score changed between equal runs, as drawn."""
    simulations: int
    seed: int
    verdict: GateRates
    gates: tuple[GateRates, ...]
    not_drawn: tuple[str, ...] = ()
    """Metrics of the policy that single items do not decide: they stay as the baseline has them in every run."""

    @property
    def false_alarm(self) -> Rate:
        """How often the policy fails a run that is no worse."""
        return self.verdict.equal["fail"]

    @property
    def miss(self) -> Rate:
        """How often the policy passes a run that is worse."""
        return self.verdict.worse["pass"]

    def as_dict(self) -> dict[str, Any]:
        """Return the calibration as the JSON object that machines read."""
        plain = asdict(self)
        return plain | {
            "not_drawn": list(self.not_drawn),
            "false_alarm": self.false_alarm.as_dict(),
            "miss": self.miss.as_dict(),
            "verdict": self.verdict.as_dict(),
            "gates": [entry.as_dict() for entry in self.gates],
        }
