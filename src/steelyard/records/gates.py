"""Gate policies, what a run shows for each rule, and how each was decided (page 30)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from steelyard.records.comparisons import Figure, Paired
from steelyard.records.scores import Direction

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
