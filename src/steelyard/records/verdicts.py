"""The verdict: whether a run, or the runs of a suite, may ship, and what it rests on (page 30)."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from steelyard.records.columns import html_table
from steelyard.records.comparisons import Contract
from steelyard.records.gates import Decision, Obstacle, Outcome
from steelyard.records.plans import NOTICE

if TYPE_CHECKING:
    import polars


@dataclass(frozen=True, slots=True)
class Grain:
    """What results group by (seed 003): task, model, prompt version, scorer version."""

    task: str
    model: str | None
    prompt_version: str | None
    scorer_version: str | None


@dataclass(frozen=True, slots=True)
class RetaggedItem:
    """An item that has other tags than the baseline had it with: the values that differ, null where there is none."""

    item_id: str
    before: dict[str, str | None]
    after: dict[str, str | None]


@dataclass(frozen=True, slots=True)
class Retagged:
    """Items with other tags than the baseline had them with; rules over slices look at them where the baseline did."""

    n: int = 0
    items: tuple[RetaggedItem, ...] = ()
    """The first of them."""


@dataclass(frozen=True, slots=True)
class MetricSinceFirst:
    """A metric in the first baseline and in the run, over the items that both have."""

    metric: str
    first: float
    current: float
    delta: float
    n: int


@dataclass(frozen=True, slots=True)
class FirstBaseline:
    """The first run that a baseline's name pointed to, and how far the run is from it."""

    name: str
    run: str
    run_id: str
    set_at: str
    metrics: tuple[MetricSinceFirst, ...] = ()
    """The primary metric first, then those that the policy has rules for."""
    reason: str = ""
    """Why there is no delta."""


@dataclass(frozen=True, slots=True)
class TaskVerdict:
    """One run under a policy: its decisions, and what to look at when it does not pass."""

    task: str
    run: str
    baseline: str | None
    grain: Grain
    contract: Contract
    run_id: str = ""
    baseline_id: str | None = None
    first_baseline: FirstBaseline | None = None
    """Where the baseline's name has moved: the first run that it pointed to."""
    retagged: Retagged = Retagged()
    repeats: int = 1
    """How many repeats of each item the run has; each item counts with their mean."""
    baseline_repeats: int = 1
    drift: dict[str, Any] = field(default_factory=dict)
    error_tags: list[dict[str, Any]] = field(default_factory=list)
    failures: list[dict[str, Any]] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """Return the part of one run as JSON has it."""
        return asdict(self) | {"contract": self.contract.as_dict()}


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a run, or the runs of a suite, may ship."""

    name: str
    policy: str
    decisions: tuple[Decision, ...]
    tasks: tuple[TaskVerdict, ...]
    warnings: tuple[str, ...] = ()
    """What a reader must know before the verdict: hardly any answers, a slice that fell and that no rule looks at."""
    notice: str = NOTICE

    def __bool__(self) -> bool:
        """Whether the run may ship: `if gate(...)` is true for a pass alone."""
        return self.outcome == "pass"

    @property
    def outcome(self) -> Outcome:
        """The one word: a failed gate fails; else an undecided one leaves it undecided; no gates decide nothing."""
        blocking = [entry for entry in self.decisions if entry.blocks]
        if any(entry.outcome == "fail" for entry in blocking):
            return "fail"
        return "undecided" if blocking or self.lacking else "pass"

    @property
    def exit_code(self) -> int:
        """The exit code of the command: 0 passed, 1 a gate failed, 3 undecided."""
        return {"pass": 0, "fail": 1, "undecided": 3}[self.outcome]

    @property
    def line(self) -> str:
        """The verdict as the last line on standard error says it."""
        if self.outcome == "pass":
            return f"PASS ({self._note})" if self._note else "PASS"
        if self.lacking:
            return "UNDECIDED (no gate that blocks)"
        blocking = [entry.outcome for entry in self.decisions if entry.blocks]
        found = blocking.count(self.outcome)
        # Of gates that fail, those that could not be decided are no part.
        others = f", {len(blocking) - found} undecided" if len(blocking) > found else ""
        return f"{self.outcome.upper()} ({found} of {len(self.decisions)} gates{others})"

    @property
    def lacking(self) -> Obstacle | None:
        """Why the gates together decide nothing, and what to do, where none of them blocks."""
        blocking = [entry for entry in self.decisions if entry.level == "blocking"]
        if any(entry.applies for entry in blocking):
            return None
        if blocking:
            hint = "write a rule that holds for every baseline, without `when_baseline_below`"
            return Obstacle("no gate applies to this baseline, and no gates decide nothing", hint)
        if not self.decisions:
            hint = "write a rule without `task:`, or one for this task"
            return Obstacle("no gate applies to this run, and no gates decide nothing", hint)
        hint = "take `level: advisory` out of a rule, or name this task under `required:`"
        return Obstacle("all gates are advisory, and gates that do not block decide nothing", hint)

    @property
    def _note(self) -> str:
        """What was seen and what could have been seen; of several tasks, that of the worst one."""
        noted = [entry for entry in self.decisions if entry.note and entry.level == "blocking"]
        if not noted:
            return ""
        worst = max(noted, key=lambda entry: entry.observed or 0.0)
        several = len({entry.task for entry in noted}) > 1
        return f"{worst.task}: {worst.note}" if several else worst.note

    def __repr__(self) -> str:
        return f"Verdict on {self.name}: {self.line}"

    def _repr_html_(self) -> str:
        """Return the verdict for a notebook; what came from data is escaped."""
        rows = [asdict(entry) for entry in self.decisions]
        return html_table(repr(self), ("outcome", "level", "task", "gate", "reason"), rows, self.notice)

    def to_polars(self) -> polars.DataFrame:
        """Return one row per gate."""
        import polars  # noqa: PLC0415 - 0.3 s, for callers who ask for a frame

        return polars.DataFrame([asdict(entry) for entry in self.decisions], infer_schema_length=None)

    def to_pandas(self) -> Any:
        """Return one row per gate as a pandas frame."""
        import pandas  # noqa: PLC0415 - an extra

        return pandas.DataFrame([asdict(entry) for entry in self.decisions])

    def as_dict(self) -> dict[str, Any]:
        """Return the verdict as the JSON object that machines read."""
        counts = {outcome: sum(entry.outcome == outcome for entry in self.decisions) for outcome in _OUTCOMES}
        return {
            "verdict": self.outcome,
            "exit_code": self.exit_code,
            "name": self.name,
            "policy": self.policy,
            "line": self.line,
            "lacking": None if self.lacking is None else asdict(self.lacking),
            "warnings": list(self.warnings),
            "counts": counts | {"gates": len(self.decisions)},
            "gates": [asdict(entry) for entry in self.decisions],
            "tasks": [entry.as_dict() for entry in self.tasks],
            "notice": self.notice,
        }


_OUTCOMES: tuple[Outcome, ...] = ("pass", "fail", "undecided")
