"""The tests of a policy as one family: one-sided p-values, corrected by Holm, and whether a test could say anything.

The null distributions of the paired tests are symmetric, so the one-sided p of a drop is half of the two-sided one.

Before it: what keeps a rule from being decided.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from steelyard.errors import escape
from steelyard.gates.power import least_p, spread_of
from steelyard.records.comparisons import Paired
from steelyard.records.gates import NEEDS_BASELINE, TESTED, Evidence, MetricRule, Obstacle, Rule
from steelyard.stats.flips import holm

# Why a rule cannot be decided, and what to do about it.


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


ALONE = "none"


@dataclass(frozen=True, slots=True)
class Tested:
    """What the test of one gate found."""

    p_drop: float
    p_corrected: float
    reachable: float
    """What the corrected p would be, had all paired items got worse: no test can say more."""
    tests: int
    """How many tests share the level; 1 where a rule asks for no correction."""
    least_units: int
    """How many independent items it takes for any verdict at the level that Holm asks of the first."""

    @property
    def correction(self) -> str:
        """How p was corrected, in words."""
        return ALONE if self.tests == 1 else f"holm over {self.tests} tests"


def worsening(evidence: Evidence, paired: Paired) -> float | None:
    """Return by how much the candidate is worse; negative where it is better."""
    if paired.delta is None:
        return None
    return paired.delta if evidence.direction == "lower" else -paired.delta


def tested(cases: Sequence[tuple[Rule, Evidence]]) -> list[Tested | None]:
    """Return for each gate what its test found; None where the gate has no test or cannot be decided."""
    alone = [_drop_p(rule, evidence) for rule, evidence in cases]
    family = [
        p if isinstance(rule, MetricRule) and rule.correction == "holm" else None
        for (rule, _), p in zip(cases, alone, strict=True)
    ]
    corrected = holm(family)
    tests = sum(p is not None for p in family)
    return [
        None if p is None else _tested(case, place, p, family, corrected, tests)
        for place, (case, p) in enumerate(zip(cases, alone, strict=True))
    ]


def _tested(
    case: tuple[Rule, Evidence],
    place: int,
    p: float,
    family: Sequence[float | None],
    corrected: Sequence[float | None],
    tests: int,
) -> Tested:
    rule, evidence = case
    assert isinstance(rule, MetricRule)
    assert evidence.paired is not None
    own = corrected[place]
    floor = least_p(_units(evidence.paired))
    level = level_of(rule)
    if own is None:
        return Tested(p, p, floor, 1, _least_units(level))
    best = holm([*family[:place], floor, *family[place + 1 :]])[place]
    assert best is not None
    return Tested(p, own, best, tests, _least_units(level / tests))


def level_of(rule: MetricRule) -> float:
    """Return the level of a rule's test."""
    return rule.value if rule.limit == "no_significant_drop" else SHOWN_LEVEL


SHOWN_LEVEL = 0.05
"""The one-sided level at which `shown_drop` takes a drop as shown."""


def _units(paired: Paired) -> int:
    spread = spread_of(paired)
    return paired.n if spread is None else spread.units


def _least_units(level: float) -> int:
    """Return how many units can give a p under the level.

    >>> _least_units(0.05), _least_units(0.0625)
    (5, 5)
    """
    return math.floor(-math.log2(level)) + 1


def _drop_p(rule: Rule, evidence: Evidence) -> float | None:
    if not isinstance(rule, MetricRule) or rule.limit not in TESTED or obstacle(rule, evidence) is not None:
        return None
    paired = evidence.paired
    if paired is None or paired.p_value is None:
        return None
    worse = worsening(evidence, paired)
    return paired.p_value / 2 if worse is not None and worse > 0 else 1.0
