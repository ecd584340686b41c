"""The order of an evaluation: read, canonicalise, score, aggregate, store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from steelyard.canonical.references import BadReference, ReferenceContext, expected_answer
from steelyard.configuration.task import FieldMetric
from steelyard.errors import InputError, Problem, Problems, UsageError
from steelyard.models import Model
from steelyard.pipeline.blocks import block_path, judged_by_processes, raw_references
from steelyard.pipeline.datasets import stored_manifest
from steelyard.pipeline.generation import (
    Asking,
    DryJudge,
    finished_run,
    generate,
    generating,
    model_facts,
    open_task_model,
    over_budget,
)
from steelyard.pipeline.gold import add_gold
from steelyard.pipeline.items import Quarantine, Source
from steelyard.pipeline.journal import StoredJournal
from steelyard.pipeline.judging import Judge
from steelyard.pipeline.labels import LabelNames
from steelyard.pipeline.options import EvaluateOptions
from steelyard.pipeline.preparation import Prepared, prepare, resolve
from steelyard.pipeline.recording import (
    Derivation,
    Evaluation,
    Progress,
    Recorder,
    RunIdentity,
    read_evaluation,
    recording,
)
from steelyard.pipeline.requests import Requests, prompt_template, task_generation
from steelyard.pipeline.sampling import Selection
from steelyard.reading.hashing import sha256_file
from steelyard.reading.limits import Limits
from steelyard.reading.rows import read_rows
from steelyard.records.answers import Choice
from steelyard.records.blocks import ItemBlock, ScoredBlock
from steelyard.records.plans import DERIVED_TAGS
from steelyard.records.runs import JOURNAL_FILE, REJECTED_FILE
from steelyard.store.directories import RunDirectory
from steelyard.store.files import json_line
from steelyard.store.journal import odd_answers

MAX_LABELS = 10_000
REPLAY = "replay:"


def evaluate(options: EvaluateOptions, *, progress: Progress | None = None, asking: Asking | None = None) -> Evaluation:
    """Evaluate stored predictions, or a model's, and leave a complete run behind; bad input leaves nothing behind."""
    prepared = prepare(options)
    spec = _model_spec(prepared, options)
    if spec is None:
        return _evaluate_stored(prepared, options, progress)
    if spec.startswith(REPLAY):
        named = replace(options, predictions=spec.removeprefix(REPLAY), model_name=options.model_name or spec)
        return _evaluate_stored(prepared, named, progress)
    return _evaluate_model(spec, prepared, options, progress, asking)


def _model_spec(prepared: Prepared, options: EvaluateOptions) -> str | None:
    """Return the model to ask, or None for stored predictions: the command line decides before the task does."""
    if options.model is not None and options.predictions is not None:
        hint = "give one: a model is asked, predictions are read"
        raise UsageError(Problem("usage", "--model and --predictions are both given", hint=hint))
    if options.model is not None:
        return options.model
    stored = options.predictions is not None or prepared.task.predictions is not None
    return None if stored else prepared.task.model


def _evaluate_stored(prepared: Prepared, options: EvaluateOptions, progress: Progress | None) -> Evaluation:
    source = make_source(prepared, options)
    identity = identify(prepared, source, options)
    with recording(options.runs_dir, options.name, identity, prepared.report) as recorder:
        with _quarantine(recorder.path, source, options), _journal(recorder.path, prepared, source) as journal:
            stream(recorder, make_judge(prepared, source), source, journal, progress)
            add_gold(recorder.report, prepared, source, journal)
        source.check_unknown(strict=options.strict_ids)
        finished = recorder.complete(
            config=effective_configuration(prepared, source, options),
            manifest=manifest_of(source, recorder.report.n_items, identity.dataset["sha256"]),
            extra=prediction_facts(recorder.path, unknown_ids=source.unknown_total, quarantined=source.rejected),
            flags=_flags(source),
        )
    return replace(finished, unknown_ids=source.unknown_ids, unknown_total=source.unknown_total)


def _evaluate_model(
    spec: str, prepared: Prepared, options: EvaluateOptions, progress: Progress | None, asking: Asking | None
) -> Evaluation:
    """Ask a model for every item, journal its answers, and judge the journal like any file of predictions."""
    done = finished_run(options)
    if done is not None:
        return read_evaluation(done)
    rehearse(prepared, make_source(prepared, options))
    with closing(open_task_model(spec, options, losses=prepared.report.losses)) as model:
        plan = plan_asking(spec, prepared, options, model)
        with generating(options, plan.identity, plan.config, plan.manifest) as directory:
            return ask_and_judge(directory, plan, model, progress, asking)


@dataclass(frozen=True, slots=True)
class AskingPlan:
    """Everything that is settled before a model is asked."""

    prepared: Prepared
    options: EvaluateOptions
    requests: Requests
    source: Source
    identity: RunIdentity
    config: Mapping[str, Any]
    manifest: Mapping[str, Any]
    total: int
    """How many items there are to ask for."""


def plan_asking(spec: str, prepared: Prepared, options: EvaluateOptions, model: Model) -> AskingPlan:
    """Return what a model will be asked, every prompt checked."""
    requests = Requests(
        prompt_template(prepared),
        task_generation(prepared.task),
        lambda: make_source(prepared, options),
        prediction_field=prepared.field_names.prediction or "prediction",
        with_references=prepared.report.losses,
        gold=prepared.gold,
    )
    source, total = make_source(prepared, options), requests.check()
    flags = ("mock",) if model.identity.is_mock else ()
    return AskingPlan(
        prepared,
        options,
        requests,
        source,
        replace(identify(prepared, source, options), model=model_facts(model.identity), flags=flags),
        generated_configuration(spec, prepared, source, options),
        manifest_of(source, total),
        total,
    )


def ask_and_judge(
    directory: RunDirectory, plan: AskingPlan, model: Model, progress: Progress | None, asking: Asking | None
) -> Evaluation:
    """Ask for what the journal does not have yet, judge it, and complete the run."""
    source, options = plan.source, plan.options
    source.predictions = directory.path / JOURNAL_FILE
    asked = generate(source.predictions, model, plan.requests, total=plan.total, cache=options.cache, asking=asking)
    recorder = Recorder(directory, plan.identity, plan.prepared.report)
    _judge_journal(recorder, plan.prepared, source, progress)
    if (error := over_budget(asked, options.error_budget)) is not None:
        recorder.leave(prediction_facts(directory.path))
        raise error
    extra = prediction_facts(directory.path)
    return recorder.complete(config=plan.config, manifest=plan.manifest, extra=extra, flags=_flags(source))


def prediction_facts(path: Path, *, unknown_ids: int = 0, quarantined: int = 0) -> dict[str, Any]:
    """Return what a run's results say of its predictions: which did not count, and how many were cut short."""
    counts = {"unknown_ids": unknown_ids, "quarantined": quarantined}
    return {"predictions": counts | odd_answers(path / JOURNAL_FILE)}


def _judge_journal(recorder: Recorder, prepared: Prepared, source: Source, progress: Progress | None) -> None:
    judge = make_judge(prepared, source)
    try:
        stream(recorder, DryJudge(judge) if "mock" in recorder.identity.flags else judge, source, None, progress)
        add_gold(recorder.report, prepared, source, None)
    except BaseException as error:
        recorder.abandon(error)
        raise


def rehearse(prepared: Prepared, source: Source) -> None:
    """Judge every item without an answer: what is wrong with the items is told before a model is paid for them."""
    judge = make_judge(prepared, source)
    for block in source.blocks():
        judge.judge(replace(block, predictions=[None] * len(block)))
    source.problems.merge(judge.problems)
    source.problems.raise_if_any()


def generated_configuration(spec: str, prepared: Prepared, source: Source, options: EvaluateOptions) -> dict[str, Any]:
    """Return the configuration of a model's run, from which the same questions can be asked again."""
    config = effective_configuration(prepared, source, options) | {"model": spec}
    config.pop("prompt_file", None)
    generation = msgspec.to_builtins(task_generation(prepared.task))
    return config | {"prompt": prompt_template(prepared).text, "generation": generation}


def stream(
    recorder: Recorder | Derivation,
    judge: Judge | DryJudge,
    source: Source,
    journal: StoredJournal | None,
    progress: Progress | None,
) -> None:
    """Carry blocks through the rooms. Nothing here holds more than one."""
    for scored in judged_blocks(judge, source, journal):
        if len(scored):
            recorder.add(scored)
        if progress is not None:
            progress(recorder.report.n_items)
    source.problems.merge(judge.problems)
    source.problems.raise_if_any()
    if not recorder.report.n_items:
        hint = "check --limit and --sample-size; an evaluation of nothing would say nothing"
        raise InputError(Problem("no-items", "no items are left to evaluate", hint=hint, file=str(source.dataset)))


def judged_blocks(judge: Judge | DryJudge, source: Source, journal: StoredJournal | None) -> Iterator[ScoredBlock]:
    """Yield the judged blocks of a source: by columns where the task and the file allow it, else row by row."""
    by_columns = block_path(judge, source, journal) if isinstance(judge, Judge) else None
    if by_columns is not None:
        yield from by_columns
        return
    blocks = _journaled(source.blocks(), journal)
    if isinstance(judge, Judge):
        yield from judged_by_processes(judge, blocks, source.workers)
    else:
        yield from map(judge.judge, blocks)


def _journaled(blocks: Iterator[ItemBlock], journal: StoredJournal | None) -> Iterator[ItemBlock]:
    for block in blocks:
        if journal is not None:
            journal.write(block)
        yield block


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
        elsewhere=prepared.gold.ids if prepared.gold else frozenset(),
        workers=options.workers,
    )


def make_judge(prepared: Prepared, source: Source) -> Judge:
    """Return what judges the blocks of a source."""
    labels = label_names(prepared, source) if prepared.classification else None
    return Judge(
        prepared.judgements,
        prepared.metrics,
        labels=labels,
        corpus=prepared.corpus,
        rules=prepared.rules,
        file=str(source.dataset),
    )


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

        source.quarantine = Quarantine(write, source.names.id)
        yield
    if not source.rejected:
        (path / REJECTED_FILE).unlink()


def label_names(prepared: Prepared, source: Source) -> LabelNames:
    """Return the labels of a classification: the declared ones, or those that the references have."""
    aliases = {alias: choice for choice, found in prepared.task.aliases.items() for alias in found}
    if prepared.task.choices:
        return LabelNames(prepared.task.choices, aliases, prepared.field_names.confidence)
    found: dict[str, None] = {}
    for raw in raw_references(prepared.judgements[0], source):
        value = _label(raw)
        if value is not None:
            found.setdefault(value)
        if len(found) > MAX_LABELS:
            message = f"there are more than {MAX_LABELS} labels, expected those of a classification"
            raise InputError(Problem("bad-reference", message, hint="answer_type: text judges free text"))
    return LabelNames(sorted(found), aliases, prepared.field_names.confidence)


def _label(raw: Any) -> str | None:
    try:
        answer = expected_answer(raw, "choice", ReferenceContext(choices=()))
    except BadReference:
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
    if prepared.gold is not None:
        config["eval"] |= {"gold_set": str(prepared.gold.path.resolve())}
    if prepared.profile_file is not None:
        config["scoring_profile"] = str(prepared.profile_file.resolve())
    selection = {"limit": options.limit, "sample_size": options.sample_size}
    chosen: Mapping[str, Any] = {name: value for name, value in selection.items() if value is not None}
    return config | ({"selection": {**chosen, "seed": options.seed}} if chosen else {})


def manifest_of(source: Source, n_items: int, content: str | None = None) -> dict[str, Any]:
    """Return the manifest of a dataset: its version's own, or one made of a plain file, whose hash may be known."""
    stored = stored_manifest(source.dataset)
    if stored is not None:
        return stored.as_dict()
    content = content or sha256_file(source.dataset)
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
    flags += ["quarantined_rows"] if source.unaccounted else []
    return flags + (["unknown_ids"] if source.unknown_total else [])
