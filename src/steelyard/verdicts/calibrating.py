"""The order of a calibration: open the baseline, imagine runs, gate each of them, count the verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.comparison.contract import refuse_mock
from steelyard.comparison.outcomes import Outcomes, RedrawnColumns
from steelyard.comparison.pairing import own_clusters
from steelyard.comparison.redrawing import Redrawing
from steelyard.errors import Problem, UsageError
from steelyard.gates.decisions import decide_all
from steelyard.records.calibrations import Calibration, GateRates, Rate
from steelyard.records.columns import Rows
from steelyard.records.gates import Decision, MetricRule, Outcome, Policy
from steelyard.records.verdicts import Verdict
from steelyard.runs.repeated import with_repeats
from steelyard.runs.stored import StoredRun
from steelyard.stats.intervals import wilson
from steelyard.verdicts.evidence import Case
from steelyard.verdicts.places import refuse_unknown_tags
from steelyard.verdicts.policies import run_policy
from steelyard.verdicts.sides import held_against

OUTCOMES: tuple[Outcome, ...] = ("pass", "fail", "undecided")


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrateOptions:
    """The command line of `steelyard calibrate` as a record."""

    baseline: str
    runs_dir: Path = Path("runs")
    policy: Path | None = None
    """None is the policy of the baseline's task, or the default one."""
    flip_rate: float | None = None
    """None draws from the baseline's repeats."""
    drop: float = 0.05
    simulations: int = 1000
    seed: int = 0


@dataclass(frozen=True)
class ImaginedRun(StoredRun):
    """The baseline's run with other outcomes: its record, configuration and items stay what they are."""

    drawn: RedrawnColumns | None = None

    @property
    def columns(self) -> Any:
        """The items with their imagined outcomes."""
        return self.drawn


def calibrate(options: CalibrateOptions, *, progress: Callable[[int, int], None] | None = None) -> Calibration:
    """Return how often a policy is wrong about runs that are equal to a baseline, or worse by a known amount."""
    _check(options)
    held = held_against(options.runs_dir, options.baseline)
    assert held is not None
    refuse_mock([(held.label, held.record)])
    # What is imagined are runs that were made once.
    run, *_ = held.members
    run.verify([run.primary])
    policy = run_policy(run, named=options.policy)
    refuse_unknown_tags(policy, [run])
    drawing = _redrawing(options, run)
    drawing.share_broken(options.drop)
    generator = np.random.Generator(np.random.PCG64(options.seed))
    equal, worse, flips = _Tally(), _Tally(), 0.0
    for number in range(options.simulations):
        pair = drawing.equal(generator)
        flips += drawing.changed(pair)
        equal.add(_decided(run, drawing.outcomes, pair, policy))
        worse.add(_decided(run, drawing.outcomes, drawing.worse(options.drop, generator), policy))
        if progress is not None:
            progress(number + 1, options.simulations)
    return Calibration(
        baseline=run.label,
        baseline_id=run.record.run_id,
        policy=policy.source,
        metric=run.primary,
        n_items=len(run.columns),
        basis=_basis(options, drawing),
        drop=options.drop,
        flip_rate=flips / options.simulations,
        simulations=options.simulations,
        seed=options.seed,
        verdict=_rates("verdict", equal.verdicts, worse.verdicts, options.simulations),
        gates=tuple(_rates(name, equal.gates[name], worse.gates[name], options.simulations) for name in equal.gates),
        not_drawn=_not_drawn(run, policy),
    )


def _check(options: CalibrateOptions) -> None:
    if options.simulations < 1:
        raise UsageError(Problem("usage", f"--simulations is {options.simulations}, expected 1 or more"))
    if options.flip_rate is not None and not 0 <= options.flip_rate < 1:
        message = f"--flip-rate is {options.flip_rate:g}, expected a share from 0 up to 1"
        raise UsageError(Problem("usage", message))


def _redrawing(options: CalibrateOptions, run: StoredRun) -> Redrawing:
    repeats = [run.columns] if options.flip_rate is not None else [member.columns for member in _repeats(run)]
    return Redrawing(Outcomes.of(repeats), run.primary, options.flip_rate, own_clusters(run.columns))


def _repeats(run: StoredRun) -> tuple[StoredRun, ...]:
    """Return the baseline and its further repeats."""
    found = with_repeats(run).members
    if len(found) == 1:
        message = f"{run.label} has no repeats, so nothing shows how much equal runs differ"
        hint = "evaluate the baseline with `--repeats 3`, or say it: `--flip-rate 0.05` is one score in twenty"
        raise UsageError(Problem("usage", message, hint=hint))
    return found


def _basis(options: CalibrateOptions, drawing: Redrawing) -> str:
    if options.flip_rate is None:
        return f"{len(drawing.outcomes.repeats)} repeats of the baseline: equal runs differ as these do"
    return f"a stated flip rate of {options.flip_rate:g}: that share of scores changes between equal runs"


class _Tally:
    """Outcomes of a policy and of each of its gates, counted over imagined runs."""

    def __init__(self) -> None:
        self.verdicts: Counter[Outcome] = Counter()
        self.gates: dict[str, Counter[Outcome]] = {}

    def add(self, decisions: Sequence[Decision]) -> None:
        """Count one run."""
        self.verdicts[Verdict("", "", tuple(decisions), ()).outcome] += 1
        for entry in decisions:
            self.gates.setdefault(entry.gate, Counter())[entry.outcome] += 1


def _decided(run: StoredRun, outcomes: Outcomes, pair: tuple[Rows, Rows], policy: Policy) -> tuple[Decision, ...]:
    """Return the decisions of a policy on an imagined run against its imagined baseline."""
    first, second = (
        ImaginedRun(run.label, run.path, run.record, drawn=RedrawnColumns(outcomes, rows)) for rows in pair
    )
    case = Case(second, first, policy)
    rules = [rule for rule in policy.rules if rule.task in (None, run.record.task)]
    return decide_all([(rule, evidence) for rule in rules for evidence in case.evidence(rule)])


def _rates(gate: str, equal: Mapping[Outcome, int], worse: Mapping[Outcome, int], n: int) -> GateRates:
    return GateRates(gate, _shares(equal, n), _shares(worse, n))


def _shares(counted: Mapping[Outcome, int], n: int) -> dict[Outcome, Rate]:
    found = {}
    for name in OUTCOMES:
        ends = wilson(counted.get(name, 0), n)
        assert ends.low is not None
        assert ends.high is not None
        found[name] = Rate(counted.get(name, 0), n, ends.low, ends.high)
    return found


def _not_drawn(run: StoredRun, policy: Policy) -> tuple[str, ...]:
    named = {rule.metric for rule in policy.rules if isinstance(rule, MetricRule) and rule.metric is not None}
    return tuple(run.undecided_by_items(sorted(named)))
