"""Whose rules hold: the policy that was named, else the suite's, else the task's own, else the default."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from steelyard.configuration.policy import DEFAULT_RULES, default_policy, parse_policy, suite_policy, task_policy
from steelyard.errors import Problem, UsageError, quoted
from steelyard.reading.yaml_file import read_yaml
from steelyard.records.gates import ALLOWANCES, Policy
from steelyard.records.runs import CONFIG_FILE, SUITE_FILE, SuiteRecord
from steelyard.registry.parameters import suggestion
from steelyard.runs.stored import StoredRun

OF_TASKS = "the gates of its tasks"


def run_policy(run: StoredRun, *, named: Path | None = None, allow: Sequence[str] = ()) -> Policy:
    """Return the policy that was named, else the one of the run's task, else the default."""
    return _allowing(allow, parse_policy(read_yaml(named), file=str(named)) if named else _own(run) or default_policy())


def policy_of_suite(suite: SuiteRecord, path: Path, *, named: Path | None = None, allow: Sequence[str] = ()) -> Policy:
    """Return the policy that was named, else the one of the suite, else the default."""
    if named is not None:
        return _allowing(allow, parse_policy(read_yaml(named), file=str(named)))
    found = suite_policy(suite.policy, file=str(path / SUITE_FILE)) if suite.policy else default_policy()
    return _allowing(allow, found)


def in_suite(policy: Policy, run: StoredRun) -> tuple[Policy, str]:
    """Return by what a run of a suite is gated, and a warning where that is not by its task's own gates.

    A suite without rules leaves each task its own.
    """
    own = _own(run)
    if own is None:
        return policy, ""
    if policy.rules is DEFAULT_RULES:
        return replace(policy, rules=own.rules, allow=(*policy.allow, *own.allow), source=OF_TASKS), ""
    return policy, f"the gates of its task file are not held: {policy.source} is the policy"


def _own(run: StoredRun) -> Policy | None:
    gates = run.config.get("gates")
    return task_policy(gates, file=str(run.path / CONFIG_FILE)) if gates else None


def _allowing(allow: Sequence[str], policy: Policy) -> Policy:
    """Return a policy with what the command line allows beside it."""
    for name in allow:
        if name not in ALLOWANCES:
            hint = suggestion(name, ALLOWANCES) or f"fields are {', '.join(ALLOWANCES)}"
            raise UsageError(Problem("usage", f"--allow {quoted(name)} names no field", hint=hint))
    return replace(policy, allow=tuple(dict.fromkeys([*policy.allow, *allow])))
