"""Predictions from a model: items to requests to a journal, which is then judged like any file of predictions.

Everything is checked before the first question is asked. Whatever stops the asking afterwards leaves a run that says so
and goes on where it stopped with `--resume`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import numpy as np
import yaml

from steelyard.errors import (
    ConfigurationError,
    IncompleteError,
    InputError,
    MachineError,
    Problem,
    SteelyardError,
    UsageError,
    excerpt,
)
from steelyard.models import Model, ModelOptions, open_model
from steelyard.pipeline.generation.caching import Answers
from steelyard.pipeline.generation.requests import Requests
from steelyard.pipeline.judging.items import Judge
from steelyard.pipeline.options import EvaluateOptions
from steelyard.pipeline.recording.artifacts import write_run_files
from steelyard.pipeline.recording.run import RunIdentity, run_record
from steelyard.reading.yaml_file import read_yaml
from steelyard.records.blocks import ItemBlock, ScoredBlock
from steelyard.records.models import ModelIdentity, ModelReply, ModelRequest
from steelyard.records.runs import CONFIG_FILE, JOURNAL_FILE, RUN_FILE
from steelyard.records.secrets import redacted
from steelyard.store.directories import RunDirectory, check_run_name, list_runs, read_run
from steelyard.store.files import write_bytes
from steelyard.store.journal import Journal, without_failures

Asking: TypeAlias = Callable[[int, int], None]
"""Called with how many items are answered and how many there are."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of the asking."""

    total: int
    states: Mapping[str, int]
    """How many items failed or timed out."""
    cached: int

    @property
    def failed(self) -> int:
        """How many items have no answer."""
        return sum(self.states.values())


def model_options(options: EvaluateOptions, *, losses: bool) -> ModelOptions:
    """Return how a model is run, as far as the caller said."""
    names = ("concurrency", "deadline", "batch_size", "threads", "device")
    given = {name: value for name in names if (value := getattr(options, name)) is not None}
    return ModelOptions(losses=losses, **given)


def open_task_model(spec: str, options: EvaluateOptions, *, losses: bool) -> Model:
    """Return the model of an evaluation."""
    return open_model(spec, model_options(options, losses=losses))


def model_facts(identity: ModelIdentity) -> dict[str, Any]:
    """Return what `run.json` says of the model."""
    facts: dict[str, Any] = msgspec.to_builtins(identity)
    return redacted({"name": facts.pop("name"), "kind": facts.pop("kind"), **facts})  # type: ignore[no-any-return]


def generate(
    journal_path: Path, model: Model, requests: Requests, *, total: int, cache: bool, asking: Asking | None = None
) -> Asked:
    """Ask the model for every item that the journal does not have yet."""
    answers = Answers(model.identity, requests.template.sha256, enabled=cache)
    with closing(answers), Journal(journal_path) as journal:
        writer = _Writer(journal, requests.prediction_field, total, asking)
        if model.identity.is_mock:
            return _dry(journal, requests, total)
        writer.tell()
        for request, reply in _found(journal, requests, answers):
            writer.write(request.item_id, reply, cached=True)
        journal.sync()
        with closing(_asked(model, requests.without(dict(journal.done)))) as replies:
            for request, reply in replies:
                writer.write(request.item_id, reply)
                answers.keep(request, reply)
        journal.sync()
        states = Counter(state for state in journal.done.values() if state is not None)
        return Asked(total, dict(states), answers.hits)


def _dry(journal: Journal, requests: Requests, total: int) -> Asked:
    """Journal that nobody was asked."""
    for request in requests.without(dict(journal.done)):
        journal.append(request.item_id, {"state": "missing", "mock": True}, state="missing")
    return Asked(total, {}, 0)


@dataclass(frozen=True, slots=True)
class _Writer:
    """Puts replies into the journal and tells how far the asking is."""

    journal: Journal
    field: str
    total: int
    asking: Asking | None

    def write(self, item_id: str, reply: ModelReply, *, cached: bool = False) -> None:
        fields: dict[str, Any] = msgspec.to_builtins(reply)
        output = fields.pop("output", None)
        if reply.state is None:
            fields = {self.field: output, **fields}
        self.journal.append(item_id, fields | ({"cached": True} if cached else {}), state=reply.state)
        self.tell()

    def tell(self) -> None:
        if self.asking is not None:
            self.asking(len(self.journal.done), self.total)


def _found(journal: Journal, requests: Requests, answers: Answers) -> Iterator[tuple[ModelRequest, ModelReply]]:
    """Yield what the cache knows of the requests that are open."""
    if answers.enabled:
        for request in requests.without(dict(journal.done)):
            reply = answers.find(request)
            if reply is not None:
                yield request, reply


def _asked(model: Model, requests: Iterator[ModelRequest]) -> Generator[tuple[ModelRequest, ModelReply]]:
    """Yield the model's replies; as a generator of our own it can be closed, whatever the model's iterator is."""
    yield from model.ask(requests)


def over_budget(asked: Asked, budget: float) -> IncompleteError | None:
    """Return the error where more items failed than the budget allows: a count, or a share of all items below 1."""
    allowed = int(budget * asked.total) if 0 < budget < 1 else int(budget)
    if asked.failed <= allowed:
        return None
    reasons = ", ".join(f"{count} {state}" for state, count in sorted(asked.states.items()))
    return IncompleteError(
        Problem(
            "model-errors",
            f"{asked.failed} of {asked.total} items have no answer ({reasons}), and the error budget is {allowed}",
            hint="--resume --retry-failed asks those again; --resume --error-budget N accepts them",
        )
    )


@contextmanager
def generating(
    options: EvaluateOptions, identity: RunIdentity, config: Mapping[str, Any], manifest: Mapping[str, Any]
) -> Iterator[RunDirectory]:
    """Own the run directory of a model's run, fresh or resumed, for the length of a block.

    A fresh run whose input is refused leaves nothing behind. Anything that stops a run which has a journal leaves the
    run as it is, saying in `run.json` what stopped it.
    """
    directory = _directory(options, identity, config)
    try:
        _begin(directory, identity, config, manifest, options)
        yield directory
    except (InputError, ConfigurationError, UsageError) as error:
        if _has_answers(directory.path):
            _stopped(directory, identity, "failed", error)
        else:
            directory.discard()
        raise
    except BaseException as error:
        interrupted = not isinstance(error, SteelyardError)
        _stopped(directory, identity, "interrupted" if interrupted else "failed", error)
        raise
    directory.release()


def _has_answers(path: Path) -> bool:
    journal = path / JOURNAL_FILE
    return journal.is_file() and journal.stat().st_size > 0


def _stopped(directory: RunDirectory, identity: RunIdentity, status: Any, error: BaseException) -> None:
    """Say in `run.json` what stopped the run; where even that cannot be written, the disk's own error goes on."""
    try:
        directory.write_record(run_record(directory, identity, status, error=_reason(error)))
    except MachineError:
        if not isinstance(error, MachineError):
            raise
    finally:
        directory.release()


def _reason(error: BaseException) -> str:
    return str(error.problems[0]) if isinstance(error, SteelyardError) else type(error).__name__


def _directory(options: EvaluateOptions, identity: RunIdentity, config: Mapping[str, Any]) -> RunDirectory:
    if not options.resume:
        return RunDirectory.create(options.runs_dir, options.name)
    path = _path_to_resume(options, config)
    if path is None:
        return RunDirectory.create(options.runs_dir, options.name)
    directory = RunDirectory.resume(path)
    try:
        _refuse_another(path, config, identity)
    except SteelyardError:
        directory.release()
        raise
    return directory


def _path_to_resume(options: EvaluateOptions, config: Mapping[str, Any]) -> Path | None:
    """Return the run to go on with: the named one, else the newest unfinished one of this configuration."""
    if options.name is not None:
        path = options.runs_dir / check_run_name(options.name)
        return path if path.is_dir() else None
    for path, record in list_runs(options.runs_dir):
        if record.status != "completed" and _same(path, config):
            return path
    return None


def finished_run(options: EvaluateOptions) -> Path | None:
    """Return the directory of a run that `--resume` finds complete: there is nothing left to do."""
    if not options.resume or options.name is None:
        return None
    path = options.runs_dir / check_run_name(options.name)
    return path if (path / RUN_FILE).is_file() and read_run(path).status == "completed" else None


def _same(path: Path, config: Mapping[str, Any]) -> bool:
    return (path / CONFIG_FILE).is_file() and not _differences(read_yaml(path / CONFIG_FILE), config)


def _refuse_another(path: Path, config: Mapping[str, Any], identity: RunIdentity) -> None:
    """Refuse to go on with another model, prompt or dataset than the run began with."""
    differences: list[str] = []
    if (path / CONFIG_FILE).is_file():
        differences += _differences(read_yaml(path / CONFIG_FILE), config)
    if (path / RUN_FILE).is_file():
        record = read_run(path)
        differences += _differences(record.model, identity.model) + _differences(record.dataset, identity.dataset)
    if differences:
        listed = "; ".join(differences[:5])
        hint = "resume with the same task, model and data, or choose another --name"
        raise UsageError(
            Problem("run-differs", f"the run began with another configuration: {listed}", hint=hint, file=str(path))
        )


def _differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    again = yaml.safe_load(yaml.safe_dump(redacted(dict(now)), sort_keys=False, allow_unicode=True))
    keys = sorted({*before, *again})
    return [
        f"{key} was {excerpt(repr(before.get(key)))}, is {excerpt(repr(again.get(key)))}"
        for key in keys
        if before.get(key) != again.get(key)
    ]


def _begin(
    directory: RunDirectory,
    identity: RunIdentity,
    config: Mapping[str, Any],
    manifest: Mapping[str, Any],
    options: EvaluateOptions,
) -> None:
    """Write what the run is made from before anything is asked, so that a later process can hold itself to it."""
    write_run_files(directory.path, config=config, manifest=manifest, dataset=identity.dataset)
    directory.write_record(run_record(directory, identity, "running"))
    journal = directory.path / JOURNAL_FILE
    if options.retry_failed and journal.is_file():
        write_bytes(journal, without_failures(journal))


class DryJudge:
    """Judges the items of a mock's run: they are there, and no score of theirs is invented."""

    def __init__(self, judge: Judge) -> None:
        self.problems = judge.problems
        self._judge = judge

    def judge(self, block: ItemBlock) -> ScoredBlock:
        """Return the block with every number null, and without the tags that numbers would be told by."""
        judged = self._judge.judge(block)
        nothing = np.full(len(judged), np.nan)
        return replace(judged, primary=nothing, scores=dict.fromkeys(judged.scores, nothing), tags={})
