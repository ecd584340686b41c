"""Why a rule cannot be decided, and what to do about it."""

from __future__ import annotations

from steelyard.errors import escape
from steelyard.records.gates import NEEDS_BASELINE, Evidence, MetricRule, Obstacle

SHOW_ITEMS = "`steelyard runs items RUN --failing` shows what came back; check the prediction field and the model"
BASELINE_SILENT = Obstacle("the baseline answered none of these items", "hold the run against one that has answers")


def nothing_answered(evidence: Evidence) -> Obstacle | None:
    """Return the obstacle of a run without a single answer: nothing is known about its model."""
    if evidence.n_answered != 0:
        return None
    return Obstacle("no item of the run has an answer, and a run without answers shows nothing", SHOW_ITEMS)


def obstacle(rule: MetricRule, evidence: Evidence) -> Obstacle | None:
    """Return why a rule on a metric cannot be decided, or None."""
    figure, metric = evidence.candidate, escape(evidence.metric or "")
    if figure is None and evidence.absent:
        return Obstacle(evidence.absent, "evaluate with --repeats N")
    if figure is None:
        return Obstacle(f"the run has no metric {metric}", f"evaluate with --metrics {metric}, or rescore with it")
    unanswered = nothing_answered(evidence)
    if unanswered is not None:
        return unanswered
    if figure.n == 0:
        return Obstacle(
            "no items are in it", evidence.meant or "evaluate items of this slice too, or take the rule out"
        )
    if evidence.n_silent:
        return _silent(rule, evidence)
    if evidence.gained is not None:
        return evidence.gained
    if figure.value is None:
        return Obstacle("the metric is undefined over these items", SHOW_ITEMS)
    if rule.limit in NEEDS_BASELINE:
        return _against_baseline(rule, evidence)
    return _too_few(rule, figure.n)


def _silent(rule: MetricRule, evidence: Evidence) -> Obstacle:
    whom, metric = (
        "that the baseline answered" if rule.limit in NEEDS_BASELINE else "of the run",
        escape(evidence.metric or ""),
    )
    if rule.unanswered is not None:
        # What has no answer counts with the rule's value already: these were answered with what cannot be measured.
        reason = f"{evidence.n_silent} items {whom} have an answer without a value of {metric}"
        return Obstacle(reason, "`unanswered` counts for no answer alone: see what came back, or give these a value")
    reason = f"{evidence.n_silent} items {whom} have no answer, and {metric} has no value there"
    return Obstacle(reason, "`unanswered: VALUE` in the rule says what counts for no answer")


def _against_baseline(rule: MetricRule, evidence: Evidence) -> Obstacle | None:
    if evidence.obstacle is not None:
        return evidence.obstacle
    if evidence.n_baseline_answered == 0:
        return BASELINE_SILENT
    if evidence.direction is None:
        reason = f"{escape(evidence.metric or '')} declares no direction, so neither way is a drop"
        return Obstacle(reason, "use min or max, which need none")
    paired = evidence.paired
    if paired is None or paired.delta is None or paired.baseline is None:
        reason = "no items are in both runs" if paired is None or not paired.reason else paired.reason
        return Obstacle(reason, "evaluate both runs on the same items")
    if rule.allow_noise and evidence.noise is None:
        return Obstacle("allow_noise needs a run with repeats", "`steelyard eval TASK --repeats 3` makes one")
    return _too_few(rule, paired.n)


def _too_few(rule: MetricRule, n: int) -> Obstacle | None:
    if rule.min_n is None or n >= rule.min_n:
        return None
    return Obstacle(f"n is {n}, under min_n {rule.min_n}", f"evaluate {rule.min_n} items or more, or lower min_n")
