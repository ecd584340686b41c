"""A suite: every task evaluated into one folder, so that one policy gives one verdict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from steelyard import __version__
from steelyard.configuration.policy import parse_policy
from steelyard.configuration.suite import Suite, parse_suite
from steelyard.errors import ConfigurationError, Problem, SteelyardError
from steelyard.pipeline.evaluation.order import evaluate
from steelyard.pipeline.evaluation.suite_folder import owned_folder
from steelyard.pipeline.options import EvaluateOptions
from steelyard.pipeline.preparation.loading import load_task
from steelyard.pipeline.recording.run import Evaluation
from steelyard.reading.yaml_file import read_yaml
from steelyard.records.gates import Policy
from steelyard.records.suites import SUITE_FORMAT, SuiteRecord, SuiteTask
from steelyard.store.counting import count_start
from steelyard.store.directories import new_run_id
from steelyard.store.suites import write_suite

Evaluate = Callable[[EvaluateOptions], Evaluation]


@dataclass(frozen=True, slots=True)
class SuiteEvaluation:
    """A suite whose tasks were evaluated, each as far as it went."""

    path: Path
    record: SuiteRecord
    evaluations: tuple[Evaluation, ...]
    error: SteelyardError | None = None
    """What stopped the first task that did not come to its end."""


def evaluate_suite(options: EvaluateOptions, *, run: Evaluate = evaluate) -> SuiteEvaluation:
    """Evaluate every task of a suite under `runs/<name>/<task>/`; one that fails does not stop the others."""
    assert options.task_file is not None
    file = options.task_file
    suite = parse_suite(read_yaml(file), file=str(file))
    tasks = _tasks(suite, file)
    policy = suite_policy(suite, file)
    _check_names(policy, tasks, file)
    suite_id = new_run_id(datetime.now(UTC)).replace("run_", "suite_", 1)
    with owned_folder(options, suite_id) as path:
        return _evaluated(options, suite, tasks, path, suite_id, run)


def _evaluated(
    options: EvaluateOptions, suite: Suite, tasks: dict[str, Path], path: Path, suite_id: str, run: Evaluate
) -> SuiteEvaluation:
    sequence, _ = count_start(options.runs_dir, path, suite_id, task=suite.suite, kind="suite")
    listed = {name: SuiteTask(task=name, file=str(task_file)) for name, task_file in tasks.items()}
    record = _record(suite, path.name, suite_id, listed, sequence)
    write_suite(path, record)
    evaluations, first = [], None
    for name, task_file in tasks.items():
        try:
            done = run(replace(options, task_file=task_file, name=name, runs_dir=path))
        except SteelyardError as error:
            first = first or error
            listed[name] = SuiteTask(task=name, file=str(task_file), error=str(error))
        else:
            evaluations.append(done)
            found = done.run
            listed[name] = SuiteTask(
                task=name, file=str(task_file), path=done.path.name, run_id=found.run_id, fingerprint=found.fingerprint
            )
        record = _record(suite, path.name, suite_id, listed, sequence)
        write_suite(path, record)
    return SuiteEvaluation(path, record, tuple(evaluations), first)


def _tasks(suite: Suite, file: Path) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for entry in suite.tasks:
        task_file = file.parent / entry
        task, _ = load_task(EvaluateOptions(task_file=task_file))
        if task.task in found:
            message = f"two task files are named {task.task}: {found[task.task]} and {task_file}"
            raise ConfigurationError(Problem("bad-configuration", message, file=str(file)))
        found[task.task] = task_file
    return found


def suite_policy(suite: Suite, file: Path) -> Policy | None:
    """Return the suite's policy, checked; None where it has no gates."""
    return parse_policy(_policy_content(suite), file=str(file)) if suite.gates else None


def _policy_content(suite: Suite) -> dict[str, Any]:
    return {
        "gates": [dict(entry) for entry in suite.gates],
        "allow": list(suite.allow),
        "required": list(suite.required),
    }


def _check_names(policy: Policy | None, tasks: dict[str, Path], file: Path) -> None:
    named = [*(policy.required if policy else ()), *(rule.task for rule in (policy.rules if policy else ()))]
    for name in named:
        if name is not None and name not in tasks:
            message = f"the policy names a task {name!r}; the suite has {', '.join(tasks)}"
            raise ConfigurationError(Problem("bad-policy", message, file=str(file)))


def _record(suite: Suite, name: str, suite_id: str, tasks: dict[str, SuiteTask], sequence: int) -> SuiteRecord:
    return SuiteRecord(
        suite_id=suite_id,
        name=name,
        suite=suite.suite,
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
        steelyard_version=__version__,
        tasks=list(tasks.values()),
        policy=_policy_content(suite) if suite.gates else {},
        format_version=SUITE_FORMAT,
        sequence=sequence,
    )
