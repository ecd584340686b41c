"""The gates of a task file, checked when it is read: what is wrong with them is told before a model is asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from steelyard.configuration.policy import task_policy
from steelyard.errors import ConfigurationError, Problem, quoted
from steelyard.items.named_fields import listed, nearest
from steelyard.records.gates import MetricRule, Policy, Rule
from steelyard.records.plans import FORMAT_COMPLIANCE, LOSS_METRICS, MATRIX_METRICS, RULE_PREFIX
from steelyard.registry import metric_definition, metrics
from steelyard.tasks.loading import EvaluateOptions
from steelyard.tasks.preparation import METRIC, Prepared

OVER_REPEATS = "repeats"


def check_gates(prepared: Prepared, options: EvaluateOptions) -> None:
    """Raise everything that is wrong with the gates of a task: keys, ranges, metrics, tasks."""
    if not prepared.task.gates:
        return
    file = str(options.task_file or "gates")
    policy = task_policy(prepared.task.gates, file=file)
    problems = [*_other_tasks(policy, prepared.task.task, file)]
    if not _overridden(options):
        problems += unknown_metrics(policy.rules, reported_names(prepared), file)
    if problems:
        raise ConfigurationError(problems)


def _overridden(options: EvaluateOptions) -> bool:
    """Return whether the command line asks for other figures than the task, whose gates are right all the same."""
    return (options.metrics, options.scorer, options.answer_type) != (None, None, None)


def _other_tasks(policy: Policy, own: str, file: str) -> Iterator[Problem]:
    """Yield a problem for every other task that a gate names: a task's own gates hold for its own runs alone."""
    named = [*policy.required, *(rule.task for rule in policy.rules if rule.task is not None)]
    for name in dict.fromkeys(named):
        if name != own:
            message = f"a gate names the task {quoted(name)}, and these are the gates of {quoted(own)}"
            hint = nearest(name, [own]) or "gates over several tasks stand in a suite file"
            yield Problem("bad-policy", message, hint=hint, file=file)


def unknown_metrics(rules: Sequence[Rule], known: Sequence[str], file: str) -> Iterator[Problem]:
    """Yield a problem for every metric of a rule that is none of those which are reported."""
    named = [rule.metric for rule in rules if isinstance(rule, MetricRule) and rule.metric is not None]
    for name in dict.fromkeys(named):
        if name not in known and not _is_over_repeats(name):
            yield _unknown_metric(name, known, file)


def _unknown_metric(name: str, known: Sequence[str], file: str) -> Problem:
    message = f"a gate is on {quoted(name)}, which is not reported; these are: {listed(known)}"
    registered = {definition.name for definition in metrics()}
    if name in registered:
        return Problem("unknown-name", message, hint=f"add {name} to `metrics`", file=file)
    hint = nearest(name, {*known, *registered}) or "name one of them, or add it to `metrics`"
    return Problem("unknown-name", message, hint=hint, file=file)


def _is_over_repeats(name: str) -> bool:
    """Return whether a metric comes of `--repeats`, which no task file knows of."""
    definition = metric_definition(name)
    return definition is not None and definition.kind == OVER_REPEATS


def reported_names(prepared: Prepared) -> list[str]:
    """Return the names of all figures of a task's report that are one number, the primary first."""
    plan = prepared.report
    return list(
        dict.fromkeys(
            [
                plan.primary,
                *plan.metrics,
                *plan.corpus,
                *(MATRIX_METRICS if plan.classification else ()),
                *(LOSS_METRICS if plan.losses else ()),
                *((FORMAT_COMPLIANCE, *(RULE_PREFIX + name for name in plan.rules)) if plan.rules else ()),
                *((METRIC,) if prepared.gold is not None else ()),
            ]
        )
    )
