"""What the simulations of gates rest on: every rule and size is there, drawn truths are true, and faults are found."""

import math
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from steelyard.comparison.means import MeanMeasure
from steelyard.gates import drops, families
from steelyard.records.gates import NEEDS_BASELINE, TESTED, Limit, MetricRule

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

import test_rule_rates as rule_rates  # noqa: E402 - found on the path that was just set
from made_pairs import KINDS, RULES, SIZES, _decided, counted, decisions, exact  # noqa: E402 - the same

from calibration.scores import EXPONENTIAL, F1_LIKE, NEAR_ONE, RARE, SKEWED, rate  # noqa: E402 - the same

DECIDED_BY_VALUE = {"min", "max"}
"""Held against the observed value alone: no test, no interval, no baseline."""
SAME_RULE = {"max_drop_relative": "max_drop", "max_rise": "max_drop", "max_rise_relative": "max_drop"}
"""Limits that are another one in other units; the tests below hold them to it."""


def test_every_limit_a_rule_can_have_is_simulated():
    simulated = {rule.limit for rule in RULES.values()}
    assert simulated | DECIDED_BY_VALUE | SAME_RULE.keys() == set(get_args(Limit))
    assert simulated | SAME_RULE.keys() == NEEDS_BASELINE
    assert simulated >= TESTED


def parameters(test):
    """Return what a test is given, one entry for each `parametrize`."""
    return [tuple(mark.args[1]) for mark in test.pytestmark if mark.name == "parametrize"]


def test_every_kind_of_scores_is_simulated_at_every_size_of_the_page():
    assert SIZES == (10, 20, 50, 100, 200, 1000)
    assert set(KINDS) == {"0/1", "f1-like", "near 1", "skewed", "clustered"}
    assert {*rule_rates.GRADED, "0/1"} == set(KINDS)
    campaign = rule_rates.test_every_rule_holds_its_limits_in_thousands_of_simulations
    assert sorted(map(str, parameters(campaign))) == sorted(map(str, (SIZES, tuple(rule_rates.GRADED))))
    (counted_out,) = parameters(rule_rates.test_rates_are_judged_within_their_limits_by_count)
    assert {case.values for case in counted_out} == {(n, share) for n in SIZES for share in rule_rates.CHANGED}
    assert rule_rates.SIMULATIONS >= 2000


@pytest.mark.parametrize("drop", [0.0, 0.05, 0.125])
@pytest.mark.parametrize("kind", KINDS)
def test_a_drawn_drop_is_the_stated_one(kind, drop):
    draw, _ = KINDS[kind]
    made = draw(50, drop)(np.random.Generator(np.random.PCG64(17)), 4000)
    found = (made.candidate - made.baseline).mean(axis=1)
    assert found.mean() == pytest.approx(made.delta, abs=4 * found.std() / math.sqrt(len(found)) + 1e-12)
    # Noise on both sides takes a share of what clusters lose; that makes the limits stricter, not looser.
    assert -drop - 1e-12 <= made.delta <= -0.95 * drop


@pytest.mark.parametrize("population", [F1_LIKE, NEAR_ONE, RARE, SKEWED, EXPONENTIAL, rate(0.7)], ids=lambda p: p.name)
def test_a_population_has_the_mean_that_it_states(population):
    drawn = population.draw(np.random.Generator(np.random.PCG64(3)), (400_000,))
    assert drawn.mean() == pytest.approx(population.mean, abs=4 * drawn.std() / math.sqrt(len(drawn)))
    if population.kind != "unbounded":
        assert 0 <= drawn.min() <= drawn.max() <= 1


def test_clusters_are_drawn_as_clusters():
    """Were items independent, the variance of the difference would be a fifth of what it is."""
    made = KINDS["clustered"][0](100, 0.0)(np.random.Generator(np.random.PCG64(4)), 2000)
    changes = made.candidate - made.baseline
    assert changes.mean(axis=1).var() > 3 * changes.var() / changes.shape[1]


def drawn_pair(drop=0.05, n=60):
    made = KINDS["f1-like"][0](n, drop)(np.random.Generator(np.random.PCG64(6)), 1)
    return made.baseline[0], made.candidate[0]


def test_a_relative_limit_is_an_absolute_one_in_other_units():
    first, second = drawn_pair()
    absolute = MetricRule(metric="score", limit="max_drop", value=0.03)
    relative = replace(absolute, limit="max_drop_relative", value=0.03 / first.mean())
    one, other = decisions(first, second, "bounded", rules={"a": absolute, "b": relative}).values()
    assert one.outcome == other.outcome
    assert one.detectable == pytest.approx(other.detectable * first.mean())
    assert one.false_alarm == pytest.approx(other.false_alarm, abs=1e-9)


@pytest.mark.parametrize("drop", [0.0, 0.05, 0.3])
def test_every_rule_decides_the_same_where_lower_is_better(drop):
    first, second = drawn_pair(drop)
    rises = {name: replace(rule, limit=rule.limit.replace("max_drop", "max_rise")) for name, rule in RULES.items()}
    higher = decisions(first, second, "bounded")
    lower = decisions(1 - first, 1 - second, "bounded", rules=rises, direction="lower")
    for name in RULES:
        assert (higher[name].outcome, lower[name].outcome) == (higher[name].outcome,) * 2
        assert higher[name].detectable == pytest.approx(lower[name].detectable, rel=1e-9)


def equal_runs_fail(name, n=100):
    return exact(n, 0.0, 0.10, (name,))[name]["fail"]


@pytest.fixture
def forgotten():
    """Decisions are remembered between tests; a planted fault must neither see them nor leave its own."""
    _decided.cache_clear()
    yield
    _decided.cache_clear()


def test_a_rule_that_looks_at_the_point_estimate_alone_is_found():
    assert equal_runs_fail("max_drop") > 0.2


@pytest.mark.usefixtures("forgotten")
def test_a_test_at_twice_its_level_is_found(monkeypatch):
    monkeypatch.setattr(families, "_drop_p", halved(families._drop_p))
    assert equal_runs_fail("no_significant_drop", 200) > 0.05


def halved(real):
    def found(rule, evidence):
        p = real(rule, evidence)
        return None if p is None else p / 4

    return found


@pytest.mark.usefixtures("forgotten")
def test_a_default_that_needs_no_evidence_is_found(monkeypatch):
    real = drops.level_of
    monkeypatch.setattr(drops, "level_of", lambda rule: 0.5 if rule.limit == "shown_drop" else real(rule))
    assert equal_runs_fail("default") > 0.05


@pytest.mark.usefixtures("forgotten")
@pytest.mark.parametrize("n", [10, 20])
def test_an_interval_without_width_where_nothing_changed_is_found(monkeypatch, n):
    real = MeanMeasure.paired

    def normal(self, *rows):
        """Wald's interval: of no width where no item differs, so that a model far beyond the margin passes."""
        found = real(self, *rows)
        half = 1.96 * (found.standard_error or 0.0)
        return replace(found, ci_low=found.delta - half, ci_high=found.delta + half)

    assert exact(n, 0.125, 0.02, ("non_inferior",))["non_inferior"]["pass"] <= 0.025
    _decided.cache_clear()
    monkeypatch.setattr(MeanMeasure, "paired", normal)
    assert exact(n, 0.125, 0.02, ("non_inferior",))["non_inferior"]["pass"] > 0.025


def test_outcomes_counted_out_are_those_that_are_drawn():
    """The exact counts and the simulations are two ways to one figure."""
    counts = exact(50, 0.125, 0.10, ("default", "non_inferior"))
    drawn = counted("0/1", 50, 0.125, 400, 5)
    for name, found in counts.items():
        shares = Counter({word: count / 400 for word, count in drawn[name].items()})
        for word in ("pass", "fail", "undecided"):
            assert shares[word] == pytest.approx(found[word], abs=4 * math.sqrt(0.25 / 400))
