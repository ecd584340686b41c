"""The folder of a suite: made once, owned while its tasks are evaluated, begun again where its process died."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from steelyard.errors import Problem, UsageError
from steelyard.records.runs import OWNER_FILE, RUN_FILE, SUITE_FILE
from steelyard.store.baselines import refuse_named_by_baseline
from steelyard.store.counting import read_record
from steelyard.store.directories import check_run_name
from steelyard.store.files import machine_errors
from steelyard.store.owners import Owner, standing
from steelyard.store.suites import read_suite
from steelyard.tasks.options import EvaluateOptions

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
