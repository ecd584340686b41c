"""What rules are over: tasks and slices. One that names a place that is not there is a mistake, and never passes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from steelyard.errors import ConfigurationError, Problem, quoted
from steelyard.items.named_fields import listed, nearest, unknown_tag
from steelyard.records.gates import Decision, MetricRule, Policy, Rule
from steelyard.records.plans import SEPARATOR
from steelyard.runs.stored import StoredRun
from steelyard.verdicts.evidence import Case


def refuse_unknown_tags(policy: Policy, runs: Sequence[StoredRun]) -> None:
    """Raise for every tag of a rule that no item of any run has."""
    known = {tag for run in runs for tag in run.columns.tag_keys}
    unknown = dict.fromkeys(key for rule in policy.rules for key in _tags(rule) if key not in known)
    if runs and unknown:
        raise ConfigurationError([_unknown_tag(key, known, policy.source) for key in unknown])


def _tags(rule: Rule) -> list[str]:
    """Return the tags that a rule names."""
    if not isinstance(rule, MetricRule):
        return []
    return [*(key for key, _ in rule.slice), *(rule.slice_each.split(SEPARATOR) if rule.slice_each else ())]


def _unknown_tag(key: str, known: Collection[str], file: str) -> Problem:
    problem = unknown_tag(key, known, whose="a gate names, and no item has,")
    parts = [part.strip() for part in key.replace("&", "+").split("+")]
    hint = problem.hint
    if len(parts) > 1 and set(parts) <= set(known):
        hint = f"two tags are crossed as {quoted(SEPARATOR.join(parts))}"
    return Problem(problem.code, problem.message, hint=hint, file=file)


def held_rules(case: Case, policy: Policy) -> tuple[list[Rule], list[Decision]]:
    """Return the rules that are over a run, and the gates of those whose tag none of its items has."""
    of_task = [rule for rule in policy.rules if rule.task in (None, case.task)]
    known = {tag for run in (case.run, case.baseline) if run is not None for tag in run.columns.tag_keys}
    lacking = {rule: found for rule in of_task if (found := [key for key in _tags(rule) if key not in known])}
    hint = "name the tasks that have it: `task: NAME`"
    return [rule for rule in of_task if rule not in lacking], [
        _undecided(rule, case.task, f"no item of {case.task} has the tag {quoted(found[0])}", hint)
        for rule, found in lacking.items()
    ]


def of_other_tasks(policy: Policy, tasks: Collection[str]) -> Iterator[Decision]:
    """Yield a gate for each rule over a task that is not there: whoever misspells it must not pass by that."""
    for rule in policy.rules:
        if rule.task is not None and rule.task not in tasks:
            reason = f"there is no run of the task {quoted(rule.task)}; there is {listed(sorted(tasks))}"
            hint = nearest(rule.task, tasks) or "gate a suite that has it, or take the rule out"
            yield _undecided(rule, rule.task, reason, hint)


def _undecided(rule: Rule, task: str, reason: str, hint: str) -> Decision:
    metric = rule.metric if isinstance(rule, MetricRule) else None
    return Decision(
        gate=rule.title, task=task, outcome="undecided", level=rule.level, reason=reason, hint=hint, metric=metric,
        rule=rule.title,
    )  # fmt: skip
