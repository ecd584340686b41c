"""Gate policies, what a run shows for each rule, and the verdict (page 30)."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from steelyard.records.comparisons import Contract, Figure, Paired
from steelyard.records.plans import NOTICE
from steelyard.records.scores import Direction
from steelyard.records.tables import html_table

if TYPE_CHECKING:
    import polars

Outcome: TypeAlias = Literal["pass", "fail", "undecided"]
Level: TypeAlias = Literal["blocking", "advisory"]
Limit: TypeAlias = Literal[
    "min",
    "max",
    "max_drop",
    "max_drop_relative",
    "max_rise",
    "max_rise_relative",
    "no_significant_drop",
    "non_inferior",
]
NEEDS_BASELINE: frozenset[str] = frozenset(
    ("max_drop", "max_drop_relative", "max_rise", "max_rise_relative", "no_significant_drop", "non_inferior")
)
ALLOWANCES = ("dataset", "prompt_version", "quarantined_rows")
"""What a policy may allow: differences from the baseline, and a run with rows set aside."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricRule:
    """A limit on one metric, over all items or a slice."""

    metric: str | None
    """None is the primary metric of the run."""
    limit: Limit
    value: float
    slice: tuple[tuple[str, str], ...] = ()
    slice_each: str | None = None
    min_n: int | None = None
    when_baseline_below: float | None = None
    allow_noise: bool = False
    """Whether the limit is widened by the noise floor that repeats have shown."""
    level: Level = "blocking"
    task: str | None = None

    @property
    def title(self) -> str:
        """The rule in one line, as a table shows it."""
        where = " & ".join(f"{key}={value}" for key, value in self.slice)
        each = f"each {self.slice_each}" if self.slice_each else ""
        place = f" [{where or each}]" if where or each else ""
        return f"{self.metric or 'primary'}{place} {self.limit} {self.value:g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedRule:
    """A limit on items without an answer: their rate, or how many the baseline had answered."""

    max_rate: float | None = None
    max_new: int | None = None
    level: Level = "blocking"
    task: str | None = None

    @property
    def title(self) -> str:
        """The rule in one line."""
        return f"skipped max_new {self.max_new}" if self.max_rate is None else f"skipped max_rate {self.max_rate:g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemsRule:
    """Items that must pass, each of them."""

    items: tuple[str, ...]
    level: Level = "blocking"
    task: str | None = None

    @property
    def title(self) -> str:
        """The rule in one line."""
        shown = ", ".join(self.items[:3])
        return f"items {shown}{' …' if len(self.items) > 3 else ''} must pass"


Rule: TypeAlias = MetricRule | SkippedRule | ItemsRule


@dataclass(frozen=True, slots=True)
class Policy:
    """Rules and what they allow for."""

    rules: tuple[Rule, ...]
    allow: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    """Tasks of a suite that must have been evaluated."""
    source: str = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What the items of a run, and of its baseline, show for one rule over one slice."""

    task: str
    title: str
    metric: str | None = None
    direction: Direction | None = None
    candidate: Figure | None = None
    baseline: Figure | None = None
    paired: Paired | None = None
    noise: float | None = None
    """The noise floor of the metric, where repeats have shown one."""
    obstacle: str = ""
    """Why nothing can be decided against the baseline."""
    n_skipped: int = 0
    n_new_skipped: int | None = None
    n_items: int = 0
    failing_items: tuple[str, ...] = ()
    absent_items: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One gate, decided or not."""

    gate: str
    task: str
    outcome: Outcome
    level: Level
    reason: str
    metric: str | None = None
    limit: float | None = None
    observed: float | None = None
    """What was held against the limit: a value, a drop, a p-value, a count."""
    baseline: float | None = None
    candidate: float | None = None
    n: int | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    p_value: float | None = None
    rule: str = ""
    """The rule of the policy that asked for it; a rule for each slice of a key asks for several."""

    @property
    def blocks(self) -> bool:
        """Whether this keeps a run from passing."""
        return self.level == "blocking" and self.outcome != "pass"


@dataclass(frozen=True, slots=True)
class Grain:
    """What results group by (seed 003): task, model, prompt version, scorer version."""

    task: str
    model: str | None
    prompt_version: str | None
    scorer_version: str | None


@dataclass(frozen=True, slots=True)
class TaskVerdict:
    """One run under a policy: its decisions, and what to look at when it does not pass."""

    task: str
    run: str
    baseline: str | None
    grain: Grain
    contract: Contract
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
    notice: str = NOTICE

    @property
    def outcome(self) -> Outcome:
        """The one word: a failed gate fails; else an undecided one leaves it undecided; no gates decide nothing."""
        blocking = [entry for entry in self.decisions if entry.blocks]
        if any(entry.outcome == "fail" for entry in blocking):
            return "fail"
        decided = any(entry.level == "blocking" for entry in self.decisions)
        return "undecided" if blocking or not decided else "pass"

    @property
    def exit_code(self) -> int:
        """The exit code of the command: 0 passed, 1 a gate failed, 3 undecided."""
        return {"pass": 0, "fail": 1, "undecided": 3}[self.outcome]

    @property
    def line(self) -> str:
        """The verdict as the last line on standard error says it."""
        if self.outcome == "pass":
            return "PASS"
        blocking = sum(entry.blocks for entry in self.decisions)
        return f"{self.outcome.upper()} ({blocking} of {len(self.decisions)} gates)"

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
            "counts": counts | {"gates": len(self.decisions)},
            "gates": [asdict(entry) for entry in self.decisions],
            "tasks": [entry.as_dict() for entry in self.tasks],
            "notice": self.notice,
        }


_OUTCOMES: tuple[Outcome, ...] = ("pass", "fail", "undecided")
