"""A run's stored outputs judged again, aside: nothing is asked of a model, and no run is touched."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from steelyard.errors import InputError, Problem
from steelyard.pipeline.evaluation.deriving import derive
from steelyard.pipeline.evaluation.verifying import (
    OLD_FIGURES,
    is_current,
    verify_columns,
    verify_files,
    verify_record,
    verify_results,
)
from steelyard.pipeline.options import EvaluateOptions
from steelyard.pipeline.preparation.task import prepare
from steelyard.pipeline.runs.stored import StoredRun, agree
from steelyard.reading.hashing import sha256_file
from steelyard.reading.shipped import opened_path
from steelyard.records.runs import CONFIG_FILE, ITEMS_FILE, JOURNAL_FILE, RESULTS_FILE
from steelyard.store.columns import StoredColumns
from steelyard.store.results import damaged


@contextmanager
def judged_again(
    outputs: StoredRun, judge: StoredRun, *, data: StoredRun
) -> Iterator[tuple[StoredColumns, dict[str, Any]]]:
    """Judge one run's outputs by another's scorers over the items of `data`, aside; yield items and results."""
    with tempfile.TemporaryDirectory(prefix="steelyard-rejudge-") as folder:
        items = Path(folder) / ITEMS_FILE
        items.parent.mkdir(parents=True)
        with warnings.catch_warnings():
            # What there is to warn of was said when the run was made.
            warnings.simplefilter("ignore")
            options = _options(outputs, judge, data)
            prepared = prepare(options, judged_by=judge.record.signed("scorers", "metrics"))
            results, _ = derive(Path(folder), prepared, options, {}, aside=True)
        yield StoredColumns(items, primary=results["primary_metric"], labels=results.get("labels")), results


def verify_outputs(run: StoredRun) -> None:
    """Raise where anything that a run derived is not what its stored outputs give when they are judged again."""
    with judged_again(run, run, data=run) as (again, results):
        if not run.columns.ids().equals(again.ids()):
            raise damaged(run.columns.path, "the items are not those of the dataset")
        verify_columns(run.columns, again)
        stored = run.results if is_current(run) else {name: run.results[name] for name in OLD_FIGURES}
        verify_results(run.path / RESULTS_FILE, stored, results)
        if is_current(run):
            verify_files(run.path, again.path.parent.parent)
        verify_record(run, results)


def verify_figures(run: StoredRun, names: Sequence[str]) -> None:
    """Raise where a stored figure that no single items decide is not what the stored outputs give."""
    if not names:
        return
    with judged_again(run, run, data=run) as (_, results):
        for name in names:
            stored, found = run.results["metrics"][name], results["metrics"].get(name)
            if not agree(found, stored):
                message = f"{RESULTS_FILE} says that {name} is {stored}, and the stored outputs give {found}"
                raise damaged(run.path / RESULTS_FILE, message)


def _options(outputs: StoredRun, judge: StoredRun, data: StoredRun) -> EvaluateOptions:
    config: dict[str, Any] = dict(judge.judged_by)
    if "answer_type" not in config:
        message = f"{judge.label} is no evaluation of a task file, so its outputs cannot be judged again aside"
        hint = "compare without --attribute and --verify"
        raise InputError(Problem("unknown-format", message, hint=hint, file=str(judge.path / CONFIG_FILE)))
    selection = data.config.get("selection", {})
    for name in ("selection", "dataset", "predictions"):
        config.pop(name, None)
    # Where an output stands is the business of the run that made it, not of the scorers.
    places = {name: value for name, value in config.get("fields", {}).items() if name != "prediction"}
    own = outputs.config.get("fields", {}).get("prediction")
    config["fields"] = places | ({"prediction": own} if own is not None else {})
    return EvaluateOptions(
        task=config,
        dataset=str(_dataset(data)),
        predictions=str(outputs.path / JOURNAL_FILE),
        limit=selection.get("limit"),
        sample_size=selection.get("sample_size"),
        seed=selection.get("seed", 0),
    )


def _dataset(run: StoredRun) -> Path:
    """Return a run's dataset, which must still be what it was."""
    path = opened_path(str(run.config.get("dataset", "")))
    if not path.is_file() or sha256_file(path) != run.record.dataset.get("sha256"):
        message = f"the dataset of {run.label} is not there as it was, so its outputs cannot be judged again"
        raise InputError(Problem("dataset-changed", message, hint="bring the file back as it was", file=str(path)))
    return path
