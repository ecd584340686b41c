"""Rules against a baseline: a drop held to a limit, shown by a test, or kept out by an interval."""

from __future__ import annotations

import math
from dataclasses import replace

from steelyard.gates.families import Tested, level_of, worsening
from steelyard.gates.power import false_alarm, spread_of, units_to_separate, units_to_show
from steelyard.gates.wording import Words, number, percent, rounded, sentence, within
from steelyard.records.comparisons import Paired
from steelyard.records.gates import Decision, Evidence, MetricRule, Outcome
from steelyard.stats.detectable import Spread, cautious, could_show

LEVEL = 0.95
"""The level of the intervals that gates print and decide by: one-sided 97.5 %."""
ONE_SIDED = 0.05
"""The one-sided level at which a rule without a test of its own says what so many items can show."""
WORTH_SHOWING = 5
"""`shown_drop` is undecided unless a drop this many times the limit could have been shown: 0.10 for 0.02."""


def against_baseline(
    rule: MetricRule, evidence: Evidence, paired: Paired, found: Decision, test: Tested | None
) -> Decision:
    """Decide a rule that looks back at a baseline, where nothing is in the way."""
    found = _with_figures(found, paired, test)
    assert paired.baseline is not None
    if rule.when_baseline_below is not None and not paired.baseline < rule.when_baseline_below:
        reason = f"does not apply: the baseline is {paired.baseline:.6g}, not below {rule.when_baseline_below:g}"
        return replace(found, outcome="pass", reason=reason, applies=False)
    case = _Case(rule, evidence, paired, found, test)
    match rule.limit:
        case "no_significant_drop":
            return case.significance()
        case "shown_drop":
            return case.shown()
        case "non_inferior":
            return case.non_inferior()
        case _:
            return case.drop()


def _with_figures(found: Decision, paired: Paired, test: Tested | None) -> Decision:
    spread = spread_of(paired)
    return replace(
        found,
        n=paired.n,
        units=paired.n if spread is None else spread.units,
        baseline=paired.baseline,
        candidate=paired.candidate,
        ci_low=paired.ci_low,
        ci_high=paired.ci_high,
        ci_level=None if paired.ci_low is None else paired.level,
        ci_method=paired.method,
        p_value=paired.p_value,
        test=paired.test,
        p_drop=test.p_drop if test else None,
        p_corrected=test.p_corrected if test else None,
        correction=test.correction if test else "",
    )


class _Case:
    """A rule with its figures, as the four kinds of limits look at it."""

    def __init__(
        self, rule: MetricRule, evidence: Evidence, paired: Paired, found: Decision, test: Tested | None
    ) -> None:
        worse = worsening(evidence, paired)
        assert worse is not None
        self.rule, self.evidence, self.paired, self.found, self.test = rule, evidence, paired, found, test
        self.worse = worse
        self.spread = spread_of(paired, evidence.reach)
        self.words = Words(paired.n, self.found.units or paired.n, lower=evidence.direction == "lower")

    @property
    def limit(self) -> float:
        """The limit, widened by the noise floor where the rule allows that."""
        noise = self.evidence.noise if self.rule.allow_noise else None
        return self.rule.value + (noise or 0.0)

    @property
    def limit_text(self) -> str:
        """The limit as the reason names it."""
        noise = self.evidence.noise if self.rule.allow_noise else None
        widened = "" if noise is None else f" ({self.rule.value:g} and a noise floor of {noise:.4g})"
        return f"{self.limit:g}{widened}"

    def drop(self) -> Decision:
        """Hold the observed drop against the limit, whatever chance may have done."""
        found, worse, limit = self.found, self.worse, self.limit
        detectable, unit, absolute = self.detectable(ONE_SIDED), "", ""
        if self.rule.limit.endswith("relative"):
            assert self.paired.baseline is not None
            if self.paired.baseline == 0 and rounded(worse) > 0:
                reason = "the baseline is 0, so a relative change is undefined"
                return replace(found, reason=reason, hint="use max_drop or max_rise, which are absolute")
            scale = abs(self.paired.baseline)
            # The interval is in the metric's own units, so the drop is said in them, too.
            unit, absolute = " of the baseline", f" (absolute: {self.words.change(worse)})"
            worse, limit = (worse / scale if scale else 0.0), limit * scale
            detectable = detectable / scale if detectable is not None and scale else None
        alarm = self.chance_alone(limit)
        reason = f"{self.words.change(worse)}{unit}{absolute} on {self.words.items}, limit {self.limit_text}"
        context = sentence(["" if alarm is None else self.alarm(alarm), self.words.shows(detectable, unit)])
        outcome: Outcome = "pass" if within(worse, self.limit) else "fail"
        return replace(
            found, outcome=outcome, observed=rounded(worse), reason=f"{reason}{self.interval()}", context=context,
            detectable=_finite(detectable), false_alarm=alarm,
        )  # fmt: skip

    def chance_alone(self, limit: float) -> float | None:
        """Return how often equal runs go beyond a limit; None where nothing tells how far items may differ."""
        seen = None if self.spread is None else _seen(self.spread)
        if seen is None or (seen.changed is None and not seen.deviation):
            return None
        return false_alarm(seen, limit)

    def alarm(self, alarm: float) -> str:
        """Say how often chance alone would fail the rule."""
        unchanged = self.spread is not None and not (self.spread.changed or self.spread.deviation)
        which = " that differs in one item of ten" if unchanged else ""
        return f"an equally good run{which} fails this in {percent(alarm)} of cases"

    def significance(self) -> Decision:
        """Fail where the test shows a drop; undecided where it could not have shown the worst."""
        test, level = self.test, level_of(self.rule)
        if test is None:
            hint = "max_drop asks for no test"
            return replace(self.found, reason=self.paired.reason or "there is no test for this metric", hint=hint)
        detectable = self.detectable(level / test.tests)
        said = [
            f"{self.words.change(self.worse)} on {self.words.items}, {self.moved()}",
            self.p_text(test, level),
        ]
        found = replace(
            self.found, observed=test.p_corrected, detectable=_finite(detectable), reason=sentence(said),
            context=self.words.shows(detectable),
        )  # fmt: skip
        if test.p_corrected < level:
            return replace(found, outcome="fail")
        if test.reachable >= level:
            return self.unreachable(found, test)
        return replace(found, outcome="pass")

    def unreachable(self, found: Decision, test: Tested) -> Decision:
        """Return the decision where no answers whatever could have failed the rule."""
        needed = self.words.items_of(test.least_units)
        context = f"had every item got worse, p would be {number(test.reachable)}: too few items for this test"
        hint = f"{needed} items or more can decide; evaluate more, or use max_drop"
        return replace(found, context=context, hint=hint, decides_n=needed)

    def shown(self) -> Decision:
        """Fail a drop beyond the limit that the test shows; undecided where the test could hardly show any."""
        test, level = self.test, level_of(self.rule)
        if test is None:
            hint = "max_drop asks for no test"
            return replace(self.found, reason=self.paired.reason or "there is no test for this metric", hint=hint)
        detectable = self.detectable(level / test.tests)
        beyond, significant = not within(self.worse, self.limit), test.p_corrected < level
        state = "" if self.worse <= 0 else ", shown by the test" if significant else ", not shown by the test"
        said = [
            f"{self.words.change(self.worse)}{state}, on {self.words.items}, limit {self.limit_text}{self.interval()}",
            self.p_text(test, level),
        ]
        found = replace(
            self.found, observed=rounded(self.worse), detectable=_finite(detectable), reason=sentence(said),
            context=self.words.shows(detectable),
            note=self.words.note(self.worse, detectable, shown=significant and self.worse > 0),
        )  # fmt: skip
        if beyond and significant:
            return replace(found, outcome="fail")
        worth = WORTH_SHOWING * self.limit
        if beyond and (detectable is None or rounded(detectable) > worth):
            return self.too_few(found, worth, level / test.tests)
        return replace(found, outcome="pass")

    def too_few(self, found: Decision, worth: float, level: float) -> Decision:
        """Return the decision where a drop was seen that so many items can neither show nor exclude."""
        needed = None
        if self.spread is not None:
            units = units_to_show(cautious(self.spread), worth, level)
            needed = None if units is None else max(self.words.items_of(units), self.words.n + 1)
        about = "more items than there are" if needed is None else f"about {needed:,} items"
        hint = f"{about} would decide: they show a {self.words.bad} of {worth:g} in four of five cases"
        return replace(found, hint=hint, decides_n=needed)

    def non_inferior(self) -> Decision:
        """Pass where the whole interval is better than the margin, fail where it is worse, else undecided."""
        low, high = self.paired.ci_low, self.paired.ci_high
        if low is None or high is None:
            reason = self.paired.reason or "there is no interval for this metric"
            return replace(self.found, reason=reason, hint="max_drop asks for no interval")
        worst, best = (high, low) if self.words.lower else (-low, -high)
        detectable = self.detectable((1 - LEVEL) / 2)
        found = replace(
            self.found, observed=rounded(worst), detectable=_finite(detectable), context=self.words.shows(detectable),
            reason=f"{self.words.change(self.worse)} on {self.words.items}{self.interval()}, margin {self.limit_text}",
        )  # fmt: skip
        if within(worst, self.limit):
            return replace(found, outcome="pass")
        if not within(best, self.limit):
            return replace(found, outcome="fail")
        return self.straddling(found, worst)

    def straddling(self, found: Decision, worst: float) -> Decision:
        """Return the decision where the margin lies inside the interval."""
        distance = abs(self.limit - self.worse)
        units = None
        if self.spread is not None:
            units = units_to_separate(self.spread, distance, abs(worst - self.worse))
        needed = None if units is None else self.words.items_of(units)
        if needed is None:
            hint = f"a {self.words.bad} on the margin itself is decided by no number of items"
        else:
            hint = f"about {needed:,} items would decide, if the difference stays as it is"
        reason = f"{found.reason}; the true change may lie on either side of the margin"
        return replace(found, reason=reason, hint=hint, decides_n=needed)

    def detectable(self, level: float) -> float | None:
        """Return the smallest drop that so many items show at a level; None where the spread is not known."""
        return None if self.spread is None else could_show(self.spread, level)

    def interval(self) -> str:
        """Return the interval of the difference as the reason names it."""
        if self.paired.ci_low is None:
            return ""
        return f", delta in [{self.paired.ci_low:+.4f}, {self.paired.ci_high:+.4f}]"

    def moved(self) -> str:
        """Return how many items got better and worse."""
        return f"{self.paired.improved} improved and {self.paired.regressed} regressed"

    def p_text(self, test: Tested, level: float) -> str:
        """Return the p of a drop with its test, side and correction."""
        corrected = "" if test.tests == 1 else f", {number(test.p_corrected)} by Holm over {test.tests} tests"
        # Where nothing got worse the test of a drop is not asked: its p is at least 0.5, and counts as 1.
        found = number(test.p_drop) if self.worse > 0 else "at least 0.5"
        return f"p {found}{corrected} (one-sided, {self.paired.test}), level {level:g}"


def _seen(spread: Spread) -> Spread:
    """Return the spread that was seen; where no item differs at all, that of one item in ten."""
    return spread if spread.changed or spread.deviation else cautious(spread)


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
