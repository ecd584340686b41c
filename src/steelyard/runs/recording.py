"""A run on its way to disk: judged blocks in, a complete run directory out.

Every flow that ends in a run (stored predictions, models, conversations, research) records it here, so that all runs
can be listed, compared, gated and shown alike.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from steelyard import __version__
from steelyard.aggregate.report import Report
from steelyard.errors import IncompleteError, MachineError, Problem, SteelyardError
from steelyard.records.blocks import ScoredBlock
from steelyard.records.plans import ReportPlan
from steelyard.records.runs import (
    ITEMS_FILE,
    RUN_FILE,
    BaselineFigures,
    Reading,
    RunKind,
    RunRecord,
    RunStatus,
)
from steelyard.runs.artifacts import write_eval_files, write_run_files
from steelyard.runs.places import Place
from steelyard.runs.reporting import write_report
from steelyard.runs.sealing import seal_derived, seal_run
from steelyard.store.baselines import DATABASE_VARIABLE, refuse_named_by_baseline
from steelyard.store.checking import read_hard_examples, read_results
from steelyard.store.directories import RunDirectory, now_text, read_run
from steelyard.store.items import ItemsWriter


@dataclass(frozen=True, slots=True, kw_only=True)
class RunIdentity:
    """What a run says about itself before anything is judged."""

    task: str
    scorer_version: str
    """The primary scorer's versioned name."""
    signatures: Mapping[str, Any]
    """Everything that can change a number: `scorers`, `metrics` and `canonical`, each a list."""
    task_version: str | None = None
    answer_type: str | None = None
    model: Mapping[str, Any] = field(default_factory=dict)
    dataset: Mapping[str, Any] = field(default_factory=dict)
    prompt_version: str | None = None
    flags: tuple[str, ...] = ()
    kind: RunKind = "task"


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """A run that came to its end: where it is and what it found."""

    path: Path
    run: RunRecord
    results: dict[str, Any]
    hard_examples: list[dict[str, Any]] = field(default_factory=list)
    unknown_ids: Sequence[tuple[str, int]] = ()
    """The first predictions for ids that are not in the dataset, with their lines."""
    unknown_total: int = 0
    before: BaselineFigures | None = None
    """Of a baseline that was judged again: what it said before."""


class OverBudgetError(IncompleteError):
    """More items have no answer than the error budget allows. Every item has a state, and the run has its figures."""

    def __init__(self, problems: Sequence[Problem], finished: FinishedRun) -> None:
        super().__init__(problems)
        self.finished = finished


class Derivation:
    """Everything under `eval/`, derived from judged blocks in dataset order."""

    def __init__(self, path: Path, plan: ReportPlan, group_rows: int | None = None) -> None:
        self.path = path
        self.report = Report(plan)
        self._open = ExitStack()
        self._items = self._open.enter_context(ItemsWriter(path / ITEMS_FILE, group_rows))

    def add(self, block: ScoredBlock) -> None:
        """Take up a block."""
        self._items.write(block)
        self.report.update(block)

    def finish(
        self, signatures: Mapping[str, Any], extra: Mapping[str, Any]
    ) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """Write all files; return the results and the hard examples."""
        self._open.close()
        return write_eval_files(self.path, self.report, signatures, extra)

    def abandon(self, error: BaseException) -> None:
        """Leave no half-written file behind."""
        self._open.__exit__(type(error), error, error.__traceback__)


class Recorder:
    """Takes judged blocks in dataset order and writes the run that they make."""

    def __init__(
        self, directory: RunDirectory, identity: RunIdentity, plan: ReportPlan, group_rows: int | None = None
    ) -> None:
        self.directory = directory
        self.identity = identity
        self._derivation = Derivation(directory.path, plan, group_rows)
        try:
            self._write("running")
        except BaseException as error:
            self.abandon(error)
            raise

    @property
    def path(self) -> Path:
        """The run's directory."""
        return self.directory.path

    @property
    def report(self) -> Report:
        """What is known of the items so far."""
        return self._derivation.report

    def add(self, block: ScoredBlock) -> None:
        """Take up a block."""
        self._derivation.add(block)

    def complete(
        self,
        *,
        config: Mapping[str, Any],
        manifest: Mapping[str, Any],
        extra: Mapping[str, Any] | None = None,
        flags: Sequence[str] = (),
        reading: Reading | None = None,
        status: RunStatus = "completed",
    ) -> FinishedRun:
        """Write results, configuration and hashes, and last of all that every item has its state."""
        reading = reading or Reading()
        results, hard = self._derivation.finish(self.identity.signatures, extra or {})
        adapter = self.identity.model.get("adapter")
        write_run_files(self.path, config=config, manifest=manifest, dataset=self.identity.dataset, adapter=adapter)
        write_report(self.path, self._record(status), results, hard)
        sealed = seal_run(self.path, seal_derived(self.path))
        record = msgspec.structs.replace(
            self._record(status),
            completed_at=now_text(),
            flags=[*self.identity.flags, *flags, *reading.flags],
            reading=reading,
            **outcome(results),
            **sealed,
        )
        self.directory.write_record(record)
        if os.environ.get(DATABASE_VARIABLE):
            from steelyard.runs.indexing import index_completed  # noqa: PLC0415 - a database library, 0.3 s

            index_completed(self.path)
        return FinishedRun(self.path, record, results, hard)

    def abandon(self, error: BaseException) -> None:
        """Leave no half-written file and say in `run.json` that the run was interrupted."""
        self._derivation.abandon(error)
        self._write("interrupted", error=repr(error))

    def _write(self, status: RunStatus, *, error: str | None = None) -> None:
        self.directory.write_record(self._record(status, error=error))

    def _record(self, status: RunStatus, *, error: str | None = None) -> RunRecord:
        return run_record(self.directory, self.identity, status, error=error)


@contextmanager
def abandoned_on_error(taking: Derivation | Recorder) -> Iterator[None]:
    """Leave no half-written file behind where a block of code raises or is interrupted."""
    try:
        yield
    except BaseException as error:
        taking.abandon(error)
        raise


def run_record(
    directory: RunDirectory, identity: RunIdentity, status: RunStatus, *, error: str | None = None
) -> RunRecord:
    """Return what `run.json` says of a run that has no results yet."""
    return RunRecord(
        run_id=directory.run_id,
        name=directory.path.name,
        status=status,
        created_at=directory.created_at,
        task=identity.task,
        steelyard_version=__version__,
        host=directory.host,
        error=error,
        task_version=identity.task_version,
        answer_type=identity.answer_type,
        model=dict(identity.model),
        dataset=dict(identity.dataset),
        prompt_version=identity.prompt_version,
        scorer_version=identity.scorer_version,
        signatures=dict(identity.signatures),
        flags=list(identity.flags),
        kind=identity.kind,
    )


def read_finished(path: Path) -> FinishedRun:
    """Return a completed run as what came of making it."""
    return FinishedRun(path, read_run(path), read_results(path), read_hard_examples(path))


def outcome(results: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a run's record says of its results: counts, primary metric and score."""
    card = results["scorecard"]
    return {
        "counts": {name: card[name] for name in ("n_items", "n_scored", "n_skipped", "states")},
        "primary_metric": results["primary_metric"],
        "primary_score": card["primary_score"],
    }


@contextmanager
def recording(
    place: Place, identity: RunIdentity, plan: ReportPlan, group_rows: int | None = None
) -> Iterator[Recorder]:
    """Own a fresh run directory for the length of a block; `group_rows` items at a time are held for `items.parquet`.

    A run of this identity that died is begun again: its predictions are all stored elsewhere.

    Refused input leaves nothing behind: the run never began to count. Anything else that stops the block (a signal, a
    full disk, our own bug) leaves a run that says it was interrupted, or, where there is no room to say so, one that
    nobody owns: `latest` is then never the run before it.
    """
    directory = RunDirectory.create(
        place.runs_dir,
        place.name,
        task=identity.task,
        started_as=place.started_as,
        replaces=lambda path: _is_same(path, identity),
    )
    recorder: Recorder | None = None
    try:
        recorder = Recorder(directory, identity, plan, group_rows)
        yield recorder
    except MachineError as error:
        with suppress(MachineError):
            _interrupt(directory, identity, recorder, error)
        directory.release()
        raise
    except SteelyardError as error:
        if recorder is not None:
            recorder.abandon(error)
        directory.discard()
        raise
    except BaseException as error:
        _interrupt(directory, identity, recorder, error)
        directory.release()
        raise
    directory.release()


def _interrupt(directory: RunDirectory, identity: RunIdentity, recorder: Recorder | None, error: BaseException) -> None:
    """Leave a run that says it was interrupted, where it had said that it was running."""
    if recorder is not None:
        recorder.abandon(error)
    elif (directory.path / RUN_FILE).is_file():
        # A signal came before anything could answer for the run.
        directory.write_record(run_record(directory, identity, "interrupted", error=repr(error)))


def _is_same(path: Path, identity: RunIdentity) -> bool:
    """Return whether a dead run is the one that is to be made: the same task over the same data and predictions."""
    refuse_named_by_baseline(path)
    if not (path / RUN_FILE).is_file():
        return True
    record = read_run(path)
    found = (record.task, record.model, record.dataset)
    return found == (identity.task, dict(identity.model), dict(identity.dataset))
