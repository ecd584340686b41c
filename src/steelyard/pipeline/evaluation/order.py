"""The order of an evaluation: read, canonicalise, score, aggregate, store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

from steelyard.canonical.reasoning_parts import BESIDE
from steelyard.configuration.task import FieldMetric
from steelyard.errors import Problem, UsageError
from steelyard.pipeline.evaluation.asking import ask_and_judge, plan_asking, rehearse
from steelyard.pipeline.evaluation.identity import effective_configuration, identify, manifest_of, run_flags
from steelyard.pipeline.evaluation.sources import make_judge, make_source, report_over
from steelyard.pipeline.evaluation.streaming import prediction_facts, stream
from steelyard.pipeline.generation.asking import Asking
from steelyard.pipeline.generation.predictions import finished_run, generating, open_task_model
from steelyard.pipeline.items.reading import Quarantine, Source
from steelyard.pipeline.options import EvaluateOptions
from steelyard.pipeline.preparation.gates import check_gates
from steelyard.pipeline.preparation.gold import add_gold
from steelyard.pipeline.preparation.task import Prepared, prepare
from steelyard.pipeline.recording.journal import StoredJournal
from steelyard.pipeline.recording.run import (
    Evaluation,
    Progress,
    read_evaluation,
    recording,
)
from steelyard.records.runs import JOURNAL_FILE, REJECTED_FILE
from steelyard.store.files import json_line

REPLAY = "replay:"


def evaluate(options: EvaluateOptions, *, progress: Progress | None = None, asking: Asking | None = None) -> Evaluation:
    """Evaluate stored predictions, or a model's, and leave a complete run behind; bad input leaves nothing behind."""
    prepared = prepare(options)
    check_gates(prepared, options)
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
    with recording(
        options.runs_dir, options.name, identity, report_over(prepared, source), kind=options.kind
    ) as recorder:
        with _quarantine(recorder.path, source, options), _journal(recorder.path, prepared, source) as journal:
            stream(recorder, make_judge(prepared, source), source, journal, progress)
            add_gold(recorder.report, prepared, source, journal)
        source.check_unknown(strict=options.strict_ids)
        finished = recorder.complete(
            config=effective_configuration(prepared, source, options),
            manifest=manifest_of(source, recorder.report.n_items, identity.dataset["sha256"]),
            extra=prediction_facts(recorder.path, unknown_ids=source.unknown_total, quarantined=source.rejected),
            flags=run_flags(source),
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


def _journal(path: Path, prepared: Prepared, source: Source) -> StoredJournal:
    entries = [entry for entry in prepared.task.metrics or () if isinstance(entry, FieldMetric)]
    named = [entry.pred_field for entry in entries]
    if any(entry.type == "reasoning_consistency" for entry in entries):
        named += [spelling for name in BESIDE for spelling in (name, f"pred_{name}")]
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
