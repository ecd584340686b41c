"""The order of an evaluation that asks a model: rehearse, ask, journal, judge the journal."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from steelyard.asking.generation import generate, over_budget
from steelyard.asking.requests import Requests, model_facts, open_task_model, prompt_template, task_generation
from steelyard.items.source import Source
from steelyard.kinds.task.evaluation import TaskEvaluation
from steelyard.kinds.task.identity import judging_configuration, manifest_of
from steelyard.kinds.task.recipe import TaskRecipe
from steelyard.kinds.task.refusals import refuse_unknown_tags, refuse_unseen
from steelyard.kinds.task.stating import data_of
from steelyard.kinds.task.streaming import make_judge, make_source
from steelyard.models import Model
from steelyard.records.runs import JOURNAL_FILE, Reading
from steelyard.runs.making import judge_answers
from steelyard.runs.places import Watching
from steelyard.runs.recording import FinishedRun, OverBudgetError, RunIdentity, read_finished
from steelyard.runs.resuming import finished_run, generating
from steelyard.store.directories import RunDirectory
from steelyard.tasks.loading import EvaluateOptions
from steelyard.tasks.preparation import Prepared


@dataclass(frozen=True, slots=True)
class AskingPlan:
    """Everything that is settled before a model is asked."""

    evaluation: TaskEvaluation
    options: EvaluateOptions
    requests: Requests
    total: int
    """How many items there are to ask for."""

    @property
    def identity(self) -> RunIdentity:
        """What the run says about itself."""
        return self.evaluation.identity

    @property
    def manifest(self) -> dict[str, Any]:
        """The manifest of the dataset, before any item of it is judged."""
        return manifest_of(self.evaluation.source, self.total)


def evaluate_model(spec: str, prepared: Prepared, options: EvaluateOptions, watching: Watching) -> FinishedRun:
    """Ask a model for every item, journal its answers, and judge the journal like any file of predictions."""
    done = finished_run(options.place)
    if done is not None:
        return read_finished(done)
    rehearse(prepared, make_source(prepared, options))
    with closing(open_task_model(spec, options, losses=prepared.report.losses)) as model:
        plan = plan_asking(spec, prepared, options, model)
        with generating(options.place, plan.identity, plan.evaluation.config(), plan.manifest) as directory:
            return ask_and_judge(directory, plan, model, watching)


def plan_asking(
    spec: str, prepared: Prepared, options: EvaluateOptions, model: Model, recipe: TaskRecipe | None = None
) -> AskingPlan:
    """Return what a model will be asked, every prompt checked; `recipe` where the run is not one of a task alone."""
    requests = Requests(
        prompt_template(prepared),
        task_generation(prepared.task),
        lambda: make_source(prepared, options),
        prediction_field=prepared.field_names.prediction or "prediction",
        with_references=prepared.report.losses,
        gold=prepared.gold,
    )
    evaluation = TaskEvaluation(
        prepared,
        recipe or asked_recipe(spec, prepared, options),
        make_source(prepared, options, journal=True),
        model_facts(model.identity),
        flags=("mock",) if model.identity.is_mock else (),
        reading=Reading(),
    )
    return AskingPlan(evaluation, options, requests, requests.check())


def asked_recipe(spec: str, prepared: Prepared, options: EvaluateOptions) -> TaskRecipe:
    """Return the recipe of a model's run, from which the same questions can be asked again."""
    prompt, generation = prompt_template(prepared).text, msgspec.to_builtins(task_generation(prepared.task))
    return TaskRecipe(
        task=judging_configuration(prepared) | {"prompt": prompt, "generation": generation},
        model=spec,
        error_budget=options.error_budget or None,
        **data_of(prepared, options),
    )


def ask_and_judge(directory: RunDirectory, plan: AskingPlan, model: Model, watching: Watching) -> FinishedRun:
    """Ask for what the journal does not have yet, judge it, and complete the run."""
    source = plan.evaluation.source
    source.predictions = directory.path / JOURNAL_FILE
    asked = generate(
        source.predictions, model, plan.requests, total=plan.total, cache=plan.options.cache, asking=watching.asked
    )
    error = over_budget(asked, plan.options.error_budget)
    finished = judge_answers(directory, plan.evaluation, watching, "completed" if error is None else "over_budget")
    if error is not None:
        raise OverBudgetError(error.problems, finished)
    return finished


def rehearse(prepared: Prepared, source: Source) -> None:
    """Judge every item without an answer: what is wrong with the items is told before a model is paid for them."""
    judge, tags = make_judge(prepared, source), set[str]()
    for block in source.blocks():
        tags.update(judge.judge(replace(block, predictions=[None] * len(block))).tags)
    refuse_unseen(source, answers=False)
    source.problems.merge(judge.problems)
    source.problems.raise_if_any()
    refuse_unknown_tags(prepared.report, tags, source)
