"""One rule and its evidence to one decision: every rule of page 30, at its limit and beyond."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steelyard.gates.decisions import decide, decide_all
from steelyard.records.comparisons import Figure, Paired
from steelyard.records.gates import Evidence, ItemsRule, MetricRule, Obstacle, SkippedRule

RULE = MetricRule(metric="f1", limit="max_drop", value=0.02)


def paired(
    baseline: float, candidate: float, *, n: int = 100, p: float = 1.0, ends=(-0.05, 0.05), broken: int = 0
) -> Paired:
    delta = candidate - baseline
    found = Paired(delta, *ends, p, "mcnemar-exact", n, 0, broken, n - broken, 0.1)
    error = max(0.0, broken / n - delta * delta) ** 0.5 / n**0.5
    return replace(found, baseline=baseline, candidate=candidate, units=n, standard_error=error)


def shown(baseline: float, candidate: float, *, direction="higher", noise=None, **more) -> Evidence:
    found = paired(baseline, candidate, **more)
    return Evidence(
        task="t", title="gate", metric="f1", direction=direction, noise=noise,
        candidate=Figure(found.n, candidate), baseline=Figure(found.n, baseline), paired=found,
    )  # fmt: skip


def outcome(evidence: Evidence, **rule) -> str:
    return decide(replace(RULE, **rule), evidence).outcome


@pytest.mark.parametrize(
    ("limit", "value", "baseline", "candidate", "expected"),
    [
        ("min", 0.80, 0.5, 0.80, "pass"),
        ("min", 0.3, 0.5, 0.1 + 0.2, "pass"),
        ("min", 0.80, 0.5, 0.7999999, "fail"),
        ("max", 0.30, 0.5, 0.30, "pass"),
        ("max", 0.30, 0.5, 0.31, "fail"),
        ("max_drop", 0.02, 0.82, 0.80, "pass"),
        ("max_drop", 0.02, 0.8200004, 0.80, "pass"),  # 0.02 to six decimals
        ("max_drop", 0.02, 0.820001, 0.80, "fail"),
        ("max_drop", 0.0, 0.5, 0.5, "pass"),
        ("max_drop", 0.02, 0.5, 0.9, "pass"),
        ("max_drop_relative", 0.05, 0.80, 0.76, "pass"),
        ("max_drop_relative", 0.05, 0.80, 0.7599, "fail"),
        ("max_drop_relative", 0.05, 0.0, 0.1, "pass"),
    ],
)
def test_a_value_at_the_limit_passes_and_one_beyond_fails(limit, value, baseline, candidate, expected):
    assert outcome(shown(baseline, candidate), limit=limit, value=value) == expected


@pytest.mark.parametrize(("candidate", "expected"), [(2.5, "pass"), (2.6, "fail"), (1.0, "pass")])
def test_a_rise_is_limited_where_lower_is_better(candidate: float, expected: str):
    assert outcome(shown(2.0, candidate, direction="lower"), limit="max_rise", value=0.5) == expected


def test_a_relative_drop_from_zero_is_undecided():
    evidence = shown(0.0, 0.1, direction="lower")
    assert outcome(evidence, limit="max_rise_relative", value=0.5) == "undecided"


@pytest.mark.parametrize(
    ("ends", "direction", "expected"),
    [
        ((-0.02, 0.01), "higher", "pass"),
        ((-0.0201, 0.5), "higher", "undecided"),
        ((-0.3, -0.0201), "higher", "fail"),
        ((-0.3, -0.02), "higher", "undecided"),
        ((-0.5, 0.02), "lower", "pass"),
        ((-0.5, 0.021), "lower", "undecided"),
        ((0.021, 0.5), "lower", "fail"),
        ((None, None), "higher", "undecided"),
    ],
)
def test_non_inferiority_takes_the_whole_interval_to_one_side_of_the_margin(ends, direction, expected):
    evidence = shown(0.5, 0.5, ends=ends, direction=direction)
    assert outcome(evidence, limit="non_inferior", value=0.02) == expected


def significance(*pairs: tuple[float, float]) -> list[str]:
    """Decide a policy of drop tests, each a delta and its two-sided p."""
    rule = replace(RULE, limit="no_significant_drop", value=0.05)
    return [entry.outcome for entry in decide_all([(rule, shown(0.5, 0.5 + delta, p=p)) for delta, p in pairs])]


def test_a_significant_drop_fails_and_a_significant_gain_does_not():
    assert significance((-0.1, 0.01)) == ["fail"]
    assert significance((0.1, 0.01)) == ["pass"]
    assert significance((0.0, 1.0)) == ["pass"]


def test_the_test_is_one_sided():
    assert significance((-0.1, 0.09)) == ["fail"]  # half of 0.09 is under 0.05
    assert significance((-0.1, 0.10)) == ["pass"]  # exactly at the level


@pytest.mark.parametrize(("n", "expected"), [(4, "undecided"), (5, "fail")])
def test_a_test_that_could_not_reach_its_level_decides_nothing(n: int, expected: str):
    """Four of four broken is p 0.0625, five of five 0.03125: figures of the binomial distribution."""
    rule = replace(RULE, limit="no_significant_drop", value=0.05)
    (found,) = decide_all([(rule, shown(1.0, 0.0, n=n, p=2 * 0.5**n, broken=n))])
    assert found.outcome == expected
    assert found.decides_n == (5 if n == 4 else None)


def test_holm_takes_more_items_to_reach_a_level():
    rule = replace(RULE, limit="no_significant_drop", value=0.05)
    six = shown(0.5, 0.5, n=6)  # 0.5^6 is 0.0156: enough alone, too little among four
    assert [entry.outcome for entry in decide_all([(rule, six)])] == ["pass"]
    found = decide_all([(rule, six)] * 4)
    assert {(entry.outcome, entry.decides_n) for entry in found} == {("undecided", 7)}  # 0.05 / 4 > 0.5^7


def test_a_rule_may_ask_for_no_correction():
    rule = replace(RULE, limit="no_significant_drop", value=0.05)
    cases = [(replace(rule, correction="none"), shown(0.5, 0.4, p=0.06)), (rule, shown(0.5, 0.4, p=0.09))]
    found = decide_all(cases)
    assert [entry.outcome for entry in found] == ["fail", "fail"]
    assert [entry.correction for entry in found] == ["none", "none"]


def default(baseline: float, candidate: float, **more):
    (found,) = decide_all([(replace(RULE, limit="shown_drop"), shown(baseline, candidate, **more))])
    return found


def test_the_default_fails_a_drop_beyond_its_limit_that_is_shown():
    assert default(0.9, 0.8, n=200, p=0.02, broken=20).outcome == "fail"
    assert default(0.9, 0.889, n=200, p=0.02, broken=20).outcome == "pass"


def test_the_default_is_undecided_where_a_drop_was_seen_and_hardly_any_could_have_been_shown():
    found = default(0.9, 0.6, n=20, p=0.109, broken=10)
    assert found.outcome == "undecided"
    assert found.decides_n == pytest.approx(309, abs=30)  # (1.645 + 0.842)² 0.5 / 0.1²


def test_the_default_says_what_it_saw_and_what_it_could_have_seen():
    assert default(0.9, 0.879, n=200, p=0.5, broken=4).note == "drop 0.021 not shown; 200 items show 0.058"
    assert default(0.9, 0.9, n=200).note == "no drop; 200 items show 0.058"
    assert default(0.9, 0.95, n=200).note == "rise 0.050; 200 items can show a drop of 0.058"
    assert default(0.9, 0.9, n=3).note == "no drop; 3 items are too few to show any"


def test_a_limit_on_the_drop_says_how_often_chance_alone_fails_it():
    evidence = shown(0.9, 0.9, n=100, broken=10)
    # 10 in 100 change: 3 lost more than gained, or more, by the binomial distributions: 0.2120
    assert decide(RULE, evidence).false_alarm == pytest.approx(0.2120, abs=2e-4)
    each = replace(RULE, slice_each="source")
    first, second = decide_all([(each, evidence), (each, evidence)])
    assert first.family_false_alarm == second.family_false_alarm == pytest.approx(1 - (1 - 0.2120) ** 2, abs=4e-4)


@pytest.mark.parametrize(
    "rule", [RULE, replace(RULE, limit="min", value=0.0), SkippedRule(max_rate=1.0), ItemsRule(items=("a",))]
)
def test_a_run_that_answered_nothing_decides_nothing(rule):
    evidence = replace(shown(0.5, 0.5), n_answered=0, n_items=100, n_new_skipped=0)
    assert decide(rule, evidence).outcome == "undecided"


def test_a_baseline_that_answered_nothing_decides_nothing():
    evidence = replace(shown(0.0, 0.5), n_answered=100, n_baseline_answered=0)
    assert decide(RULE, evidence).outcome == "undecided"
    assert decide(replace(RULE, limit="min", value=0.4), evidence).outcome == "pass"


def test_a_model_does_not_gain_by_silence():
    evidence = replace(shown(2.0, 1.0, direction="lower"), n_silent=3)
    rule = replace(RULE, limit="max_rise", value=0.5)
    assert decide(rule, evidence).outcome == "undecided"
    counted = replace(rule, unanswered=9.0)
    assert decide(counted, replace(evidence, n_silent=0)).outcome == "pass"
    assert "an answer without a value" in decide(counted, evidence).reason  # what has no answer has the rule's value


def test_a_relative_limit_speaks_of_the_baseline_and_of_the_metrics_own_units():
    found = decide(replace(RULE, limit="max_drop_relative", value=0.05), shown(0.5, 0.4, n=100))
    assert found.reason.startswith("drop 0.2 of the baseline (absolute: drop 0.1) on 100 items, limit 0.05")
    absolute = decide(replace(RULE, limit="max_drop", value=0.05), shown(0.5, 0.4, n=100))
    assert found.detectable == pytest.approx(absolute.detectable / 0.5)
    assert f"can show a drop of {found.detectable:.3f} of the baseline or more" in found.context


@pytest.mark.parametrize(("metric", "few"), [("mae", False), ("f1", True)])
def test_a_distance_over_1_is_no_distance_only_where_the_metric_cannot_be_so_far_off(metric, few):
    evidence = replace(shown(0.5, 0.5), metric=metric, standard_error=1.1)
    found = decide(replace(RULE, metric=metric, limit="max", value=0.9), evidence)
    assert ("too few to show any distance" in found.context) is few


def test_values_without_bounds_that_do_not_differ_tell_neither_false_alarms_nor_what_could_be_shown():
    still = replace(paired(3.0, 3.0), test="sign-flip-permutation", improved=0, regressed=0, standard_error=0.0)
    found = decide(replace(RULE, limit="max_drop", value=0.02), replace(shown(3.0, 3.0), paired=still))
    assert (found.outcome, found.false_alarm, found.detectable) == ("pass", None, None)
    assert found.context == "what so many items can show is not known"


def test_holm_corrects_over_the_policy():
    # One-sided 0.02, 0.03 and 0.04: Holm asks 3 * 0.02 = 0.06 of the first, so none is significant.
    assert significance((-0.1, 0.04), (-0.1, 0.06), (-0.1, 0.08)) == ["pass", "pass", "pass"]
    assert significance((-0.1, 0.02), (-0.1, 0.9), (-0.1, 0.9)) == ["fail", "pass", "pass"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"candidate": None, "paired": None}, "no metric"),
        ({"candidate": Figure(0, None)}, "no items"),
        ({"candidate": Figure(5, None)}, "undefined"),
        ({"obstacle": Obstacle("incomparable: task differs", "--allow task")}, "incomparable"),
        ({"paired": None}, "no items are in both"),
        ({"direction": None}, "no direction"),
    ],
)
def test_what_cannot_be_decided_is_undecided_and_blocks(change, reason: str):
    decision = decide(RULE, replace(shown(0.5, 0.5), **change))
    assert (decision.outcome, decision.blocks) == ("undecided", True)
    assert reason in decision.reason
    assert decision.hint


@pytest.mark.parametrize(("n", "expected"), [(20, "pass"), (19, "undecided")])
@pytest.mark.parametrize("limit", ["max_drop", "min"])
def test_fewer_items_than_min_n_decide_nothing(n: int, expected: str, limit: str):
    assert outcome(shown(0.5, 0.5, n=n), limit=limit, min_n=20) == expected


def test_a_drop_on_few_items_fails_and_shows_its_interval():
    decision = decide(RULE, shown(0.9, 0.5, n=3, ends=(-0.9, 0.2)))
    assert decision.outcome == "fail"
    assert (decision.observed, decision.limit, decision.n, decision.ci_low) == (0.4, 0.02, 3, -0.9)
    assert "[-0.9000, +0.2000]" in decision.reason


@pytest.mark.parametrize(("baseline", "expected"), [(0.19, "fail"), (0.20, "pass"), (0.9, "pass")])
def test_a_rule_for_low_baselines_applies_below_its_bound(baseline: float, expected: str):
    evidence = shown(baseline, baseline * 0.5)
    assert outcome(evidence, limit="max_drop_relative", value=0.10, when_baseline_below=0.20) == expected


def test_the_noise_floor_widens_a_limit_where_the_rule_allows_it():
    assert outcome(shown(0.85, 0.80, noise=0.03)) == "fail"
    assert outcome(shown(0.85, 0.80, noise=0.03), allow_noise=True) == "pass"
    assert outcome(shown(0.86, 0.80, noise=0.03), allow_noise=True) == "fail"
    assert outcome(shown(0.85, 0.80, noise=None), allow_noise=True) == "undecided"


def test_an_advisory_gate_does_not_block():
    decision = decide(replace(RULE, level="advisory"), shown(0.9, 0.5))
    assert (decision.outcome, decision.blocks) == ("fail", False)


def test_newly_skipped_items_are_undecided_where_the_baseline_answered_none():
    evidence = Evidence(task="t", title="skipped", n_items=9, n_new_skipped=0, n_answered=9, n_baseline_answered=0)
    found = decide(SkippedRule(max_new=0), evidence)
    assert (found.outcome, found.reason) == ("undecided", "the baseline answered none of these items")


@pytest.mark.parametrize(("skipped", "expected"), [(0, "pass"), (7, "pass"), (8, "fail")])
def test_skipped_items_are_counted_as_integers(skipped: int, expected: str):
    evidence = Evidence(task="t", title="skipped", n_items=100, n_skipped=skipped)
    assert decide(SkippedRule(max_rate=0.07), evidence).outcome == expected


@pytest.mark.parametrize(("new", "expected"), [(0, "pass"), (1, "fail"), (None, "undecided")])
def test_newly_skipped_items_are_limited(new, expected: str):
    evidence = Evidence(task="t", title="skipped", n_items=100, n_new_skipped=new)
    assert decide(SkippedRule(max_new=0), evidence).outcome == expected


@pytest.mark.parametrize(
    ("failing", "absent", "expected"), [((), (), "pass"), (("a",), ("b",), "fail"), ((), ("b",), "undecided")]
)
def test_named_items_must_pass_and_be_there(failing, absent, expected: str):
    evidence = Evidence(task="t", title="items", failing_items=failing, absent_items=absent)
    assert decide(ItemsRule(items=("a", "b")), evidence).outcome == expected


unit = st.floats(0, 1)


@given(baseline=unit, candidate=unit, first=unit, second=unit, limit=st.sampled_from(["max_drop", "min"]))
def test_a_stricter_limit_never_turns_fail_into_pass(baseline, candidate, first, second, limit):
    strict, loose = (
        (min(first, second), max(first, second)) if limit == "max_drop" else (max(first, second), min(first, second))
    )
    evidence = shown(baseline, candidate)
    if outcome(evidence, limit=limit, value=loose) == "fail":
        assert outcome(evidence, limit=limit, value=strict) == "fail"
