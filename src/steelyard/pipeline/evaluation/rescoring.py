"""Judge a run's stored predictions again: everything under `eval/` is derived anew, and nothing else changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from steelyard.errors import IncompleteError, InputError, Problem
from steelyard.pipeline.conversations.rescoring import is_conversations, other_scorer, rescore_conversations
from steelyard.pipeline.evaluation.deriving import derive
from steelyard.pipeline.evaluation.identity import judging_configuration
from steelyard.pipeline.evaluation.streaming import prediction_facts
from steelyard.pipeline.options import EvaluateOptions
from steelyard.pipeline.preparation.gates import check_gates
from steelyard.pipeline.preparation.task import Prepared, prepare
from steelyard.pipeline.recording.artifacts import read_config
from steelyard.pipeline.recording.reporting import write_report
from steelyard.pipeline.recording.run import Evaluation, Progress, outcome
from steelyard.pipeline.recording.sealing import other_items, renew_seals
from steelyard.pipeline.recording.standing import write_standing
from steelyard.pipeline.research.rescoring import is_research, rescore_research
from steelyard.pipeline.research.rescoring import other_scorer as research_only
from steelyard.pipeline.runs.baselines import figures_before
from steelyard.reading.hashing import sha256_file
from steelyard.reading.shipped import opened_path
from steelyard.records.runs import CONFIG_FILE, JOURNAL_FILE, RUN_FORMAT, Rescored, RunRecord
from steelyard.store.checking import damage_told, kept_items
from steelyard.store.directories import RunDirectory, find_run, read_run


@dataclass(frozen=True, slots=True, kw_only=True)
class RescoreOptions:
    """The command line of `steelyard rescore` as a record."""

    run: str
    runs_dir: Path = Path("runs")
    scorer: str | None = None
    task_file: Path | None = None
    metrics: tuple[str, ...] | None = None
    slice_by: tuple[str | tuple[str, ...], ...] | None = None
    hard_examples: int | None = None


def rescore(options: RescoreOptions, *, progress: Progress | None = None) -> Evaluation:
    """Derive a completed run's `eval/` anew from its journal, under its own task or another.

    Of a baseline, what it said before is returned with it.
    """
    path = find_run(options.runs_dir, options.run)
    before = figures_before(path)
    with damage_told(path):
        return replace(_judged_again(path, options, progress), before=before)


def _judged_again(path: Path, options: RescoreOptions, progress: Progress | None) -> Evaluation:
    record = _complete(path)
    config = read_config(path)
    if is_conversations(record, config):
        if options.scorer is not None or options.task_file is not None:
            raise other_scorer()
        _check_dataset(record, opened_path(str(config["dataset"])))
        return rescore_conversations(path, record, config, progress=progress)
    if is_research(record, config):
        if options.scorer is not None or options.task_file is not None:
            raise research_only()
        _check_dataset(record, Path(str(config["golden"])))
        return rescore_research(path, record, config, progress=progress)
    asked = _evaluate_options(path, options)
    prepared = prepare(asked, judged_by=_kept(record, options))
    if options.task_file is not None:
        check_gates(prepared, asked)
    _check_dataset(record, opened_path(str(asked.dataset)))
    directory = RunDirectory.reopen(path)
    try:
        return _rescored(path, record, prepared, asked, progress)
    finally:
        directory.release()


def _rescored(
    path: Path, record: RunRecord, prepared: Prepared, asked: EvaluateOptions, progress: Progress | None
) -> Evaluation:
    results, hard = derive(path, prepared, asked, prediction_facts(path), progress)
    scorer = next(iter(prepared.judgements[0].scorers.values())).definition.key
    facts = outcome(results) | {"items": other_items(path, record), "config": judging_configuration(prepared)}
    rescored = Rescored(scorer, prepared.signatures, **facts)
    standing = write_standing(path, record, rescored)
    write_report(path, standing, results, hard)
    renew_seals(path, record)
    return Evaluation(path, standing, results, hard)


def _complete(path: Path) -> RunRecord:
    record = read_run(path, as_made=True)
    if record.status == "completed":
        if record.format_version >= RUN_FORMAT:
            kept_items(path)
        return record
    message = f"the run is {record.status}, expected a completed one"
    raise IncompleteError(Problem("run-incomplete", message, hint="evaluate it to its end first", file=str(path)))


def _evaluate_options(path: Path, options: RescoreOptions) -> EvaluateOptions:
    config: dict[str, Any] = read_config(path)
    selection: Mapping[str, Any] = config.pop("selection", {})
    dataset = config.pop("dataset", None)
    config.pop("predictions", None)
    if dataset is None:
        message = "the run's config.yaml names no dataset, so its items cannot be judged again"
        raise InputError(Problem("run-damaged", message, hint="evaluate the data again", file=str(path / CONFIG_FILE)))
    return EvaluateOptions(
        task_file=options.task_file,
        task=config,
        dataset=str(dataset),
        predictions=str(path / JOURNAL_FILE),
        scorer=options.scorer,
        metrics=options.metrics,
        slice_by=options.slice_by,
        hard_examples=options.hard_examples,
        limit=selection.get("limit"),
        sample_size=selection.get("sample_size"),
        seed=selection.get("seed", 0),
    )


def _kept(record: RunRecord, options: RescoreOptions) -> tuple[str, ...]:
    """Return the signatures whose versions hold: those of the run, until something is asked for anew."""
    asked = options.task_file is not None or options.scorer is not None or options.metrics is not None
    return () if asked else record.signed("scorers", "metrics")


def _check_dataset(record: RunRecord, dataset: Path) -> None:
    found, expected = sha256_file(dataset), record.dataset.get("sha256")
    if found != expected:
        message = f"the dataset's hash is {found}, expected {expected}: its content has changed since the run"
        hint = "bring the dataset back as it was, or evaluate the changed one as another run"
        raise InputError(Problem("dataset-changed", message, hint=hint, file=str(dataset)))
