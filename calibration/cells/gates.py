"""Rules of gates: how often they fail equal runs, pass worse ones, and find what is there."""

from __future__ import annotations

from collections import Counter

import numpy as np

from calibration.cell import Cell, Simulate
from calibration.cells.paired import Draw, clustered
from calibration.scores import F1_LIKE, NEAR_ONE, Pairs, Population, rate_pairs, score_pairs
from steelyard.comparison.measures import MeanMeasure
from steelyard.gates.decisions import decide_all
from steelyard.records.comparisons import Figure
from steelyard.records.gates import Evidence, MetricRule, Outcome

GROUP = "rules of gates"
ROUNDS = 1000
DEFAULT = MetricRule(metric="score", limit="shown_drop", value=0.02)
NO_DROP = MetricRule(metric="score", limit="no_significant_drop", value=0.05)
MARGIN = 0.05
NON_INFERIOR = MetricRule(metric="score", limit="non_inferior", value=MARGIN)


def decided(rule: MetricRule, made: Pairs, *, bounded: bool) -> Counter[Outcome]:
    """Return how often one rule came to each outcome over pairs of runs."""
    counted: Counter[Outcome] = Counter()
    rows = np.arange(made.baseline.shape[1])
    for first, second in zip(made.baseline, made.candidate, strict=True):
        paired = MeanMeasure(first, second, kind="bounded" if bounded else "rate", rounds=ROUNDS).paired(
            rows, rows, made.clusters
        )
        figures = Figure(len(rows), paired.candidate), Figure(len(rows), paired.baseline)
        evidence = Evidence(
            task="t",
            title="gate",
            metric="score",
            direction="higher",
            candidate=figures[0],
            baseline=figures[1],
            paired=paired,
        )
        counted[decide_all([(rule, evidence)])[0].outcome] += 1
    return counted


def outcomes(rule: MetricRule, draw: Draw, outcome: Outcome, *, bounded: bool = False) -> Simulate:
    """Return a simulation of how often a rule comes to an outcome."""
    return lambda generator, count: decided(rule, draw(generator, count), bounded=bounded)[outcome]


def rates(n: int, drop: float, changed: float = 0.10) -> Draw:
    """Return 0/1 pairs of which a share changes, `drop` more of them for the worse."""
    lost, gained = (max(changed, drop) + drop) / 2, (max(changed, drop) - drop) / 2
    return lambda generator, count: rate_pairs(generator, (count, n), regress=lost, fix=gained)


def scores(n: int, drop: float, population: Population = F1_LIKE, changed: float = 0.3) -> Draw:
    """Return graded pairs of which a share is drawn anew, and of which enough fall to 0 for the drop."""
    return lambda generator, count: score_pairs(generator, (count, n), population, changed=changed, drop=drop)


CELLS = (
    *(
        Cell(
            GROUP,
            f"non_inferior {MARGIN:g}, {2.5 * MARGIN:g} worse, 0/1, n {n}",
            "passes",
            "at most",
            0.025,
            outcomes(NON_INFERIOR, rates(n, 2.5 * MARGIN), "pass"),
        )
        for n in (10, 20, 50, 100, 200)
    ),
    *(
        Cell(
            GROUP,
            f"non_inferior {MARGIN:g}, {2.5 * MARGIN:g} worse, f1-like, n {n}",
            "passes",
            "at most",
            0.025,
            outcomes(NON_INFERIOR, scores(n, 2.5 * MARGIN), "pass", bounded=True),
        )
        for n in (10, 20, 50, 100, 200)
    ),
    *(
        Cell(
            GROUP,
            f"non_inferior {MARGIN:g}, on the margin, 0/1, n {n}",
            "passes",
            "at most",
            0.025,
            outcomes(NON_INFERIOR, rates(n, MARGIN), "pass"),
        )
        for n in (100, 1000)
    ),
    Cell(
        GROUP,
        f"non_inferior {MARGIN:g}, equal runs, 0/1, n 1000",
        "passes",
        "told",
        None,
        outcomes(NON_INFERIOR, rates(1000, 0.0), "pass"),
    ),
    *(
        Cell(
            GROUP,
            f"default, equal runs, 0/1, n {n}",
            "fails",
            "at most",
            0.05,
            outcomes(DEFAULT, rates(n, 0.0), "fail"),
        )
        for n in (20, 100, 1000)
    ),
    Cell(
        GROUP,
        "default, equal runs, f1-like, n 100",
        "fails",
        "at most",
        0.05,
        outcomes(DEFAULT, scores(100, 0.0), "fail", bounded=True),
    ),
    Cell(
        GROUP,
        "default, equal runs, near 1, n 200",
        "fails",
        "at most",
        0.05,
        outcomes(DEFAULT, scores(200, 0.0, NEAR_ONE), "fail", bounded=True),
    ),
    Cell(
        GROUP,
        "default, equal runs, 20 clusters of 5",
        "fails",
        "at most",
        0.05,
        outcomes(DEFAULT, clustered(20, 5), "fail"),
    ),
    *(
        Cell(
            GROUP, f"default, 0.10 worse, 0/1, n {n}", "fails", "told", None, outcomes(DEFAULT, rates(n, 0.10), "fail")
        )
        for n in (20, 100, 200)
    ),
    *(
        Cell(
            GROUP, f"default, 0.10 worse, 0/1, n {n}", "passes", "told", None, outcomes(DEFAULT, rates(n, 0.10), "pass")
        )
        for n in (20, 100, 200)
    ),
    *(
        Cell(
            GROUP,
            f"no_significant_drop 0.05, equal runs, 0/1, n {n}",
            "fails",
            "at most",
            0.05,
            outcomes(NO_DROP, rates(n, 0.0), "fail"),
        )
        for n in (20, 200)
    ),
    Cell(
        GROUP,
        "no_significant_drop 0.05, equal runs, f1-like, n 100",
        "fails",
        "at most",
        0.05,
        outcomes(NO_DROP, scores(100, 0.0), "fail", bounded=True),
    ),
)
