"""How many items an evaluation needs, from what a baseline has shown."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from steelyard.comparison.contract import refuse_mock
from steelyard.comparison.pairing import own_clusters
from steelyard.comparison.planning import Plan, check_question, plan_from_baseline, plan_without_baseline
from steelyard.errors import ConfigurationError, InputError, Problem, quoted
from steelyard.runs.baselines import baseline_run
from steelyard.runs.stored import StoredRun, open_run
from steelyard.store.baselines import find_baseline


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanOptions:
    """The command line of `steelyard plan` as a record."""

    effect: float
    power: float = 0.8
    alpha: float = 0.05
    baseline: str | None = None
    metric: str | None = None
    runs_dir: Path = Path("runs")


def plan(options: PlanOptions) -> Plan:
    """Return how many items show a difference of `effect` in a two-sided paired test."""
    check_question(options.effect, options.power, options.alpha)
    if options.baseline is None:
        return plan_without_baseline(options.effect, power=options.power, alpha=options.alpha)
    named = find_baseline(options.runs_dir, options.baseline)
    where = options.baseline if named is None else baseline_run(options.runs_dir, named)
    run = open_run(options.runs_dir, where)
    refuse_mock([(run.label, run.record)])
    metric = options.metric or run.primary
    scores = run.columns.number(metric)
    if scores is None:
        known = ", ".join(run.columns.number_names)
        message = f"{run.label} has no per-item number {quoted(metric)}; there are {known}"
        raise ConfigurationError(Problem("unknown-name", message))
    if np.isnan(scores).all():
        message = f"no item of {run.label} has a value of {metric}, so nothing tells how much it varies"
        raise InputError(Problem("no-items", message, hint="name a baseline that answered, or plan without one"))
    return plan_from_baseline(
        options.effect,
        scores,
        power=options.power,
        alpha=options.alpha,
        within=_within(run, metric),
        clusters=own_clusters(run.columns),
    )


def _within(run: StoredRun, metric: str) -> float | None:
    """Return the variance within items between repeats, where the run was repeated."""
    if run.repeats is None:
        return None
    found = run.repeats["metrics"].get(metric, {}).get("within_variance")
    return None if found is None else float(found)
