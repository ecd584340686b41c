"""A run whose answers come from a model: its directory, fresh or resumed.

Everything is checked before the first question is asked. Whatever stops the asking afterwards leaves a run that says so
and goes on where it stopped with `--resume`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from steelyard.errors import (
    ConfigurationError,
    InputError,
    MachineError,
    Problem,
    SteelyardError,
    UsageError,
    excerpt,
)
from steelyard.records.runs import CONFIG_FILE, JOURNAL_FILE, RUN_FILE, RunStatus, StartedAs
from steelyard.runs.artifacts import read_config, write_run_files
from steelyard.runs.places import Place
from steelyard.runs.recording import OverBudgetError, RunIdentity, run_record
from steelyard.secrets import redacted
from steelyard.store.directories import RunDirectory, check_run_name, list_runs, read_run
from steelyard.store.files import write_bytes
from steelyard.store.journal import without_failures

_OF_ONE_ASKING = ("error_budget",)
"""What may be another each time that a run is gone on with: it decides no answer."""


@contextmanager
def generating(
    place: Place, identity: RunIdentity, config: Mapping[str, Any], manifest: Mapping[str, Any]
) -> Iterator[RunDirectory]:
    """Own the run directory of a model's run, fresh or resumed, for the length of a block.

    A fresh run whose input is refused leaves nothing behind. Anything that stops a run which has a journal leaves the
    run as it is, saying in `run.json` what stopped it.
    """
    directory = _directory(place, identity, config)
    try:
        _begin(directory, identity, config, manifest, retry_failed=place.retry_failed)
        yield directory
    except OverBudgetError:
        directory.release()
        raise
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


def _stopped(directory: RunDirectory, identity: RunIdentity, status: RunStatus, error: BaseException) -> None:
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


def _directory(place: Place, identity: RunIdentity, config: Mapping[str, Any]) -> RunDirectory:
    started_as: StartedAs = "mock" if "mock" in identity.flags else place.started_as
    path = _path_to_resume(place, config) if place.resume else None
    if path is None:
        return RunDirectory.create(place.runs_dir, place.name, task=identity.task, started_as=started_as)
    directory = RunDirectory.resume(path, task=identity.task, started_as=started_as)
    try:
        _refuse_another(path, config, identity)
    except SteelyardError:
        directory.release()
        raise
    return directory


def _path_to_resume(place: Place, config: Mapping[str, Any]) -> Path | None:
    """Return the run to go on with: the named one, else the newest unfinished one of this configuration."""
    if place.name is not None:
        path = place.runs_dir / check_run_name(place.name)
        return path if path.is_dir() else None
    for path, record in list_runs(place.runs_dir):
        if record.status != "completed" and _same(path, config):
            return path
    return None


def finished_run(place: Place) -> Path | None:
    """Return the directory of a run that `--resume` finds complete: there is nothing left to do."""
    if not place.resume or place.name is None:
        return None
    path = place.runs_dir / check_run_name(place.name)
    return path if (path / RUN_FILE).is_file() and read_run(path).status == "completed" else None


def _same(path: Path, config: Mapping[str, Any]) -> bool:
    return (path / CONFIG_FILE).is_file() and not _differences(read_config(path), config)


def _refuse_another(path: Path, config: Mapping[str, Any], identity: RunIdentity) -> None:
    """Refuse to go on with another model, prompt or dataset than the run began with."""
    differences: list[str] = []
    if (path / CONFIG_FILE).is_file():
        differences += _differences(read_config(path), config)
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
    keys = sorted({*before, *again} - {*_OF_ONE_ASKING})
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
    *,
    retry_failed: bool,
) -> None:
    """Write what the run is made from before anything is asked, so that a later process can hold itself to it."""
    write_run_files(directory.path, config=config, manifest=manifest, dataset=identity.dataset)
    directory.write_record(run_record(directory, identity, "running"))
    journal = directory.path / JOURNAL_FILE
    if retry_failed and journal.is_file():
        write_bytes(journal, without_failures(journal))
