"""The order of an evaluation of conversations: read, solve or take stored traces, judge, count, store, draw."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from steelyard.conversations.plan_and_compute import GENERATION, NAME
from steelyard.conversations.plan_text import PROMPT_VERSION, prompt_hash
from steelyard.errors import Problem, UsageError
from steelyard.models import Model, ModelOptions, open_model
from steelyard.pipeline.conversations.blocks import METRICS, SCORER, report_plan
from steelyard.pipeline.conversations.deriving import derive, nothing_left
from steelyard.pipeline.conversations.files import ConversationJournal
from steelyard.pipeline.conversations.options import ConversationOptions, ready
from steelyard.pipeline.conversations.reading import ConversationSource
from steelyard.pipeline.conversations.solving import solve_into
from steelyard.pipeline.datasets import plain_manifest
from steelyard.pipeline.generation.asking import Asking
from steelyard.pipeline.generation.predictions import finished_run, generating, model_facts
from steelyard.pipeline.options import EvaluateOptions
from steelyard.pipeline.recording.run import (
    Evaluation,
    Progress,
    Recorder,
    RunIdentity,
    abandoned_on_error,
    read_evaluation,
    recording,
)
from steelyard.reading.hashing import sha256_file
from steelyard.reading.shipped import lasting_path, named_path
from steelyard.records.runs import JOURNAL_FILE
from steelyard.registry import bind_metric, bind_scorer
from steelyard.store.directories import RunDirectory

TASK = "conversations"
CANONICAL = "conversation@v1|references=displayed;executed"
"""How an answer is read: as a whole, against the displayed and the executed reference."""


def evaluate_conversations(
    options: ConversationOptions, *, progress: Progress | None = None, asking: Asking | None = None
) -> Evaluation:
    """Evaluate conversations and leave a complete run behind; bad input leaves nothing behind."""
    options = ready(options)
    if options.traces is not None:
        return _evaluate_traces(options, progress)
    return _evaluate_model(options, progress, asking)


def _evaluate_traces(options: ConversationOptions, progress: Progress | None) -> Evaluation:
    assert options.traces is not None
    source = ConversationSource.open(options.data, options.sample_size, options.seed)
    name = options.model_name or "/".join(options.traces.resolve().parts[-2:])
    plan = _Plan(options, {"name": name, "kind": "stored traces"})
    with recording(options.runs_dir, options.name, plan.identity, report_plan()) as recorder:
        with ConversationJournal(recorder.path) as journal:
            pairs = journal.kept(source.with_traces(options.traces))
            found = derive(recorder, source, pairs, plots=options.plots, progress=progress)
        finished = _complete(recorder, source, plan, found)
    return replace(finished, unknown_ids=source.unknown_ids, unknown_total=source.unknown_total)


def _evaluate_model(options: ConversationOptions, progress: Progress | None, asking: Asking | None) -> Evaluation:
    """Ask a model for every turn, journal what it did, and judge the journal like any stored traces."""
    asked = EvaluateOptions(name=options.name, runs_dir=options.runs_dir, resume=options.resume)
    done = finished_run(asked)
    if done is not None:
        return read_evaluation(done)
    source = ConversationSource.open(options.data, options.sample_size, options.seed)
    conversations, turns = source.count()
    if not conversations:
        raise nothing_left(options.data)
    assert options.model is not None
    with closing(open_model(options.model, _model_options(options))) as model:
        plan = _Plan(options, model_facts(_answering(model).identity), plans=model.identity.kind != "python")
        manifest = _manifest(options, turns, conversations)
        with generating(asked, plan.identity, plan.config, manifest) as directory:
            solved = (lambda done: asking(done, turns)) if asking is not None else None
            solve_into(directory.path / JOURNAL_FILE, source, model, options, solved)
            return _judge_journal(directory, source, plan, progress)


def _model_options(options: ConversationOptions) -> ModelOptions:
    given = {name: getattr(options, name) for name in ("concurrency", "deadline", "threads")}
    return ModelOptions(**{name: value for name, value in given.items() if value is not None})


def _answering(model: Model) -> Model:
    if model.identity.is_mock:
        hint = "give a model that answers; `steelyard eval` has dry runs"
        raise UsageError(
            Problem("bad-model", "the mock model answers nothing, so there are no turns to judge", hint=hint)
        )
    return model


def _judge_journal(
    directory: RunDirectory, source: ConversationSource, plan: _Plan, progress: Progress | None
) -> Evaluation:
    recorder = Recorder(directory, plan.identity, report_plan())
    with abandoned_on_error(recorder):
        pairs = source.with_traces(directory.path / JOURNAL_FILE)
        found = derive(recorder, source, pairs, plots=plan.options.plots, progress=progress)
    return _complete(recorder, source, plan, found)


@dataclass(frozen=True, slots=True)
class _Plan:
    """Everything about a run that is settled before its first turn."""

    options: ConversationOptions
    model: Mapping[str, Any]
    plans: bool = False
    """Whether the built-in solver writes plans."""

    @property
    def identity(self) -> RunIdentity:
        """What the run says about itself."""
        options = self.options
        metrics = [bind_metric(name).signature for name in METRICS]
        return RunIdentity(
            task=TASK,
            answer_type="number",
            scorer_version=SCORER,
            signatures={"scorers": [bind_scorer(SCORER).signature], "metrics": metrics, "canonical": [CANONICAL]},
            model=self.model,
            dataset={"path": named_path(options.data), "sha256": sha256_file(options.data)},
            prompt_version=PROMPT_VERSION if self.plans else None,
        )

    @property
    def config(self) -> dict[str, Any]:
        """The effective configuration: everything that decides what was asked and judged."""
        options = self.options
        config: dict[str, Any] = {"task": TASK, "dataset": lasting_path(options.data), "plots": options.plots}
        if options.traces is not None:
            config["traces"] = str(options.traces.resolve())
        else:
            config |= {"model": options.model, "history": options.history}
        if self.plans:
            config |= {"solver": NAME, "prompt_sha256": prompt_hash(), "generation": msgspec.to_builtins(GENERATION)}
            config |= {"max_retries": options.max_retries, "validation": options.validation}
        if options.sample_size is not None:
            config["selection"] = {"sample_size": options.sample_size, "seed": options.seed, "stratified": True}
        return config


def _complete(recorder: Recorder, source: ConversationSource, plan: _Plan, found: dict[str, Any]) -> Evaluation:
    return recorder.complete(
        config=plan.config,
        manifest=_manifest(plan.options, found["num_turns"], found["num_conversations"]),
        extra=extra_results(source, found),
        flags=_flags(source),
    )


def extra_results(source: ConversationSource, found: dict[str, Any]) -> dict[str, Any]:
    """Return what `eval_results.json` has beside the report over items."""
    return {"conversations": found, "predictions": {"unknown_ids": source.unknown_total, "quarantined": 0}}


def _manifest(options: ConversationOptions, turns: int, conversations: int) -> dict[str, Any]:
    return plain_manifest(options.data, conversations) | {"num_turns": turns}


def _flags(source: ConversationSource) -> list[str]:
    flags = [] if source.sample is None or not source.sample.passed_over else ["limited"]
    return flags + (["unknown_ids"] if source.unknown_total else [])
