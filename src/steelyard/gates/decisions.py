"""One rule and its evidence to one decision, with a sentence that says why."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from steelyard.errors import escape
from steelyard.gates.drops import against_baseline
from steelyard.gates.families import BASELINE_SILENT, Tested, nothing_answered, obstacle, tested
from steelyard.gates.power import normal_reach
from steelyard.gates.wording import at_least, at_most, most_items, percent, sentence
from steelyard.records.gates import (
    NEEDS_BASELINE,
    Decision,
    Evidence,
    ItemsRule,
    MetricRule,
    Obstacle,
    Outcome,
    Rule,
    SkippedRule,
)
from steelyard.registry import is_bounded

# What it means to look at every slice of a key at once: a limit kept by each is passed by chance less often.


def with_family_alarms(rules: Sequence[Rule], decisions: Sequence[Decision]) -> list[Decision]:
    """Return decisions of which those of one rule for each slice say how often equal runs fail any of them."""
    families: dict[tuple[str, str], list[Decision]] = {}
    for rule, found in zip(rules, decisions, strict=True):
        if isinstance(rule, MetricRule) and rule.slice_each is not None and found.false_alarm is not None:
            families.setdefault((found.task, found.rule), []).append(found)
    return [_with_alarm(found, families.get((found.task, found.rule), [])) for found in decisions]


def _with_alarm(found: Decision, family: Sequence[Decision]) -> Decision:
    if found.false_alarm is None or len(family) < 2:
        return found
    # The items of different slices are different items, so equal runs pass each of them independently.
    alarm = 1 - math.prod(1 - (entry.false_alarm or 0.0) for entry in family)
    found_again = replace(found, family_false_alarm=alarm)
    if found is not family[0]:
        return found_again
    said = f"an equally good run fails one or more of these {len(family)} slices in {percent(alarm)} of cases"
    return replace(found_again, context=sentence([said, found.context]))


def decide_all(cases: Sequence[tuple[Rule, Evidence]]) -> tuple[Decision, ...]:
    """Decide every gate; tests for a drop are corrected by Holm over all of them."""
    found = [decide(*case, test=test) for case, test in zip(cases, tested(cases), strict=True)]
    return tuple(with_family_alarms([rule for rule, _ in cases], found))


def decide(rule: Rule, evidence: Evidence, *, test: Tested | None = None) -> Decision:
    """Decide one gate. `test` is what the rule's test found among those of its policy."""
    match rule:
        case MetricRule():
            found = _metric(rule, evidence, test)
        case SkippedRule():
            found = _skipped(rule, evidence)
        case ItemsRule():
            found = _items(rule, evidence)
    return replace(found, rule=rule.title)


def _undecided(rule: Rule, evidence: Evidence) -> Decision:
    return Decision(gate=evidence.title, task=evidence.task, outcome="undecided", level=rule.level, reason="")


def _metric(rule: MetricRule, evidence: Evidence, test: Tested | None) -> Decision:
    found = replace(
        _undecided(rule, evidence),
        metric=evidence.metric,
        slice=dict(evidence.slice),
        limit=rule.value,
        baseline=evidence.baseline.value if evidence.baseline else None,
        candidate=evidence.candidate.value if evidence.candidate else None,
        n=evidence.candidate.n if evidence.candidate else 0,
    )
    hindered = obstacle(rule, evidence)
    if hindered is not None:
        return replace(found, reason=hindered.reason, hint=hindered.hint)
    if rule.limit in NEEDS_BASELINE:
        assert evidence.paired is not None
        return against_baseline(rule, evidence, evidence.paired, found, test)
    return _absolute(rule, evidence, found)


def _absolute(rule: MetricRule, evidence: Evidence, found: Decision) -> Decision:
    assert found.candidate is not None
    passed = at_least(found.candidate, rule.value) if rule.limit == "min" else at_most(found.candidate, rule.value)
    sign = ">=" if rule.limit == "min" else "<="
    reason = f"{found.candidate:.6g} on {found.n} items, wanted {sign} {rule.value:g}"
    found = replace(found, outcome=outcome_of(passed=passed), observed=found.candidate, reason=reason)
    if not evidence.standard_error:
        return found
    reach = normal_reach(evidence.standard_error)
    if reach >= 1 and 0 <= rule.value <= 1 and is_bounded(evidence.metric or "") is not False:
        return replace(found, context=f"{found.n} items are too few to show any distance from the limit")
    return replace(
        found, detectable=reach, context=f"{found.n} items can show a distance of {reach:.2g} or more from the limit"
    )


def _skipped(rule: SkippedRule, evidence: Evidence) -> Decision:
    found = replace(_undecided(rule, evidence), n=evidence.n_items)
    unanswered = nothing_answered(evidence)
    if not evidence.n_items:
        return replace(found, reason="the run has no items", hint="evaluate some")
    if unanswered is not None:
        return replace(found, reason=unanswered.reason, hint=unanswered.hint)
    if rule.max_rate is not None:
        most = most_items(rule.max_rate, evidence.n_items)
        reason = f"{evidence.n_skipped} of {evidence.n_items} items were skipped, at most {most} may be"
        passed = evidence.n_skipped <= most
        return replace(
            found, outcome=outcome_of(passed=passed), observed=evidence.n_skipped, limit=rule.max_rate, reason=reason
        )
    if evidence.obstacle is not None or evidence.n_new_skipped is None:
        hindered = evidence.obstacle or Obstacle("there is no baseline", "give --against BASELINE")
        return replace(found, reason=hindered.reason, hint=hindered.hint)
    if evidence.n_baseline_answered == 0:
        return replace(found, reason=BASELINE_SILENT.reason, hint=BASELINE_SILENT.hint)
    assert rule.max_new is not None
    reason = (
        f"{evidence.n_new_skipped} items were skipped that the baseline had answered, at most {rule.max_new} may be"
    )
    passed = evidence.n_new_skipped <= rule.max_new
    return replace(
        found, outcome=outcome_of(passed=passed), observed=evidence.n_new_skipped, limit=rule.max_new, reason=reason
    )


def _items(rule: ItemsRule, evidence: Evidence) -> Decision:
    wanted = len(rule.items)
    failing, absent = list(evidence.failing_items), list(evidence.absent_items)
    found = replace(_undecided(rule, evidence), n=wanted)
    unanswered = nothing_answered(evidence)
    if unanswered is not None:
        return replace(found, reason=unanswered.reason, hint=unanswered.hint)
    if failing:
        reason = f"{len(failing)} of {wanted} do not pass: {escape(', '.join(failing[:5]))}"
        return replace(found, outcome="fail", observed=len(failing), reason=reason)
    if absent:
        reason = f"{len(absent)} of {wanted} are not in the run: {escape(', '.join(absent[:5]))}"
        return replace(found, reason=reason, hint="evaluate the dataset that has them, or correct their ids")
    return replace(found, outcome="pass", reason=f"all {wanted} pass")


def outcome_of(*, passed: bool) -> Outcome:
    """Return the word for a limit that is kept or not."""
    return "pass" if passed else "fail"
