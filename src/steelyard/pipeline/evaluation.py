"""The one place that knows the order: read, canonicalise, score, aggregate, store."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from steelyard import __version__
from steelyard.aggregate import Report
from steelyard.aggregate.classification import Confusion
from steelyard.canonical.references import ReferenceContext, expected_answer
from steelyard.errors import InputError, Problem, SteelyardError
from steelyard.pipeline.artifacts import write_hard_examples, write_results, write_run_files
from steelyard.pipeline.derived_tags import DerivedTags
from steelyard.pipeline.items import Quarantine, Source
from steelyard.pipeline.journal import StoredJournal
from steelyard.pipeline.judging import Judge, Judgement
from steelyard.pipeline.labels import LabelNames
from steelyard.pipeline.options import EvaluateOptions
from steelyard.pipeline.preparation import Prepared, prepare, resolve
from steelyard.pipeline.row_values import row_reference
from steelyard.pipeline.sampling import Selection
from steelyard.reading.hashing import sha256_file
from steelyard.reading.limits import Limits
from steelyard.reading.rows import Row, read_rows
from steelyard.records.answers import Choice
from steelyard.records.runs import CONFUSION_FILE, ITEMS_FILE, JOURNAL_FILE, REJECTED_FILE, RunRecord
from steelyard.store.directories import RunDirectory, now_text
from steelyard.store.files import json_bytes, json_line, write_bytes
from steelyard.store.items import ItemsWriter

Progress = Callable[[int], None]
"""Called with the number of items judged so far."""

MAX_LABELS = 10_000


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A finished evaluation: where the run is and what it found."""

    path: Path
    run: RunRecord
    results: dict[str, Any]
    hard_examples: list[dict[str, Any]] = field(default_factory=list)
    unknown_ids: list[tuple[str, int]] = field(default_factory=list)
    unknown_total: int = 0


def evaluate(options: EvaluateOptions, *, progress: Progress | None = None) -> Evaluation:
    """Evaluate stored predictions and leave a complete run behind; bad input leaves nothing behind."""
    prepared = prepare(options)
    source = _source(prepared, options)
    directory = RunDirectory.create(options.runs_dir, options.name)
    try:
        evaluation = _evaluate_into(directory, prepared, source, options, progress)
    except SteelyardError:
        directory.discard()
        raise
    except BaseException as error:
        directory.write_record(_record(directory, prepared, source, status="interrupted", error=repr(error)))
        directory.release()
        raise
    directory.release()
    return evaluation


def _evaluate_into(
    directory: RunDirectory,
    prepared: Prepared,
    source: Source,
    options: EvaluateOptions,
    progress: Progress | None,
) -> Evaluation:
    directory.write_record(_record(directory, prepared, source, status="running"))
    report = Report(prepared.report)
    judge = Judge(
        prepared.judgements,
        prepared.metrics,
        labels=_labels(prepared, source) if prepared.classification else None,
        file=str(source.dataset),
    )
    with _quarantine(directory, source, options):
        _stream(directory, prepared, source, judge, report, progress)
    source.problems.extend(judge.problems)
    source.problems.raise_if_any()
    source.check_unknown(strict=options.strict_ids)
    _refuse_nothing(report, source)
    return _finish(directory, prepared, source, report, options)


def _stream(
    directory: RunDirectory,
    prepared: Prepared,
    source: Source,
    judge: Judge,
    report: Report,
    progress: Progress | None,
) -> None:
    """Carry blocks through the rooms. Nothing here holds more than one."""
    separate = source.predictions is not None
    derived = DerivedTags.wanted(prepared.report.slice_by)
    with (
        StoredJournal(directory.path / JOURNAL_FILE, prepared.field_names, separate=separate) as journal,
        ItemsWriter(directory.path / ITEMS_FILE) as items,
    ):
        for block in source.blocks():
            journal.write(block)
            scored = derived.add(judge.judge(block))
            items.write(scored)
            report.update(scored)
            if progress is not None:
                progress(report.n_items)


def _source(prepared: Prepared, options: EvaluateOptions) -> Source:
    dataset = resolve(prepared, options.dataset, prepared.task.dataset, "dataset")
    assert dataset is not None
    predictions = resolve(prepared, options.predictions, prepared.task.predictions, "predictions")
    given = {
        name: value
        for name in ("max_line_bytes", "max_depth", "max_unpacked_bytes")
        if (value := getattr(options, name)) is not None
    }
    limits = Limits(**given)

    def again() -> Iterator[Row]:
        source = read_rows(dataset, problems=InputProblems(), limits=limits)
        return iter(source)

    selection = Selection(options.limit, options.sample_size, options.seed, again)
    return Source(
        dataset,
        predictions,
        prepared.field_names,
        prepared.task.tag_fields,
        selection,
        limits=limits,
        cluster_by=prepared.task.cluster_by,
    )


@contextlib.contextmanager
def _quarantine(directory: RunDirectory, source: Source, options: EvaluateOptions) -> Iterator[None]:
    """Set bad rows of predictions aside in `rejected.jsonl` where the caller asked for that."""
    if options.bad_rows != "quarantine":
        yield
        return
    with (directory.path / REJECTED_FILE).open("wb") as stream:

        def write(line: int, reason: str, raw: bytes) -> None:
            text = raw.decode("utf-8", "backslashreplace")
            stream.write(json_line({"line": line, "reason": reason, "text": text}))

        source.quarantine = Quarantine(write)
        yield
    if not source.quarantine.count:
        (directory.path / REJECTED_FILE).unlink()


def _labels(prepared: Prepared, source: Source) -> LabelNames:
    """Return the labels of a classification: the declared ones, or those that the references have."""
    aliases = {alias: choice for choice, found in prepared.task.aliases.items() for alias in found}
    if prepared.task.choices:
        return LabelNames(prepared.task.choices, aliases)
    judgement = prepared.judgements[0]
    found: dict[str, None] = {}
    for row in read_rows(source.dataset, InputProblems(), limits=source.limits):
        value = _label(row, judgement, prepared)
        if value is not None:
            found.setdefault(value)
        if len(found) > MAX_LABELS:
            message = f"there are more than {MAX_LABELS} labels"
            raise InputError(Problem("bad-reference", message, hint="is this a classification?"))
    return LabelNames(sorted(found), aliases)


def _label(row: Row, judgement: Judgement, prepared: Prepared) -> str | None:
    try:
        raw = row_reference(row.fields, prepared.field_names)
        answer = expected_answer(raw, "choice", ReferenceContext(choices=()))
    except (KeyError, ValueError):
        return None
    return answer.value if isinstance(answer, Choice) else None


def _refuse_nothing(report: Report, source: Source) -> None:
    if not report.n_items:
        raise InputError(
            Problem(
                code="no-items",
                message="no items are left to evaluate",
                hint="check --limit and --sample-size; an evaluation of nothing would say nothing",
                file=str(source.dataset),
            )
        )


def _finish(
    directory: RunDirectory, prepared: Prepared, source: Source, report: Report, options: EvaluateOptions
) -> Evaluation:
    results = write_results(directory.path, prepared, report)
    hard = write_hard_examples(directory.path, report)
    if prepared.classification:
        _write_confusion(directory.path, report.confusion.confusion(prepared.report.choices))
    write_run_files(directory.path, prepared, source, options)
    record = msgspec.structs.replace(
        _record(directory, prepared, source, status="completed"),
        completed_at=now_text(),
        counts={name: results["scorecard"][name] for name in ("n_items", "n_scored", "n_skipped", "states")},
        primary_metric=prepared.report.primary,
        primary_score=results["scorecard"]["primary_score"],
        flags=_flags(source),
        model={"name": options.model_name or prepared.task.model, "kind": "stored predictions"},
    )
    directory.write_record(record)
    return Evaluation(directory.path, record, results, hard, source.unknown_ids, source.unknown_total)


def _flags(source: Source) -> list[str]:
    flags = [] if source.selection.is_whole else ["limited"]
    flags += ["quarantined_rows"] if source.quarantine and source.quarantine.count else []
    return flags + (["unknown_ids"] if source.unknown_total else [])


def _write_confusion(path: Path, confusion: Confusion) -> None:
    content = {
        "labels": list(confusion.labels),
        "columns": list(confusion.columns),
        "matrix": confusion.matrix.tolist(),
    }
    write_bytes(path / CONFUSION_FILE, json_bytes(content))


def _record(
    directory: RunDirectory, prepared: Prepared, source: Source, *, status: Any, error: str | None = None
) -> RunRecord:
    task = prepared.task
    scorer = next(iter(prepared.judgements[0].scorers.values()))
    return RunRecord(
        run_id=directory.run_id,
        name=directory.path.name,
        status=status,
        created_at=directory.created_at,
        task=task.task,
        steelyard_version=__version__,
        error=error,
        task_version=None if task.version is None else str(task.version),
        answer_type=task.answer_type,
        dataset={"path": str(source.dataset), "sha256": sha256_file(source.dataset)},
        prompt_version=task.prompt_version,
        scorer_version=scorer.definition.key,
        signatures=prepared.signatures,
    )
