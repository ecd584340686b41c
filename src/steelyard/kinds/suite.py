"""A suite: every task evaluated into one folder, so that one policy gives one verdict."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from steelyard import __version__
from steelyard.configuration.policy import suite_policy
from steelyard.configuration.task import Suite, parse_suite
from steelyard.errors import ConfigurationError, MachineError, Problem, SteelyardError, UsageError
from steelyard.items.named_fields import nearest
from steelyard.kinds.task.order import evaluate
from steelyard.reading.yaml_file import read_yaml
from steelyard.records.gates import Policy
from steelyard.records.runs import OWNER_FILE, RUN_FILE, SUITE_FILE, SUITE_FORMAT, SuiteRecord, SuiteTask
from steelyard.runs.recording import FinishedRun
from steelyard.store.baselines import refuse_named_by_baseline
from steelyard.store.counting import count_start, read_record
from steelyard.store.directories import check_run_name, new_run_id
from steelyard.store.files import machine_errors
from steelyard.store.owners import Owner, standing
from steelyard.store.suites import read_suite, write_suite
from steelyard.tasks.gates import check_gates, reported_names, unknown_metrics
from steelyard.tasks.loading import EvaluateOptions, load_task
from steelyard.tasks.preparation import prepare

# The folder of a suite: made once, owned while its tasks are evaluated, begun again where its process died.


STORED = "stored predictions"


@contextmanager
def owned_folder(options: EvaluateOptions, suite_id: str) -> Iterator[Path]:
    """Own the folder of a suite for the length of a block; one that died is emptied of what can be had again."""
    path = options.runs_dir / (check_run_name(options.name) if options.name is not None else suite_id)
    with machine_errors(path):
        try:
            path.mkdir(parents=True)
        except FileExistsError:
            _refuse_another(path)
        owner = Owner(path)
    try:
        _empty(path, resume=options.resume)
        yield path
    finally:
        owner.release()


def _refuse_another(path: Path) -> None:
    """Refuse a folder that is no suite which died before its last task had come to an end."""
    refuse_named_by_baseline(path)
    if path.is_symlink() or not path.is_dir() or not _died(path):
        hint = "choose another --name; runs are never overwritten"
        raise UsageError(Problem("run-exists", f"there is already {path.name!r}", hint=hint, file=str(path)))


def _died(path: Path) -> bool:
    if (path / SUITE_FILE).is_file():
        unended = any(entry.path is None and entry.error is None for entry in read_suite(path).tasks)
        return unended and standing(path, "running") == "crashed"
    # It died before it wrote its record: what else stands there is none of ours.
    ours = {OWNER_FILE} | {entry.name for entry in path.glob(f".{SUITE_FILE}.*")}
    return {entry.name for entry in path.iterdir()} <= ours


def _empty(path: Path, *, resume: bool) -> None:
    """Remove the runs of stored predictions, which are judged anew; the answers of a model are kept, and asked for."""
    members = [entry for entry in path.iterdir() if entry.is_dir()]
    answered = [entry for entry in members if _is_of_model(entry)]
    if answered and not resume:
        message = f"the suite {path.name} died, and holds answers of a model: {', '.join(e.name for e in answered)}"
        raise UsageError(Problem("run-exists", message, hint="--resume goes on with it", file=str(path)))
    for entry in members:
        if entry not in answered:
            shutil.rmtree(entry)


def _is_of_model(path: Path) -> bool:
    model = read_record(path / RUN_FILE).get("model")
    return isinstance(model, dict) and model.get("kind") != STORED


Evaluate = Callable[[EvaluateOptions], FinishedRun]


@dataclass(frozen=True, slots=True)
class SuiteEvaluation:
    """A suite whose tasks were evaluated, each as far as it went."""

    path: Path
    record: SuiteRecord
    evaluations: tuple[FinishedRun, ...]
    error: SteelyardError | None = None
    """What stopped the first task that did not come to its end."""


def evaluate_suite(options: EvaluateOptions, *, run: Evaluate = evaluate) -> SuiteEvaluation:
    """Evaluate every task of a suite under `runs/<name>/<task>/`; one that fails does not stop the others."""
    assert options.task_file is not None
    file = options.task_file
    suite = parse_suite(read_yaml(file), file=str(file))
    tasks = _tasks(suite, file)
    policy = suite_policy(_policy_content(suite), file=str(file))
    _check_names(policy, tasks, file)
    _check_gates(policy, tasks, options)
    suite_id = new_run_id(datetime.now(UTC)).replace("run_", "suite_", 1)
    with owned_folder(options, suite_id) as path:
        return _evaluated(options, suite, tasks, path, suite_id, run)


def _evaluated(
    options: EvaluateOptions, suite: Suite, tasks: dict[str, Path], path: Path, suite_id: str, run: Evaluate
) -> SuiteEvaluation:
    sequence, _ = count_start(options.runs_dir, path, suite_id, task=suite.suite, started_as="suite")
    listed = {name: SuiteTask(task=name, file=str(task_file)) for name, task_file in tasks.items()}
    record = _record(suite, path.name, suite_id, listed, sequence)
    write_suite(path, record)
    evaluations, first = [], None
    for name, task_file in tasks.items():
        try:
            done = run(replace(options, task_file=task_file, name=name, runs_dir=path))
        except MachineError:
            # No fault of the task: the suite has not ended, and the same command begins it again.
            raise
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


def _policy_content(suite: Suite) -> dict[str, Any]:
    """Return what `suite.json` keeps of the policy; nothing where the suite says nothing of one."""
    if not (suite.gates or suite.allow or suite.required):
        return {}
    return {
        "gates": [dict(entry) for entry in suite.gates],
        "allow": list(suite.allow),
        "required": list(suite.required),
    }


def _check_names(policy: Policy, tasks: dict[str, Path], file: Path) -> None:
    named = [*policy.required, *(rule.task for rule in policy.rules)]
    for name in named:
        if name is not None and name not in tasks:
            message = f"the policy names a task {name!r}; the suite has {', '.join(tasks)}"
            hint = nearest(name, tasks) or "name one of them, or add the file of the task to `tasks`"
            raise ConfigurationError(Problem("bad-policy", message, hint=hint, file=str(file)))


def _check_gates(policy: Policy, tasks: dict[str, Path], options: EvaluateOptions) -> None:
    """Hold the gates of the suite, and those of each task, to what the tasks report, before the first is evaluated."""
    reported = {name: _reported(replace(options, task_file=task_file)) for name, task_file in tasks.items()}
    problems: list[Problem] = []
    for rule in policy.rules:
        of_rule = [names for task, names in reported.items() if rule.task in (None, task)]
        if None not in of_rule:
            known = dict.fromkeys(name for names in of_rule for name in names or ())
            problems += unknown_metrics([rule], list(known), str(options.task_file))
    if problems:
        raise ConfigurationError(list(dict.fromkeys(problems)))


def _reported(options: EvaluateOptions) -> list[str] | None:
    """Return what a task reports; None where it cannot be evaluated, which it says itself in its turn."""
    try:
        prepared = prepare(options)
    except SteelyardError:
        return None
    check_gates(prepared, options)
    return reported_names(prepared)


def _record(suite: Suite, name: str, suite_id: str, tasks: dict[str, SuiteTask], sequence: int) -> SuiteRecord:
    return SuiteRecord(
        suite_id=suite_id,
        name=name,
        suite=suite.suite,
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
        steelyard_version=__version__,
        tasks=list(tasks.values()),
        policy=_policy_content(suite),
        format_version=SUITE_FORMAT,
        sequence=sequence,
    )
