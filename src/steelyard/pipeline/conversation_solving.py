"""How the turns of a run come about: from stored traces, or from a solver with a journal that loses nothing."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from steelyard.conversations.callables import CallableSolver
from steelyard.conversations.plan_and_compute import NAME, PlanAndCompute
from steelyard.conversations.plan_text import PROMPT_VERSION
from steelyard.conversations.solving import History, Solver, solve_conversation
from steelyard.models import Model, open_model
from steelyard.pipeline.conversation_files import ConversationJournal, journal_entry
from steelyard.pipeline.conversation_options import ConversationOptions
from steelyard.pipeline.conversation_reading import ConversationSource, Pair
from steelyard.records.conversations import Conversation, TurnTrace
from steelyard.records.models import ModelReply, ModelRequest
from steelyard.records.runs import JOURNAL_FILE
from steelyard.store.files import json_line, machine_errors

WINDOW = 32
"""How many conversations are under way at a time; their requests go to the model together."""


@dataclass(frozen=True, slots=True)
class Solving:
    """Where turns come from, and what the run says about it."""

    model: Mapping[str, Any]
    pairs: Callable[[ConversationSource, Path], Iterator[Pair]]
    """Conversations with their turns, from a source, journaled in a run's directory."""
    prompt_version: str | None = None
    solver: str | None = None
    is_mock: bool = False


@contextmanager
def solving(options: ConversationOptions) -> Iterator[Solving]:
    """Open what answers the turns."""
    if options.traces is not None:
        traces = options.traces
        name = options.model_name or "/".join(traces.resolve().parts[-2:])
        yield Solving({"name": name, "kind": "stored traces"}, lambda source, run: _stored(source, run, traces))
        return
    assert options.model is not None
    model = open_model(options.model)
    try:
        yield _with_model(model, options)
    finally:
        model.close()


def _with_model(model: Model, options: ConversationOptions) -> Solving:
    identity = model.identity
    plain = identity.kind == "python"
    planner = PlanAndCompute(max_retries=options.max_retries, validation=options.validation)
    solver: Solver = CallableSolver() if plain else planner
    return Solving(
        msgspec.to_builtins(identity),
        lambda source, run: _solved(source, run, model, solver, options.history),
        prompt_version=None if plain else PROMPT_VERSION,
        solver=None if plain else NAME,
        is_mock=identity.is_mock,
    )


def _stored(source: ConversationSource, run: Path, traces: Path) -> Iterator[Pair]:
    with ConversationJournal(run) as journal:
        for conversation, turns in source.with_traces(traces):
            journal.write(conversation, turns)
            yield conversation, turns


def _solved(source: ConversationSource, run: Path, model: Model, solver: Solver, history: History) -> Iterator[Pair]:
    """Solve conversations, a window of them side by side; each turn is on disk before the next one is asked."""
    with _journal(run / JOURNAL_FILE) as journal:
        conversations = source.conversations()
        while window := list(islice(conversations, WINDOW)):
            under_way = [_UnderWay.start(conversation, solver, history, journal) for conversation in window]
            drive(model, [one for one in under_way if one.asked is not None])
            yield from ((one.conversation, list(one.turns)) for one in under_way)


def _journal(path: Path) -> BinaryIO:
    with machine_errors(path):
        return path.open("ab")


@dataclass(slots=True)
class _UnderWay:
    """A conversation that is being solved."""

    conversation: Conversation
    journal: BinaryIO
    turns: list[TurnTrace] = field(default_factory=list)
    asked: ModelRequest | None = None
    """What it waits for; None once it is solved."""
    steps: Generator[ModelRequest, ModelReply, None] | None = None

    @classmethod
    def start(cls, conversation: Conversation, solver: Solver, history: History, journal: BinaryIO) -> _UnderWay:
        one = cls(conversation, journal)
        one.steps = solve_conversation(conversation, solver, history, one.finished)
        one.asked = next(one.steps, None)
        return one

    def finished(self, trace: TurnTrace) -> None:
        with machine_errors(Path(JOURNAL_FILE)):
            self.journal.write(json_line(journal_entry(self.conversation, trace)))
            self.journal.flush()
            os.fsync(self.journal.fileno())
        self.turns.append(trace)

    def answered(self, reply: ModelReply) -> None:
        assert self.steps is not None
        try:
            self.asked = self.steps.send(reply)
        except StopIteration:
            self.asked = None


def drive(model: Model, under_way: Sequence[_UnderWay]) -> None:
    """Ask for all conversations together, round after round, until none waits."""
    while under_way:
        waiting = {one.asked.item_id: one for one in under_way if one.asked is not None}
        replies = {
            request.item_id: reply for request, reply in model.ask([one.asked for one in under_way if one.asked])
        }
        # In the order of the dataset, so that the journal does not depend on who answered first.
        for item_id, one in waiting.items():
            one.answered(replies[item_id])
        under_way = [one for one in under_way if one.asked is not None]
