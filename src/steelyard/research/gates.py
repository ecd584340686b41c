"""The four gates of seed 002: a metric, a threshold, an explicit status. Decided by counts, never by floats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from steelyard.errors import ConfigurationError, Problem, quoted
from steelyard.research.faults import kind
from steelyard.research.measures import GATED, MANIFEST_INTEGRITY, Measurement

GateStatus: TypeAlias = Literal["PASS", "FAIL", "NOT_APPLICABLE"]
ReportStatus: TypeAlias = Literal["PASS", "FAIL", "UNDECIDED", "SYSTEM_ERROR"]

DEFAULT_THRESHOLDS: dict[str, float] = {
    "evidence_coverage_rate": 0.95,
    "golden_recall": 0.80,
    "abstention_accuracy": 0.90,
    "manifest_integrity": 1.00,
}
"""Seed 002's MVP defaults."""


@dataclass(frozen=True, slots=True)
class GateVerdict:
    """One gate, decided."""

    measurement: Measurement
    threshold: float

    @property
    def status(self) -> GateStatus:
        """PASS at or above the threshold; a gate over nothing is NOT_APPLICABLE."""
        counts = self.measurement
        if not counts.denominator:
            return "NOT_APPLICABLE"
        reached = Fraction(counts.numerator, counts.denominator) >= Fraction(repr(self.threshold))
        return "PASS" if reached else "FAIL"

    @property
    def condition(self) -> str:
        """The threshold as the seed writes it, `>= 0.95` or `= 1.00`."""
        exact = self.measurement.ratio is MANIFEST_INTEGRITY and self.threshold == 1
        shown = f"{self.threshold:.2f}" if round(self.threshold, 2) == self.threshold else repr(self.threshold)
        return f"{'=' if exact else '>='} {shown}"

    def facts(self) -> dict[str, Any]:
        """Return the gate as the report has it."""
        counts = self.measurement
        return {
            "metric": counts.ratio.name,
            "title": counts.ratio.title,
            "value": counts.value,
            "numerator": counts.numerator,
            "denominator": counts.denominator,
            "threshold": self.threshold,
            "condition": self.condition,
            "status": self.status,
        }


def decide(measurements: Mapping[str, Measurement], thresholds: Mapping[str, float]) -> list[GateVerdict]:
    """Return the four gates, decided, in seed 002's order."""
    return [GateVerdict(measurements[ratio.name], float(thresholds[ratio.name])) for ratio in GATED]


def overall(verdicts: Sequence[GateVerdict]) -> ReportStatus:
    """Return FAIL where a gate fails, PASS where one passes; where none applies nothing was shown."""
    statuses = {verdict.status for verdict in verdicts}
    if "FAIL" in statuses:
        return "FAIL"
    return "PASS" if "PASS" in statuses else "UNDECIDED"


def parse_thresholds(values: Mapping[str, Any], *, file: str | None = None) -> dict[str, float]:
    """Return the thresholds of a gates file: `{metric: threshold}`, or page 30's `gates: [{metric, min}]`."""
    listed = values.get("gates") if set(values) == {"gates"} else None
    pairs = _listed_gates(listed, file) if listed is not None else list(values.items())
    problems = [_problem(name, value, file) for name, value in pairs]
    problems += [_twice(name, file) for name in DEFAULT_THRESHOLDS if [pair[0] for pair in pairs].count(name) > 1]
    found = [problem for problem in problems if problem is not None]
    if found:
        raise ConfigurationError(found)
    return {name: float(value) for name, value in pairs}


def _listed_gates(listed: Any, file: str | None) -> list[tuple[Any, Any]]:
    entries = listed if isinstance(listed, list) else [listed]
    for entry in entries:
        if not isinstance(entry, dict) or set(entry) != {"metric", "min"}:
            hint = "write `- {metric: golden_recall, min: 0.8}`; other rules go to `steelyard gate --policy`"
            message = f"a gate is {kind(entry)}, expected an object with 'metric' and 'min'"
            raise ConfigurationError(Problem("bad-configuration", message, hint=hint, file=file))
    return [(entry["metric"], entry["min"]) for entry in entries]


def _problem(name: Any, value: Any, file: str | None) -> Problem | None:
    if name not in DEFAULT_THRESHOLDS:
        hint = f"the gates are {', '.join(DEFAULT_THRESHOLDS)}"
        return Problem("unknown-key", f"there is no gate {quoted(str(name))}", hint=hint, file=file)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        message = f"the threshold of {name} is {kind(value)}, expected a number from 0 to 1"
        return Problem("bad-configuration", message, hint="write 0.95 for 95 percent", file=file)
    return None


def _twice(name: str, file: str | None) -> Problem:
    return Problem("bad-configuration", f"the gate {name} stands twice", hint="keep one of the two", file=file)
