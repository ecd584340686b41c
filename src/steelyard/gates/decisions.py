"""One rule and its evidence to one decision, with a sentence that says why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from steelyard.errors import escape
from steelyard.gates.limits import at_least, at_most, most_items, rounded, within
from steelyard.records.comparisons import Paired
from steelyard.records.gates import (
    NEEDS_BASELINE,
    Decision,
    Evidence,
    ItemsRule,
    MetricRule,
    Outcome,
    Rule,
    SkippedRule,
)
from steelyard.stats import holm


def decide_all(cases: Sequence[tuple[Rule, Evidence]]) -> tuple[Decision, ...]:
    """Decide every gate; tests for a significant drop are corrected by Holm over all of them."""
    tested = [_drop_p(rule, evidence) for rule, evidence in cases]
    corrected = holm(tested)
    return tuple(decide(rule, evidence, p_drop=p) for (rule, evidence), p in zip(cases, corrected, strict=True))


def decide(rule: Rule, evidence: Evidence, *, p_drop: float | None = None) -> Decision:
    """Decide one gate. `p_drop` is the corrected p-value of a drop, where the rule asks for one."""
    match rule:
        case MetricRule():
            found = _metric(rule, evidence, p_drop)
        case SkippedRule():
            found = _skipped(rule, evidence)
        case ItemsRule():
            found = _items(rule, evidence)
    return replace(found, rule=rule.title)


def worsening(evidence: Evidence, paired: Paired) -> float | None:
    """Return by how much the candidate is worse; negative where it is better."""
    if paired.delta is None:
        return None
    return paired.delta if evidence.direction == "lower" else -paired.delta


def _drop_p(rule: Rule, evidence: Evidence) -> float | None:
    """Return the one-sided p-value of a drop: the null distributions are symmetric, so it is half the two-sided one."""
    if not isinstance(rule, MetricRule) or rule.limit != "no_significant_drop" or _obstacle(rule, evidence):
        return None
    paired = evidence.paired
    if paired is None or paired.p_value is None:
        return None
    worse = worsening(evidence, paired)
    return paired.p_value / 2 if worse is not None and worse > 0 else 1.0


def _obstacle(rule: MetricRule, evidence: Evidence) -> str:
    """Return why a rule cannot be decided, or an empty text."""
    figure = evidence.candidate
    if figure is None:
        return f"the run has no metric {escape(evidence.metric or '')}"
    if figure.n == 0:
        return "no items are in it"
    if figure.value is None:
        return "the metric is undefined over these items"
    if rule.limit in NEEDS_BASELINE:
        return _baseline_obstacle(rule, evidence)
    return f"n is {figure.n}, under min_n {rule.min_n}" if rule.min_n and figure.n < rule.min_n else ""


def _baseline_obstacle(rule: MetricRule, evidence: Evidence) -> str:
    if evidence.obstacle:
        return evidence.obstacle
    if evidence.direction is None:
        return f"{escape(evidence.metric or '')} declares no direction, so neither way is a drop"
    paired = evidence.paired
    if paired is None or paired.delta is None or paired.baseline is None:
        return "no items are in both runs" if paired is None or not paired.reason else paired.reason
    if rule.min_n and paired.n < rule.min_n:
        return f"n is {paired.n}, under min_n {rule.min_n}"
    if rule.allow_noise and evidence.noise is None:
        return "allow_noise needs a run with repeats (`steelyard eval --repeats N`)"
    return ""


def _metric(rule: MetricRule, evidence: Evidence, p_drop: float | None) -> Decision:
    found = Decision(
        gate=evidence.title,
        task=evidence.task,
        outcome="undecided",
        level=rule.level,
        reason=_obstacle(rule, evidence),
        metric=evidence.metric,
        limit=rule.value,
        baseline=evidence.baseline.value if evidence.baseline else None,
        candidate=evidence.candidate.value if evidence.candidate else None,
        n=evidence.candidate.n if evidence.candidate else 0,
    )
    if found.reason:
        return found
    if rule.limit in NEEDS_BASELINE:
        assert evidence.paired is not None
        return _against_baseline(rule, evidence, evidence.paired, found, p_drop)
    return _absolute(rule, found)


def _absolute(rule: MetricRule, found: Decision) -> Decision:
    assert found.candidate is not None
    passed = at_least(found.candidate, rule.value) if rule.limit == "min" else at_most(found.candidate, rule.value)
    sign = ">=" if rule.limit == "min" else "<="
    reason = f"{found.candidate:.6g} on {found.n} items, wanted {sign} {rule.value:g}"
    return replace(found, outcome=_outcome(passed=passed), observed=found.candidate, reason=reason)


def _against_baseline(
    rule: MetricRule, evidence: Evidence, paired: Paired, found: Decision, p_drop: float | None
) -> Decision:
    found = replace(
        found,
        n=paired.n,
        baseline=paired.baseline,
        candidate=paired.candidate,
        ci_low=paired.ci_low,
        ci_high=paired.ci_high,
        p_value=paired.p_value,
    )
    assert paired.baseline is not None
    if rule.when_baseline_below is not None and not paired.baseline < rule.when_baseline_below:
        reason = f"does not apply: the baseline is {paired.baseline:.6g}, not below {rule.when_baseline_below:g}"
        return replace(found, outcome="pass", reason=reason)
    if rule.limit == "no_significant_drop":
        return _significance(rule, paired, found, p_drop)
    if rule.limit == "non_inferior":
        return _non_inferior(rule, evidence, paired, found)
    return _drop(rule, evidence, paired, found)


def _drop(rule: MetricRule, evidence: Evidence, paired: Paired, found: Decision) -> Decision:
    worse = worsening(evidence, paired)
    assert worse is not None
    limit, noise = _widened(rule, evidence)
    if rule.limit in ("max_drop_relative", "max_rise_relative"):
        assert paired.baseline is not None
        if paired.baseline == 0 and rounded(worse) > 0:
            return replace(found, reason="the baseline is 0, so a relative change is undefined")
        worse = worse / abs(paired.baseline) if paired.baseline else 0.0
    unit = " of the baseline" if rule.limit.endswith("relative") else ""
    word = _word(worse, evidence)
    interval = f", delta in {_interval(paired)}" if paired.ci_low is not None else ""
    reason = f"{word} {abs(rounded(worse)):g}{unit} on {paired.n} items, limit {limit:g}{noise}{interval}"
    return replace(found, outcome=_outcome(passed=within(worse, limit)), observed=rounded(worse), reason=reason)


def _word(worse: float, evidence: Evidence) -> str:
    rises = (worse > 0) == (evidence.direction == "lower")
    return "rise" if rises and rounded(worse) else "drop"


def _widened(rule: MetricRule, evidence: Evidence) -> tuple[float, str]:
    if not rule.allow_noise or evidence.noise is None:
        return rule.value, ""
    return rule.value + evidence.noise, f" ({rule.value:g} and a noise floor of {evidence.noise:.4g})"


def _significance(rule: MetricRule, paired: Paired, found: Decision, p_drop: float | None) -> Decision:
    if p_drop is None:
        return replace(found, reason=paired.reason or "there is no test for this metric")
    reason = f"p of a drop is {p_drop:.4g} after Holm ({paired.test}), level {rule.value:g}; {_counts(paired)}"
    return replace(found, outcome=_outcome(passed=p_drop >= rule.value), observed=p_drop, reason=reason)


def _non_inferior(rule: MetricRule, evidence: Evidence, paired: Paired, found: Decision) -> Decision:
    lower_is_better = evidence.direction == "lower"
    end = paired.ci_high if lower_is_better else paired.ci_low
    if end is None:
        return replace(found, reason=paired.reason or "there is no interval for this metric")
    limit, noise = _widened(rule, evidence)
    worst = end if lower_is_better else -end
    reason = f"delta in {_interval(paired)} on {paired.n} items, margin {limit:g}{noise}"
    return replace(found, outcome=_outcome(passed=within(worst, limit)), observed=rounded(worst), reason=reason)


def _skipped(rule: SkippedRule, evidence: Evidence) -> Decision:
    found = Decision(
        gate=evidence.title, task=evidence.task, outcome="undecided", level=rule.level, reason="", n=evidence.n_items
    )
    if not evidence.n_items:
        return replace(found, reason="the run has no items")
    if rule.max_rate is not None:
        most = most_items(rule.max_rate, evidence.n_items)
        reason = f"{evidence.n_skipped} of {evidence.n_items} items were skipped, at most {most} may be"
        passed = evidence.n_skipped <= most
        return replace(
            found, outcome=_outcome(passed=passed), observed=evidence.n_skipped, limit=rule.max_rate, reason=reason
        )
    if evidence.obstacle or evidence.n_new_skipped is None:
        return replace(found, reason=evidence.obstacle or "there is no baseline")
    assert rule.max_new is not None
    reason = (
        f"{evidence.n_new_skipped} items were skipped that the baseline had answered, at most {rule.max_new} may be"
    )
    passed = evidence.n_new_skipped <= rule.max_new
    return replace(
        found, outcome=_outcome(passed=passed), observed=evidence.n_new_skipped, limit=rule.max_new, reason=reason
    )


def _items(rule: ItemsRule, evidence: Evidence) -> Decision:
    wanted = len(rule.items)
    failing, absent = list(evidence.failing_items), list(evidence.absent_items)
    found = Decision(
        gate=evidence.title, task=evidence.task, outcome="pass", level=rule.level, reason=f"all {wanted} pass", n=wanted
    )
    if failing:
        reason = f"{len(failing)} of {wanted} do not pass: {escape(', '.join(failing[:5]))}"
        return replace(found, outcome="fail", observed=len(failing), reason=reason)
    if absent:
        reason = f"{len(absent)} of {wanted} are not in the run: {escape(', '.join(absent[:5]))}"
        return replace(found, outcome="undecided", reason=reason)
    return found


def _outcome(*, passed: bool) -> Outcome:
    return "pass" if passed else "fail"


def _interval(paired: Paired) -> str:
    return f"[{paired.ci_low:+.4f}, {paired.ci_high:+.4f}]"


def _counts(paired: Paired) -> str:
    return f"{paired.improved} improved, {paired.regressed} regressed of {paired.n}"
