"""Turns from a model: conversations side by side, each turn in the journal before the next one is asked."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from steelyard.conversations.callables import CallableSolver
from steelyard.conversations.plan_and_compute import PlanAndCompute
from steelyard.conversations.solving import Solver, solve_conversation
from steelyard.conversations.traces import read_turn
from steelyard.errors import Problems
from steelyard.kinds.conversations.files import journal_entry
from steelyard.kinds.conversations.options import ConversationOptions
from steelyard.kinds.conversations.reading import ConversationSource
from steelyard.models import Model
from steelyard.reading.rows import read_rows
from steelyard.records.conversations import Conversation, TurnTrace
from steelyard.records.models import ModelReply, ModelRequest
from steelyard.runs.places import Progress
from steelyard.secrets import SECRET_IN_OUTPUT, hidden, redacted
from steelyard.store.journal import Journal

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
