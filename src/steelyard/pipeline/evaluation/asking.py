"""The order of an evaluation that asks a model: rehearse, ask, journal, judge the journal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from steelyard.models import Model
from steelyard.pipeline.evaluation.answered import refuse_unknown_tags, refuse_unseen
from steelyard.pipeline.evaluation.identity import generated_configuration, identify, manifest_of, run_flags
from steelyard.pipeline.evaluation.sources import make_judge, make_source, report_over
from steelyard.pipeline.evaluation.streaming import prediction_facts, stream
from steelyard.pipeline.generation.asking import Asking, generate, over_budget
from steelyard.pipeline.generation.predictions import model_facts
from steelyard.pipeline.generation.requests import Requests, prompt_template, task_generation
from steelyard.pipeline.items.reading import Source
from steelyard.pipeline.judging.items import DryJudge
from steelyard.pipeline.options import EvaluateOptions
from steelyard.pipeline.preparation.gold import add_gold
from steelyard.pipeline.preparation.task import Prepared
from steelyard.pipeline.recording.run import (
    Evaluation,
    OverBudgetError,
    Progress,
    Recorder,
    RunIdentity,
    abandoned_on_error,
)
from steelyard.records.runs import JOURNAL_FILE
from steelyard.store.directories import RunDirectory


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
    source, total = make_source(prepared, options, journal=True), requests.check()
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
    recorder = Recorder(directory, plan.identity, report_over(plan.prepared, source))
    _judge_journal(recorder, plan.prepared, source, progress)
    error = over_budget(asked, options.error_budget)
    evaluation = recorder.complete(
        config=plan.config,
        manifest=plan.manifest,
        extra=prediction_facts(directory.path),
        flags=run_flags(source),
        status="completed" if error is None else "over_budget",
    )
    if error is not None:
        raise OverBudgetError(error.problems, evaluation)
    return evaluation


def _judge_journal(recorder: Recorder, prepared: Prepared, source: Source, progress: Progress | None) -> None:
    judge = make_judge(prepared, source)
    with abandoned_on_error(recorder):
        stream(recorder, DryJudge(judge) if "mock" in recorder.identity.flags else judge, source, None, progress)
        add_gold(recorder.report, prepared, source, None)


def rehearse(prepared: Prepared, source: Source) -> None:
    """Judge every item without an answer: what is wrong with the items is told before a model is paid for them."""
    judge, tags = make_judge(prepared, source), set[str]()
    for block in source.blocks():
        tags.update(judge.judge(replace(block, predictions=[None] * len(block))).tags)
    refuse_unseen(source, answers=False)
    source.problems.merge(judge.problems)
    source.problems.raise_if_any()
    refuse_unknown_tags(prepared.report, tags, source)
