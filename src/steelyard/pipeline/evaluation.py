"""The order of an evaluation: read, canonicalise, score, aggregate, store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from steelyard.canonical.references import BadReference, ReferenceContext, expected_answer
from steelyard.configuration.task import FieldMetric
from steelyard.errors import InputError, Problem, Problems
from steelyard.pipeline.items import Quarantine, Source
from steelyard.pipeline.journal import StoredJournal
from steelyard.pipeline.judging import Judge
from steelyard.pipeline.labels import LabelNames
from steelyard.pipeline.options import EvaluateOptions
from steelyard.pipeline.preparation import Prepared, prepare, resolve
from steelyard.pipeline.recording import Derivation, Evaluation, Progress, Recorder, RunIdentity, recording
from steelyard.pipeline.sampling import Selection
from steelyard.reading.hashing import sha256_file
from steelyard.reading.limits import Limits
from steelyard.reading.rows import Row, read_rows
from steelyard.records.answers import Choice
from steelyard.records.plans import DERIVED_TAGS
from steelyard.records.runs import JOURNAL_FILE, REJECTED_FILE
from steelyard.store.files import json_line

MAX_LABELS = 10_000


def evaluate(options: EvaluateOptions, *, progress: Progress | None = None) -> Evaluation:
    """Evaluate stored predictions and leave a complete run behind; bad input leaves nothing behind."""
    prepared = prepare(options)
    source = make_source(prepared, options)
    identity = identify(prepared, source, options)
    with recording(options.runs_dir, options.name, identity, prepared.report) as recorder:
        with _quarantine(recorder.path, source, options), _journal(recorder.path, prepared, source) as journal:
            stream(recorder, make_judge(prepared, source), source, journal, progress)
        source.check_unknown(strict=options.strict_ids)
        finished = recorder.complete(
            config=effective_configuration(prepared, source, options),
            manifest=manifest_of(source, recorder.report.n_items),
            extra={"predictions": {"unknown_ids": source.unknown_total, "quarantined": source.rejected}},
            flags=_flags(source),
        )
    return replace(finished, unknown_ids=source.unknown_ids, unknown_total=source.unknown_total)


def stream(
    recorder: Recorder | Derivation,
    judge: Judge,
    source: Source,
    journal: StoredJournal | None,
    progress: Progress | None,
) -> None:
    """Carry blocks through the rooms. Nothing here holds more than one."""
    for block in source.blocks():
        if journal is not None:
            journal.write(block)
        recorder.add(judge.judge(block))
        if progress is not None:
            progress(recorder.report.n_items)
    source.problems.extend(judge.problems)
    source.problems.raise_if_any()
    if not recorder.report.n_items:
        hint = "check --limit and --sample-size; an evaluation of nothing would say nothing"
        raise InputError(Problem("no-items", "no items are left to evaluate", hint=hint, file=str(source.dataset)))


def make_source(prepared: Prepared, options: EvaluateOptions) -> Source:
    """Return where the items and predictions of an evaluation come from."""
    task = prepared.task
    dataset = resolve(prepared, options.dataset, task.dataset, "dataset")
    assert dataset is not None
    given = {name: getattr(options, name) for name in ("max_line_bytes", "max_depth", "max_unpacked_bytes")}
    limits = Limits(**{name: value for name, value in given.items() if value is not None})
    selection = Selection(
        options.limit, options.sample_size, options.seed, lambda: read_rows(dataset, Problems(), limits=limits)
    )
    return Source(
        dataset,
        resolve(prepared, options.predictions, task.predictions, "predictions"),
        prepared.field_names,
        task.tag_fields,
        selection,
        limits=limits,
        cluster_by=task.cluster_by,
        answer_type=task.answer_type,
        derived=frozenset(key for keys in prepared.report.slice_by for key in keys if key in DERIVED_TAGS),
    )


def make_judge(prepared: Prepared, source: Source) -> Judge:
    """Return what judges the blocks of a source."""
    labels = label_names(prepared, source) if prepared.classification else None
    return Judge(prepared.judgements, prepared.metrics, labels=labels, file=str(source.dataset))


def _journal(path: Path, prepared: Prepared, source: Source) -> StoredJournal:
    named = [entry.pred_field for entry in prepared.task.metrics or () if isinstance(entry, FieldMetric)]
    separate = source.predictions is not None
    return StoredJournal(path / JOURNAL_FILE, prepared.field_names, named, separate=separate)


@contextmanager
def _quarantine(path: Path, source: Source, options: EvaluateOptions) -> Iterator[None]:
    """Set bad rows of predictions aside in `rejected.jsonl` where the caller asked for that."""
    if options.bad_rows != "quarantine":
        yield
        return
    with (path / REJECTED_FILE).open("wb") as stream:

        def write(line: int, reason: str, raw: bytes) -> None:
            text = raw.decode("utf-8", "backslashreplace")
            stream.write(json_line({"line": line, "reason": reason, "text": text}))

        source.quarantine = Quarantine(write)
        yield
    if not source.rejected:
        (path / REJECTED_FILE).unlink()


def label_names(prepared: Prepared, source: Source) -> LabelNames:
    """Return the labels of a classification: the declared ones, or those that the references have."""
    aliases = {alias: choice for choice, found in prepared.task.aliases.items() for alias in found}
    if prepared.task.choices:
        return LabelNames(prepared.task.choices, aliases)
    found: dict[str, None] = {}
    for row in read_rows(source.dataset, Problems(), limits=source.limits):
        value = _label(row, prepared)
        if value is not None:
            found.setdefault(value)
        if len(found) > MAX_LABELS:
            message = f"there are more than {MAX_LABELS} labels, expected those of a classification"
            raise InputError(Problem("bad-reference", message, hint="answer_type: text judges free text"))
    return LabelNames(sorted(found), aliases)


def _label(row: Row, prepared: Prepared) -> str | None:
    try:
        answer = expected_answer(prepared.judgements[0].reference(row.fields), "choice", ReferenceContext(choices=()))
    except (KeyError, BadReference):
        return None
    return answer.value if isinstance(answer, Choice) else None


def identify(prepared: Prepared, source: Source, options: EvaluateOptions) -> RunIdentity:
    """Return what the run says about itself."""
    task = prepared.task
    scorer = next(iter(prepared.judgements[0].scorers.values()))
    return RunIdentity(
        task=task.task,
        task_version=None if task.version is None else str(task.version),
        answer_type=task.answer_type,
        scorer_version=scorer.definition.key,
        signatures=prepared.signatures,
        model={"name": options.model_name or task.model, "kind": "stored predictions"},
        dataset={"path": str(source.dataset), "sha256": sha256_file(source.dataset)},
        prompt_version=task.prompt_version,
    )


def effective_configuration(prepared: Prepared, source: Source, options: EvaluateOptions) -> dict[str, Any]:
    """Return the task as it was evaluated, after the command line's overrides, with paths that can be opened again."""
    config: dict[str, Any] = prepared.task.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    config["task"] = prepared.task.task
    config["answer_type"] = prepared.task.answer_type
    config["dataset"] = str(source.dataset.resolve())
    if source.predictions is not None:
        config["predictions"] = str(source.predictions.resolve())
    if prepared.profile_file is not None:
        config["scoring_profile"] = str(prepared.profile_file.resolve())
    selection = {"limit": options.limit, "sample_size": options.sample_size}
    chosen: Mapping[str, Any] = {name: value for name, value in selection.items() if value is not None}
    return config | ({"selection": {**chosen, "seed": options.seed}} if chosen else {})


def manifest_of(source: Source, n_items: int) -> dict[str, Any]:
    """Return the manifest of a dataset that is a plain file."""
    content = sha256_file(source.dataset)
    return {
        "dataset_id": source.dataset.name.split(".", maxsplit=1)[0],
        "version": content,
        "format": source.dataset.suffix.lstrip("."),
        "num_rows": n_items,
        "content_hash": content,
        "files": [{"path": source.dataset.name, "split": "test", "num_rows": n_items, "sha256": content}],
    }


def _flags(source: Source) -> list[str]:
    flags = [] if source.selection.is_whole else ["limited"]
    flags += ["quarantined_rows"] if source.rejected else []
    return flags + (["unknown_ids"] if source.unknown_total else [])
