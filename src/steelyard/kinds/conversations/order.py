"""The order of an evaluation of conversations: read, solve or take stored traces, judge, count, store, draw."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import msgspec

from steelyard.asking.opening import model_facts
from steelyard.conversations.plan_and_compute import GENERATION, NAME
from steelyard.conversations.plan_text import prompt_hash
from steelyard.datasets.shipped import lasting_path
from steelyard.errors import Problem, UsageError
from steelyard.kinds.conversations.deriving import nothing_left
from steelyard.kinds.conversations.evaluation import ConversationsEvaluation, conversations_manifest, open_source
from steelyard.kinds.conversations.options import ConversationOptions, ready
from steelyard.kinds.conversations.recipe import ConversationsRecipe
from steelyard.kinds.conversations.solving import solve_into
from steelyard.models import Model, ModelOptions, open_model
from steelyard.records.runs import JOURNAL_FILE, Reading
from steelyard.runs.making import judge_answers, make_stored
from steelyard.runs.places import UNWATCHED, Watching
from steelyard.runs.recording import FinishedRun, read_finished
from steelyard.runs.resuming import finished_run, generating


def evaluate_conversations(options: ConversationOptions, watching: Watching = UNWATCHED) -> FinishedRun:
    """Evaluate conversations and leave a complete run behind; bad input leaves nothing behind."""
    options = ready(options)
    return _evaluate_model(options, watching) if options.traces is None else _evaluate_traces(options, watching)


def _evaluate_traces(options: ConversationOptions, watching: Watching) -> FinishedRun:
    assert options.traces is not None
    recipe = _recipe(options)
    name = options.model_name or "/".join(options.traces.resolve().parts[-2:])
    model = {"name": name, "kind": "stored traces"}
    evaluation = ConversationsEvaluation(
        recipe, open_source(recipe, options.data), options.traces, model, keeps_journal=True
    )
    return make_stored(evaluation, options.place, watching)


def _evaluate_model(options: ConversationOptions, watching: Watching) -> FinishedRun:
    """Ask a model for every turn, journal what it did, and judge the journal like any stored traces."""
    done = finished_run(options.place)
    if done is not None:
        return read_finished(done)
    source = open_source(_recipe(options), options.data)
    conversations, turns = source.count()
    if not conversations:
        raise nothing_left(options.data)
    assert options.model is not None
    with closing(open_model(options.model, _model_options(options))) as model:
        facts = model_facts(_answering(model).identity)
        recipe = _recipe(options, plans=model.identity.kind != "python")
        evaluation = ConversationsEvaluation(recipe, source, options.data, facts, reading=Reading())
        manifest = conversations_manifest(options.data, conversations, turns)
        with generating(options.place, evaluation.identity, recipe.config(), manifest) as directory:
            journal = directory.path / JOURNAL_FILE
            told = watching.asked
            solve_into(journal, source, model, options, None if told is None else (lambda done: told(done, turns)))
            own = ConversationsEvaluation(recipe, source, journal, facts, reading=Reading())
            return judge_answers(directory, own, watching)


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


def _recipe(options: ConversationOptions, *, plans: bool = False) -> ConversationsRecipe:
    """Return what the run is made from; `plans` where the built-in solver writes them."""
    given: dict[str, Any] = {"dataset": lasting_path(options.data), "plots": options.plots}
    if options.traces is not None:
        given |= {"traces": str(options.traces.resolve()), "model_name": options.model_name}
    else:
        given |= {"model": options.model, "history": options.history}
    if plans:
        given |= {"solver": NAME, "prompt_sha256": prompt_hash(), "generation": msgspec.to_builtins(GENERATION)}
        given |= {"max_retries": options.max_retries, "validation": options.validation}
    if options.sample_size is not None:
        given["selection"] = {"sample_size": options.sample_size, "seed": options.seed, "stratified": True}
    return ConversationsRecipe(**given)
