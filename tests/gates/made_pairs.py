"""Pairs of runs whose truth is known, and what the rules of gates decide about them."""

from collections import Counter
from functools import cache

import numpy as np
from scipy.stats import binom

from calibration.scores import F1_LIKE, NEAR_ONE, Population, rate_pairs, score_pairs
from steelyard.comparison.means import MeanMeasure
from steelyard.gates.decisions import decide_all
from steelyard.records.comparisons import Figure
from steelyard.records.gates import Evidence, MetricRule

SIZES = (10, 20, 50, 100, 200, 1000)
MARGIN = 0.05
RULES = {
    "default": MetricRule(metric="score", limit="shown_drop", value=0.02),
    "no_significant_drop": MetricRule(metric="score", limit="no_significant_drop", value=0.05),
    "non_inferior": MetricRule(metric="score", limit="non_inferior", value=MARGIN),
    "max_drop": MetricRule(metric="score", limit="max_drop", value=0.02),
}
# Mass near 0 with a long tail, as the share of a page that was copied.
SKEWED = Population("skewed", "bounded", 1 / 6, lambda g, shape: g.beta(0.5, 2.5, shape))


def rates(n, drop, changed=0.10):
    """0/1 scores of which a share changes, `drop` more of them for the worse."""
    lost, gained = (max(changed, drop) + drop) / 2, (max(changed, drop) - drop) / 2
    return lambda generator, count: rate_pairs(generator, (count, n), regress=lost, fix=gained)


def graded(population, changed=0.3):
    """Scores between 0 and 1 of which a share is drawn anew, and of which enough fall to 0 for the drop."""
    return lambda n, drop: (
        lambda generator, count: score_pairs(generator, (count, n), population, changed=changed, drop=drop)
    )


def clustered(n, drop, size=5):
    """0/1 scores in clusters of five that change together: a share of clusters falls, another rises."""

    def draw(generator, count):
        groups = n // size
        made = rates(groups, drop, 0.3)(generator, count)
        noise = rate_pairs(generator, (count, n), regress=0.02, fix=0.02)
        spread = [np.repeat(side, size, axis=1) for side in (made.baseline, made.candidate)]
        moved = noise.baseline != noise.candidate
        sides = [
            np.where(moved, side_noise, side)
            for side, side_noise in zip(spread, (noise.baseline, noise.candidate), strict=True)
        ]
        return type(made)(sides[0], sides[1], -drop * 0.96, np.repeat(np.arange(groups), size))

    return draw


KINDS = {
    "0/1": (rates, "rate"),
    "f1-like": (graded(F1_LIKE), "bounded"),
    "near 1": (graded(NEAR_ONE), "bounded"),
    "skewed": (graded(SKEWED), "bounded"),
    "clustered": (clustered, "rate"),
}


def decisions(baseline, candidate, kind, clusters=None, rules=RULES, rounds=1000, direction="higher"):
    """Decide rules about one pair of runs, each rule as a policy of its own."""
    rows = np.arange(len(baseline))
    paired = MeanMeasure(baseline, candidate, direction, kind=kind, rounds=rounds).paired(rows, rows, clusters)
    figures = Figure(len(rows), paired.candidate), Figure(len(rows), paired.baseline)
    evidence = Evidence(
        task="t", title="gate", metric="score", direction=direction, candidate=figures[0], baseline=figures[1],
        paired=paired, reach=1.0,
    )  # fmt: skip
    return {name: decide_all([(rule, evidence)])[0] for name, rule in rules.items()}


def counted(kind, n, drop, simulations, seed):
    """Count the outcomes of every rule over simulated pairs."""
    draw, scores = KINDS[kind]
    made = draw(n, drop)(np.random.Generator(np.random.PCG64(seed)), simulations)
    found = {name: Counter() for name in RULES}
    for baseline, candidate in zip(made.baseline, made.candidate, strict=True):
        for name, entry in decisions(baseline, candidate, scores, made.clusters).items():
            found[name][entry.outcome] += 1
    return found


@cache
def _decided(n, improved, regressed, names):
    baseline = np.concatenate((np.zeros(improved), np.ones(n - improved)))
    candidate = np.concatenate((np.ones(n - regressed), np.zeros(regressed)))
    found = decisions(baseline, candidate, "rate", rules={name: RULES[name] for name in names})
    return tuple(entry.outcome for entry in found.values())


def exact(n, drop, changed, names, cut=1e-7):
    """Return how likely each outcome of rules is over 0/1 pairs, counted out over improved and regressed items."""
    lost, gained = (max(changed, drop) + drop) / 2, (max(changed, drop) - drop) / 2
    found = {name: Counter() for name in names}
    for regressed in range(n + 1):
        chance = binom.pmf(regressed, n, lost)
        if chance < cut:
            continue
        rest = n - regressed
        chances = binom.pmf(np.arange(rest + 1), rest, gained / (1 - lost)) * chance
        for improved in np.flatnonzero(chances > cut * 1e-2).tolist():
            for name, outcome in zip(names, _decided(n, improved, regressed, names), strict=True):
                found[name][outcome] += chances[improved]
    return found
