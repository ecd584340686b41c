"""Gate policies: the rules of page 30, checked when they are loaded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

from pydantic import Field, field_validator, model_validator

from steelyard.configuration.problems import Strict, checked
from steelyard.errors import ConfigurationError, Problem
from steelyard.records.gates import (
    ALLOWANCES,
    TESTED,
    Correction,
    ItemsRule,
    Level,
    Limit,
    MetricRule,
    Policy,
    Rule,
    SkippedRule,
)
from steelyard.registry import direction_of, is_bounded
from steelyard.registry.parameters import suggestion

_LIMITS: tuple[Limit, ...] = get_args(Limit)
_DROPS = ("max_drop", "max_drop_relative", "max_rise", "max_rise_relative", "non_inferior", "shown_drop")

DEFAULT_RULES: tuple[Rule, ...] = (
    MetricRule(metric=None, limit="shown_drop", value=0.02),
    SkippedRule(max_new=0),
)
"""Seed 003's default limits, with page 02's evidence: no drop in the primary metric beyond 0.02 that the paired test
shows, and no new skipped items."""


class SkippedLimit(Strict):
    """`{max_rate: 0.01}` or `{max_new: 0}`."""

    max_rate: float | None = Field(default=None, ge=0, le=1)
    max_new: int | None = Field(default=None, ge=0)

    @model_validator(mode="after")
    def _one(self) -> SkippedLimit:
        if (self.max_rate is None) == (self.max_new is None):
            raise ValueError("skipped needs exactly one of max_rate and max_new")
        return self


class RuleEntry(Strict):
    """One entry of `gates:`: a limit on a metric, on skipped items, or on named items."""

    metric: str | None = Field(default=None, min_length=1)
    min: float | None = None
    max: float | None = None
    max_drop: float | None = Field(default=None, ge=0)
    max_drop_relative: float | None = Field(default=None, ge=0, le=1)
    max_rise: float | None = Field(default=None, ge=0)
    max_rise_relative: float | None = Field(default=None, ge=0)
    no_significant_drop: float | None = Field(default=None, gt=0, lt=0.5)
    """A level, not a confidence: a one-sided test at 0.5 and more calls every drop shown."""
    non_inferior: float | None = Field(default=None, ge=0)
    shown_drop: float | None = Field(default=None, ge=0)
    slice: dict[str, str | int | bool] | None = None
    slice_each: str | None = Field(default=None, min_length=1)
    min_n: int | None = Field(default=None, ge=1)
    when_baseline_below: float | None = None
    allow_noise: bool = False
    unanswered: float | None = None
    correction: Correction | None = None
    skipped: SkippedLimit | None = None
    items: tuple[str, ...] | None = Field(default=None, strict=False)
    must: Literal["pass"] | None = None
    level: Level = "blocking"
    task: str | None = None

    @field_validator("items", mode="before")
    @classmethod
    def _lists(cls, value: Any) -> Any:
        return tuple(str(entry) for entry in value) if isinstance(value, list) else value

    @model_validator(mode="after")
    def _is_one_rule(self) -> RuleEntry:
        given = [name for name in ("metric", "skipped", "items") if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"a gate is on a metric, on skipped or on items; this one has {given or 'none'}")
        if self.metric is None:
            self._refuse_metric_keys()
        elif len(self.limits) != 1:
            raise ValueError(f"a gate on {self.metric} needs exactly one limit of {', '.join(_LIMITS)}")
        if (self.items is None) != (self.must is None) or self.items == ():
            raise ValueError("items: [ID, …] goes with must: pass, and names at least one")
        return self

    def _refuse_metric_keys(self) -> None:
        keys = ("slice", "slice_each", "min_n", "when_baseline_below", "unanswered", "correction")
        wrong = [*self.limits, *(name for name in keys if getattr(self, name) is not None)]
        if wrong or self.allow_noise:
            raise ValueError(f"{', '.join(wrong) or 'allow_noise'} goes with metric")

    @model_validator(mode="after")
    def _slices(self) -> RuleEntry:
        if self.slice is not None and self.slice_each is not None:
            raise ValueError("slice and slice_each are both given: give one")
        if self.slice == {}:
            raise ValueError("slice names no tag")
        if self.when_baseline_below is not None and self.limits and self.limits[0] in ("min", "max"):
            raise ValueError("when_baseline_below goes with a limit against the baseline")
        if self.allow_noise and self.limits and self.limits[0] not in _DROPS:
            raise ValueError(f"allow_noise goes with {', '.join(_DROPS)}")
        if self.correction is not None and not TESTED.intersection(self.limits):
            raise ValueError(f"correction goes with {', '.join(sorted(TESTED))}")
        return self

    @property
    def limits(self) -> list[Limit]:
        """The limits that are given."""
        return [name for name in _LIMITS if getattr(self, name) is not None]

    def rule(self) -> Rule:
        """Return the entry as the record that gates work with."""
        if self.skipped is not None:
            limit = self.skipped
            return SkippedRule(max_rate=limit.max_rate, max_new=limit.max_new, level=self.level, task=self.task)
        if self.items is not None:
            return ItemsRule(items=self.items, level=self.level, task=self.task)
        limit_name = self.limits[0]
        return MetricRule(
            metric=self.metric,
            limit=limit_name,
            value=float(getattr(self, limit_name)),
            slice=tuple((key, _tag(value)) for key, value in (self.slice or {}).items()),
            slice_each=self.slice_each,
            min_n=self.min_n,
            when_baseline_below=self.when_baseline_below,
            allow_noise=self.allow_noise,
            unanswered=self.unanswered,
            correction=self.correction or "holm",
            level=self.level,
            task=self.task,
        )


def _tag(value: str | int | bool) -> str:  # noqa: FBT001 - a tag's value as YAML gives it
    return str(value).lower() if isinstance(value, bool) else str(value)


class Allowances(Strict):
    """What a policy allows for, and the tasks that it requires."""

    allow: tuple[str, ...] = Field(default=(), strict=False)
    required: tuple[str, ...] = Field(default=(), strict=False)

    @field_validator("allow", "required", mode="before")
    @classmethod
    def _tuples(cls, value: Any) -> Any:
        return tuple(value) if isinstance(value, list) else value

    @field_validator("allow")
    @classmethod
    def _known(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for name in value:
            if name not in ALLOWANCES:
                near = suggestion(name, ALLOWANCES)
                raise ValueError(f"allow: {name!r} is none of {', '.join(ALLOWANCES)}{f'; {near}' if near else ''}")
        return value


class PolicyFile(Allowances):
    """`gates: […]`, and what the policy allows for."""

    gates: tuple[RuleEntry, ...] = Field(strict=False)

    @field_validator("gates", mode="before")
    @classmethod
    def _lists(cls, value: Any) -> Any:
        return tuple(value) if isinstance(value, list) else value

    @field_validator("gates")
    @classmethod
    def _some(cls, value: tuple[RuleEntry, ...]) -> tuple[RuleEntry, ...]:
        if not value:
            raise ValueError("a policy without gates decides nothing")
        return value


def parse_policy(values: Mapping[str, Any], *, file: str) -> Policy:
    """Return a policy from the content of its file.

    >>> parse_policy({"gates": [{"metric": "f1", "min": 0.8}]}, file="gates.yaml").rules[0].title
    'f1 min 0.8'
    """
    found = checked(PolicyFile, _lifted(values), file=file)
    rules = tuple(entry.rule() for entry in found.gates)
    _check_limits(rules, file)
    return Policy(rules, found.allow, found.required, file)


def suite_policy(values: Mapping[str, Any], *, file: str) -> Policy:
    """Return the policy of a suite; one that has no rules has the default ones.

    >>> suite_policy({"required": ["qa"]}, file="suite.yaml").required
    ('qa',)
    """
    if values.get("gates"):
        return parse_policy(values, file=file)
    found = checked(Allowances, {name: value for name, value in values.items() if name != "gates"}, file=file)
    return Policy(DEFAULT_RULES, found.allow, found.required, file)


def task_policy(gates: object, *, file: str) -> Policy:
    """Return the policy that stands in a task's configuration under `gates:`."""
    return parse_policy({"gates": list(gates) if isinstance(gates, list | tuple) else gates}, file=file)


def default_policy() -> Policy:
    """Return what holds without a policy."""
    return Policy(DEFAULT_RULES)


def _lifted(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content with `{allow: […]}` and `{required: […]}` among the gates moved beside them."""
    found = dict(values)
    gates = found.get("gates")
    if not isinstance(gates, list):
        return found
    for key in ("allow", "required"):
        entries = [entry for entry in gates if isinstance(entry, dict) and set(entry) == {key}]
        if entries:
            found[key] = _listed([found.get(key), *(entry[key] for entry in entries)])
            gates = [entry for entry in gates if entry not in entries]
    return found | {"gates": gates}


def _listed(values: Sequence[Any]) -> Any:
    """Return lists as one; what is none is returned as it is, for the file's own check to refuse."""
    wrong = [value for value in values if value is not None and not isinstance(value, list)]
    return wrong[0] if wrong else list(dict.fromkeys(name for value in values for name in value or ()))


def _check_limits(rules: Sequence[Rule], file: str) -> None:
    problems = []
    for rule in rules:
        message = _limit_problem(rule) if isinstance(rule, MetricRule) else ""
        if message:
            problems.append(Problem("bad-policy", f"{rule.title}: {message}", file=file))
    if problems:
        raise ConfigurationError(problems)


def _limit_problem(rule: MetricRule) -> str:
    """Return why a limit cannot be meant, given what is registered about its metric."""
    if rule.metric is None:
        return ""
    absolute = rule.limit in ("min", "max", "max_drop", "max_rise", "non_inferior", "shown_drop")
    if absolute and not 0 <= rule.value <= 1 and is_bounded(rule.metric):
        return f"{rule.metric} lies in [0, 1], and the limit is {rule.value:g}"
    direction = direction_of(rule.metric)
    if direction == "lower" and rule.limit in ("max_drop", "max_drop_relative"):
        return f"{rule.metric} is better when lower: use {rule.limit.replace('drop', 'rise')}"
    if direction == "higher" and rule.limit in ("max_rise", "max_rise_relative"):
        return f"{rule.metric} is better when higher: use {rule.limit.replace('rise', 'drop')}"
    return ""
