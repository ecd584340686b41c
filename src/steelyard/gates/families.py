"""The tests of a policy as one family: one-sided p-values, corrected by Holm, and whether a test could say anything.

The null distributions of the paired tests are symmetric, so the one-sided p of a drop is half of the two-sided one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from steelyard.gates.obstacles import obstacle
from steelyard.gates.power import least_p, spread_of
from steelyard.records.comparisons import Paired
from steelyard.records.gates import TESTED, Evidence, MetricRule, Rule
from steelyard.stats.multiple import holm

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
