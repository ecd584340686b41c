"""What caused a change: the baseline's stored outputs judged again by the candidate's scorers and references.

Nothing is asked of a model. Both judgements are made aside, and neither run is touched.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from steelyard.comparison.attribution import Stages, attribute, shared_rows
from steelyard.comparison.measures import measure
from steelyard.comparison.pairing import Pairing
from steelyard.errors import InputError, Problem
from steelyard.pipeline.evaluation import make_judge, make_source, stream
from steelyard.pipeline.options import EvaluateOptions
from steelyard.pipeline.preparation import prepare
from steelyard.pipeline.recording import Derivation
from steelyard.pipeline.stored_runs import StoredRun, damaged
from steelyard.reading.hashing import sha256_file
from steelyard.records.columns import Rows
from steelyard.records.comparisons import Attribution
from steelyard.records.runs import CONFIG_FILE, ITEMS_FILE, JOURNAL_FILE
from steelyard.store.columns import StoredColumns


def attribute_change(metric: str, baseline: StoredRun, candidate: StoredRun, pairing: Pairing) -> Attribution:
    """Return the delta of a metric split into model, scorer, data and coverage."""
    shared = shared_rows(pairing, baseline.columns, candidate.columns)
    if not len(shared.baseline):
        raise InputError(Problem("no-items", "no items are in both runs, so a change cannot be split by cause"))
    direction = candidate.direction(metric)
    own = measure(metric, direction, baseline.columns, candidate.columns)
    assert own is not None
    with (
        judged_again(baseline, candidate, data=baseline) as rescored,
        judged_again(baseline, candidate, data=candidate) as again,
    ):
        judged = measure(metric, direction, rescored, again)
        if judged is None:
            raise damaged(candidate.path, f"its configuration does not give {metric}")
        stages = Stages(
            baseline=_value(own.figure(0).value),
            shared_baseline=_value(own.figure(0, shared.baseline).value),
            rescored=_value(judged.figure(0, _rows(rescored, baseline.columns, shared.baseline)).value),
            referenced=_value(judged.figure(1, _rows(again, candidate.columns, shared.candidate)).value),
            shared_candidate=_value(own.figure(1, shared.candidate).value),
            candidate=_value(own.figure(1).value),
        )
    return attribute(stages, len(shared.baseline))


def _value(value: float | None) -> float:
    if value is None:
        message = "the metric is undefined over the shared items, so a change cannot be split by cause"
        raise InputError(Problem("no-items", message))
    return value


def _rows(judged: StoredColumns, run: StoredColumns, rows: Rows) -> Rows:
    """Return where a run's rows stand among the same items, judged again."""
    if len(judged) == len(run):
        return rows
    places = pc.index_in(run.ids().take(pa.array(rows)), value_set=judged.ids())
    return np.asarray(places.to_numpy(zero_copy_only=False), np.int64)


@contextmanager
def judged_again(outputs: StoredRun, judge: StoredRun, *, data: StoredRun) -> Iterator[StoredColumns]:
    """Judge one run's outputs by another's scorers over the items of `data`, aside."""
    options = _options(outputs, judge, data)
    prepared = prepare(options)
    with tempfile.TemporaryDirectory(prefix="steelyard-attribute-") as folder:
        (Path(folder) / ITEMS_FILE).parent.mkdir(parents=True)
        derivation = Derivation(Path(folder), prepared.report)
        source = make_source(prepared, options)
        try:
            stream(derivation, make_judge(prepared, source), source, None, None)
        except BaseException as error:
            derivation.abandon(error)
            raise
        results, _ = derivation.finish(prepared.signatures, {})
        yield StoredColumns(Path(folder) / ITEMS_FILE, primary=results["primary_metric"], labels=results.get("labels"))


def verify_outputs(run: StoredRun) -> None:
    """Raise where a run's items are not what its stored outputs give when they are judged again."""
    with judged_again(run, run, data=run) as again:
        stored, found = run.columns.number(run.primary), again.number(run.primary)
        assert stored is not None
        assert found is not None
        if not run.columns.ids().equals(again.ids()):
            raise damaged(run.columns.path, "the items are not those of the dataset")
        differing = np.flatnonzero(stored != found)
        if len(differing):
            first = run.columns.ids()[int(differing[0])].as_py()
            message = f"{len(differing)} scores are not what the stored outputs give; the first is that of {first}"
            raise damaged(run.columns.path, message)


def _options(outputs: StoredRun, judge: StoredRun, data: StoredRun) -> EvaluateOptions:
    config: dict[str, Any] = dict(judge.config)
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
    path = Path(str(run.config.get("dataset", "")))
    if not path.is_file() or sha256_file(path) != run.record.dataset.get("sha256"):
        message = f"the dataset of {run.label} is not there as it was, so its outputs cannot be judged again"
        raise InputError(Problem("dataset-changed", message, hint="bring the file back as it was", file=str(path)))
    return path
