"""The order of an evaluation of conversations: read, solve or take stored traces, judge, count, store, draw.

Before it: turns from a model.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from steelyard.asking.requests import model_facts
from steelyard.conversations.plan_and_compute import GENERATION, NAME, PlanAndCompute
from steelyard.conversations.plan_text import prompt_hash
from steelyard.conversations.solving import CallableSolver, Solver, solve_conversation
from steelyard.conversations.traces import read_turn
from steelyard.datasets.shipped import lasting_path
from steelyard.errors import Problem, Problems, UsageError
from steelyard.kinds.conversations.deriving import nothing_left
from steelyard.kinds.conversations.evaluation import ConversationsEvaluation, conversations_manifest, open_source
from steelyard.kinds.conversations.files import journal_entry
from steelyard.kinds.conversations.options import ConversationOptions, ready
from steelyard.kinds.conversations.reading import ConversationSource
from steelyard.kinds.conversations.recipe import ConversationsRecipe
from steelyard.models import Model, ModelOptions, open_model
from steelyard.reading.rows import read_rows
from steelyard.records.conversations import Conversation, TurnTrace
from steelyard.records.models import ModelReply, ModelRequest
from steelyard.records.runs import JOURNAL_FILE, Reading
from steelyard.runs.making import judge_answers, make_stored
from steelyard.runs.places import UNWATCHED, Progress, Watching
from steelyard.runs.recording import FinishedRun, read_finished
from steelyard.runs.resuming import finished_run, generating
from steelyard.secrets import SECRET_IN_OUTPUT, hidden, redacted
from steelyard.store.journal import Journal

# Turns from a model: conversations side by side, each turn in the journal before the next one is asked.


WINDOW = 32
"""How many conversations are under way at a time; their requests go to the model together. A model that answers one
request after another has one conversation at a time, so that it computes a document once for all of its turns."""


def solve_into(
    path: Path, source: ConversationSource, model: Model, options: ConversationOptions, progress: Progress | None
) -> None:
    """Solve every turn that the journal does not have yet; turns that it has are not asked again."""
    planner = PlanAndCompute(max_retries=options.max_retries, validation=options.validation)
    solver: Solver = CallableSolver() if model.identity.kind == "python" else planner
    with Journal(path) as journal:
        stored = _stored(path) if journal.done else {}
        conversations = source.conversations()
        while window := list(islice(conversations, WINDOW if model.at_a_time > 1 else 1)):
            solutions = [_Solution(one, journal, progress) for one in window]
            for solution in solutions:
                solution.start(solver, options, stored.get(solution.conversation.id, {}))
            drive(model, [solution for solution in solutions if solution.asked is not None])


def _stored(path: Path) -> dict[str, dict[int, TurnTrace]]:
    """Return the turns that an earlier process journaled, by conversation."""
    found: dict[str, dict[int, TurnTrace]] = {}
    for row in read_rows(path.resolve(), Problems()):
        trace = read_turn(row.fields)
        found.setdefault(str(row.fields["conversation_id"]), {})[trace.turn_idx] = trace
    return found


@dataclass(slots=True)
class _Solution:
    """A conversation that is being solved."""

    conversation: Conversation
    journal: Journal
    progress: Progress | None = None
    asked: ModelRequest | None = None
    """What it waits for; None once it is solved."""
    steps: Generator[ModelRequest, ModelReply, None] = field(init=False)

    def start(self, solver: Solver, options: ConversationOptions, stored: Mapping[int, TurnTrace]) -> None:
        self.steps = solve_conversation(self.conversation, solver, options.history, self.finished, stored)
        self.asked = next(self.steps, None)

    def finished(self, trace: TurnTrace) -> None:
        entry = _told(journal_entry(self.conversation, trace))
        item_id = entry.pop("item_id")
        self.journal.append(item_id, entry, state=entry.get("state"))
        self.journal.sync()
        if self.progress is not None:
            self.progress(len(self.journal.done))

    def answered(self, reply: ModelReply) -> None:
        try:
            self.asked = self.steps.send(reply)
        except StopIteration:
            self.asked = None


def _told(entry: dict[str, Any]) -> dict[str, Any]:
    """Return what the journal keeps of a turn: an error is told without any secret, everything else without keys."""
    given = entry if entry["error"] is None else entry | {"error": redacted(entry["error"])}
    found: dict[str, Any] = hidden(given)
    return dict(given) if found is given else found | {SECRET_IN_OUTPUT: True}


def drive(model: Model, solutions: Sequence[_Solution]) -> None:
    """Ask for all conversations together, round after round, until none waits."""
    while solutions:
        waiting = {solution.asked.item_id: solution for solution in solutions if solution.asked is not None}
        requests = [solution.asked for solution in solutions if solution.asked is not None]
        for request, reply in model.ask(requests):
            # At once, so that a turn is in the journal before anything can stop the process.
            waiting[request.item_id].answered(reply)
        solutions = [solution for solution in solutions if solution.asked is not None]


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
