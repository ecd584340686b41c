"""Gate policies, what a run shows for each rule, and how each was decided (page 30)."""

from __future__ import annotations

from dataclasses import dataclass, field
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
    "shown_drop",
]
NEEDS_BASELINE: frozenset[str] = frozenset(
    (
        "max_drop",
        "max_drop_relative",
        "max_rise",
        "max_rise_relative",
        "no_significant_drop",
        "non_inferior",
        "shown_drop",
    )
)
TESTED: frozenset[str] = frozenset(("no_significant_drop", "shown_drop"))
"""Limits that a test decides: those of a policy are one family."""
Correction: TypeAlias = Literal["holm", "none"]
ALLOWANCES = (
    "dataset",
    "scorer",
    "task",
    "canonical",
    "schema_version",
    "prompt_version",
    "model",
    "quarantined_rows",
)
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
    unanswered: float | None = None
    """What counts for no answer, where a metric has no value then; None leaves such a gate undecided."""
    correction: Correction = "holm"
    """How a test is corrected for the others of its policy."""
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


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why something cannot be decided, and a hint that helps."""

    reason: str
    hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What the items of a run, and of its baseline, show for one rule over one slice."""

    task: str
    title: str
    metric: str | None = None
    direction: Direction | None = None
    slice: tuple[tuple[str, str], ...] = ()
    candidate: Figure | None = None
    baseline: Figure | None = None
    paired: Paired | None = None
    standard_error: float | None = None
    """Of the candidate's own figure, clusters counted as one; None where single items do not decide it."""
    noise: float | None = None
    """The noise floor of the metric, where repeats have shown one."""
    reach: float | None = None
    """How far one item's value can change; None where nothing bounds it."""
    obstacle: Obstacle | None = None
    """Why nothing can be decided against the baseline."""
    absent: str = ""
    """Why the run has not the metric, where that is known."""
    meant: str = ""
    """Which tag was perhaps meant, where no item is in the slice."""
    n_answered: int | None = None
    """How many items of the whole run have an answer that could be read; None where nobody counted."""
    n_baseline_answered: int | None = None
    """How many of the rule's items the baseline answered."""
    n_silent: int = 0
    """Items without a value because the run gave no answer, which the baseline answered where there is one.

    Where the rule says what counts for no answer, those are counted with it, and what is left was answered otherwise.
    """
    gained: Obstacle | None = None
    """Why silence would be a gain: what counts for no answer is better than what answers have."""
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
    context: str = ""
    """What the reason is worth: how often chance alone fails the rule, what so many items can show."""
    hint: str = ""
    """What to do where nothing could be decided."""
    metric: str | None = None
    slice: dict[str, str] = field(default_factory=dict)
    limit: float | None = None
    observed: float | None = None
    """What was held against the limit: a value, a drop, a p-value, a count."""
    baseline: float | None = None
    candidate: float | None = None
    n: int | None = None
    units: int | None = None
    """How many of the items are independent of each other: all, or as many as there are clusters."""
    ci_low: float | None = None
    ci_high: float | None = None
    ci_level: float | None = None
    ci_method: str = ""
    p_value: float | None = None
    """Two-sided, as `steelyard compare` has it."""
    p_drop: float | None = None
    """One-sided, for a drop, before correction."""
    p_corrected: float | None = None
    test: str = ""
    correction: str = ""
    """How the p of a drop was corrected: `holm over 3 tests`, or `none`."""
    detectable: float | None = None
    """The smallest drop that so many items show with 80 % power, in the limit's units; null where none is known."""
    decides_n: int | None = None
    """How many items would decide, where these could not."""
    false_alarm: float | None = None
    """How often equal runs of this size and discordance fail the rule."""
    family_false_alarm: float | None = None
    """How often equal runs fail one rule or more of those for each slice of a key."""
    note: str = ""
    """What a verdict that passes says of this gate on its last line."""
    applies: bool = True
    """Whether the rule was held at all: false where it is for a baseline below a value, and the baseline is not."""
    failing: tuple[str, ...] = ()
    """Where a rule over a slice failed: the first of that slice's items that do not pass."""
    rule: str = ""
    """The rule of the policy that asked for it; a rule for each slice of a key asks for several."""

    @property
    def blocks(self) -> bool:
        """Whether this keeps a run from passing."""
        return self.level == "blocking" and self.outcome != "pass"
