"""The order of a gate: find the run and its baseline, check that stored scores hold, gather evidence, decide."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from steelyard.comparison.changes import drift_report, error_tag_changes
from steelyard.comparison.contract import gate_hint, refuse_mock
from steelyard.gates.decisions import decide_all
from steelyard.kinds.rejudging import verify_figures, verify_outputs
from steelyard.numbers.ladder import DIAGNOSTICS
from steelyard.records.gates import Decision, Evidence, MetricRule, Policy, Rule
from steelyard.records.plans import SEPARATOR
from steelyard.records.runs import RUN_FILE, SuiteRecord
from steelyard.records.verdicts import Grain, TaskVerdict, Verdict
from steelyard.runs.repeated import check_members, with_repeats
from steelyard.runs.stored import StoredRun, UnfinishedError, open_run
from steelyard.store.suites import add_verdict, find_suite, read_suite
from steelyard.verdicts.cautions import cautions
from steelyard.verdicts.evidence import Case, Where, mask
from steelyard.verdicts.first_baseline import retagged, since_first
from steelyard.verdicts.places import held_rules, of_other_tasks, refuse_unknown_tags
from steelyard.verdicts.policies import in_suite, policy_of_suite, run_policy
from steelyard.verdicts.sides import (
    UnfinishedBaselineError,
    held_against,
    refuse_itself,
    refuse_same_suite,
    suite_held_against,
    suite_run,
    suite_runs,
    unfinished,
    unfinished_verdict,
)

QUARANTINED = "quarantined_rows"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateOptions:
    """The command line of `steelyard gate` as a record."""

    run: str | Path
    """A name, an id or `latest`; a `Path` is the run's directory."""
    runs_dir: Path = Path("runs")
    against: str | Path | None = None
    """A baseline's name, or a run."""
    policy: Path | None = None
    top: int = 10
    """How many failing items are listed."""
    allow: tuple[str, ...] = ()
    """Fields that may differ from the baseline, beside those that the policy allows."""
    verify: bool = False
    """Whether stored outputs are judged again, to catch items that were changed with their totals."""


def gate(options: GateOptions) -> Verdict:
    """Return whether a run, or the runs of a suite, may ship."""
    try:
        suite = find_suite(options.runs_dir, options.run)
        verdict = _gate_run(options) if suite is None else _gate_suite(suite, options)
    except (UnfinishedError, UnfinishedBaselineError) as error:
        against = None if options.against is None else str(options.against)
        verdict = unfinished_verdict(error, options.runs_dir, str(options.run), against)
    for part in verdict.tasks:
        line = {"run": part.run, "task": part.task, "baseline": part.baseline, "policy": verdict.policy}
        add_verdict(options.runs_dir, {**line, "verdict": verdict.outcome, "line": verdict.line})
    return verdict


def _gate_run(options: GateOptions) -> Verdict:
    run = with_repeats(open_run(options.runs_dir, options.run))
    policy = run_policy(run, named=options.policy, allow=options.allow)
    case = Case(run, held_against(options.runs_dir, options.against), policy)
    refuse_itself(run, case.baseline)
    refuse_unknown_tags(policy, case.sides)
    rules, _ = held_rules(case, policy)
    extra = [*_absent(policy, [case.task]), *of_other_tasks(policy, [case.task]), *_flagged(case)]
    decided = decide_all(_evidence(case, rules, verify=options.verify))
    decisions = tuple(_with_failing(entry, case, options.top) for entry in (*extra, *decided))
    part = _task_verdict(case, decisions, options)
    return Verdict(run.label, policy.source, decisions, (part,), tuple(cautions(case, rules)))


def _with_failing(decision: Decision, case: Case, top: int) -> Decision:
    """Return a gate over a slice that failed with that slice's items."""
    if decision.outcome != "fail" or not decision.slice:
        return decision
    found = _failures(case, top, tuple(decision.slice.items()))
    return replace(decision, failing=tuple(entry["item_id"] for entry in found))


def _evidence(case: Case, rules: Sequence[Rule], *, verify: bool) -> list[tuple[Rule, Evidence]]:
    """Return every gate with its evidence, after both runs' stored scores were held against their items."""
    refuse_mock((run.label, run.record) for run in (case.run, case.baseline) if run is not None)
    metrics = {rule.metric for rule in rules if isinstance(rule, MetricRule) and rule.metric is not None}
    for name in sorted(metrics.intersection(DIAGNOSTICS)):
        warnings.warn(f"{name} is a diagnostic: an answer that only it forgives is wrong", stacklevel=2)
    for run in (case.run, case.baseline):
        if run is not None:
            _verify(run, sorted(metrics), outputs=verify)
    check_members(case.run)
    return [(rule, evidence) for rule in rules for evidence in case.evidence(rule)]


def _verify(run: StoredRun, metrics: Sequence[str], *, outputs: bool) -> None:
    """Hold what every repeat of a run has stored against its items, and where asked against its outputs."""
    for member in run.members:
        member.verify(metrics)
        verify_figures(member, member.undecided_by_items(metrics))
        if outputs:
            verify_outputs(member)


def _flagged(case: Case) -> list[Decision]:
    """Return the gate that a run with rows set aside needs an allowance for."""
    if QUARANTINED not in case.run.record.flags or QUARANTINED in case.policy.allow:
        return []
    found = Decision(gate="quarantined rows", task=case.task, outcome="undecided", level="blocking", reason="")
    reason, hint = "rows of the predictions were set aside", gate_hint(QUARANTINED)
    return [replace(found, reason=reason, hint=f"mend the rows in rejected.jsonl; {hint}")]


def _gate_suite(path: Path, options: GateOptions) -> Verdict:
    suite = read_suite(path)
    policy = policy_of_suite(suite, path, named=options.policy, allow=options.allow)
    baselines, lacking = _suite_baselines(options, suite)
    pairs: list[tuple[Rule, Evidence]] = []
    cases, extra, warned = [], [], []
    for entry in suite.tasks:
        if entry.path is None and not (path / entry.task / RUN_FILE).is_file():
            extra.append(_not_evaluated(entry.task, entry.error or "it was not evaluated"))
            continue
        try:
            run = suite_run(options.runs_dir, path, entry, label=f"{suite.name}/{entry.path}")
        except UnfinishedError as error:
            extra.append(unfinished(error, entry.task))
            continue
        missing = "there is no baseline"
        if options.against is not None:
            missing = f"{options.against} has no run of {entry.task}"
        own, warning = in_suite(policy, run)
        cases.append(Case(run, baselines.get(entry.task), own, missing))
        warned += [f"{entry.task}: {warning}"] if warning else []
    refuse_unknown_tags(policy, [side for case in cases for side in case.sides])
    for case in cases:
        rules, lacking_tags = held_rules(case, case.policy)
        extra += [*_flagged(case), *lacking_tags]
        pairs += _evidence(case, rules, verify=options.verify)
        warned += [f"{case.task}: {line}" for line in cautions(case, rules)]
    tasks = [entry.task for entry in suite.tasks]
    extra += _absent(policy, tasks)
    by_task = {case.task: case for case in cases}
    decided = [_with_failing(entry, by_task[entry.task], options.top) for entry in decide_all(pairs)]
    decisions = (
        *lacking,
        *of_other_tasks(policy, tasks),
        *(_by_requirement(entry, policy) for entry in (*extra, *decided)),
    )
    parts = tuple(_task_verdict(case, decisions, options) for case in cases)
    source = next((case.policy.source for case in cases if case.policy is not policy), policy.source)
    return Verdict(suite.name, source, decisions, parts, tuple(warned))


def _absent(policy: Policy, tasks: Sequence[str]) -> list[Decision]:
    """Return a gate for each task that the policy requires and that is not there."""
    named = [name for name in policy.required if name not in tasks]
    return [_not_evaluated(name, f"it is required, and there is {', '.join(tasks)}") for name in named]


def _suite_baselines(options: GateOptions, suite: SuiteRecord) -> tuple[dict[str, StoredRun], list[Decision]]:
    """Return the runs that a suite's are held against, and a gate for each task that only the baseline has."""
    if options.against is None:
        return {}, []
    folder, record = suite_held_against(options.runs_dir, options.against)
    refuse_same_suite(suite, record)
    ours = {entry.task for entry in suite.tasks}
    lacking = [entry.task for entry in record.tasks if entry.task not in ours]
    reason = f"the suite lacks it, and the baseline {options.against} has it"
    found = suite_runs(options.runs_dir, folder, record, label=str(options.against))
    return found, [_not_evaluated(task, reason) for task in lacking]


def _not_evaluated(task: str, reason: str) -> Decision:
    first_line, hint = reason.splitlines()[0], "evaluate the suite again with this task in it"
    name = f"{task} evaluated"
    return Decision(gate=name, task=task, outcome="undecided", level="blocking", reason=first_line, hint=hint)


def _by_requirement(decision: Decision, policy: Policy) -> Decision:
    """Return a decision as it counts: where required tasks are named, the others are advisory."""
    if not policy.required or decision.task in policy.required:
        return decision
    return replace(decision, level="advisory")


def _task_verdict(case: Case, decisions: Sequence[Decision], options: GateOptions) -> TaskVerdict:
    record = case.run.record
    before = case.baseline.columns.error_tags() if case.baseline is not None else None
    model = record.model.get("name")
    own = [entry for entry in decisions if entry.task == case.task]
    metrics = [entry.metric for entry in own if entry.metric is not None]
    return TaskVerdict(
        task=record.task,
        run=case.run.label,
        baseline=case.baseline.label if case.baseline is not None else None,
        grain=Grain(record.task, None if model is None else str(model), record.prompt_version, record.scorer_version),
        contract=case.contract(case.run.primary),
        run_id=record.run_id,
        repeats=len(case.run.members),
        baseline_repeats=len(case.baseline.members) if case.baseline is not None else 1,
        baseline_id=case.baseline.record.run_id if case.baseline is not None else None,
        first_baseline=since_first(options.runs_dir, options.against, case.run, metrics),
        retagged=retagged(case.standing, case.run.columns),
        drift=_drift(case),
        error_tags=error_tag_changes(before, case.run.columns.error_tags()),
        failures=_shown_failures(case, own, options.top),
    )


def _drift(case: Case) -> dict[str, Any]:
    """Return the drift report where runs may be held against each other."""
    if case.baseline is None or case.pairing is None or case.obstacle(case.run.primary) is not None:
        return {}
    names = dict.fromkeys([*case.run.metric_names, *case.run.columns.number_names])
    measures = {name: (found, case.run.direction(name)) for name in names if (found := case.measured(name)) is not None}
    keys = case.run.config.get("eval", {}).get("slice_by_tags", [])
    slices = [SEPARATOR.join(key) if isinstance(key, list) else str(key) for key in keys]
    sides = case.baseline.columns, case.tagged
    return drift_report(measures, case.run.primary, slices, case.pairing, sides)


def _shown_failures(case: Case, decisions: Sequence[Decision], top: int) -> list[dict[str, Any]]:
    """Return the failing items of the slices that failed, under their gates; of the whole run where more is wrong."""
    sliced = [entry for entry in decisions if entry.slice and entry.outcome == "fail"]
    if not sliced or any(entry.outcome != "pass" and entry not in sliced for entry in decisions):
        return _failures(case, top)
    found: dict[str, dict[str, Any]] = {}
    for entry in sliced:
        for item in _failures(case, top, tuple(entry.slice.items())):
            found.setdefault(item["item_id"], {**item, "gates": []})["gates"].append(entry.gate)
    return list(found.values())


def _failures(case: Case, top: int, where: Where = ()) -> list[dict[str, Any]]:
    """Return the items that do not pass: first those that the baseline passed, then by score, ties in order."""
    columns = case.run.columns
    scores = columns.number(case.run.primary)
    assert scores is not None
    failing = np.flatnonzero(~columns.passed() & mask(case.tagged, where))
    regressed = np.zeros(len(columns), np.bool_)
    if case.baseline is not None and case.pairing is not None:
        regressed[case.pairing.candidate_rows] = case.baseline.columns.passed()[case.pairing.baseline_rows]
    order = np.lexsort((failing, scores[failing], ~regressed[failing]))[:top]
    rows = failing[order]
    found = columns.details(rows)
    return [{**entry, "regressed": bool(regressed[row])} for entry, row in zip(found, rows.tolist(), strict=True)]
